# SPDX-License-Identifier: BSD-3-Clause
"""twirl render: grains and chains cover exactly the pixels that geometry predicts."""

import math
import os
import struct
import tempfile
import unittest
import zlib

from cli import CliTest, run

MARGIN = 0.04  # free fraction of the picture on each side
WHITE = (255, 255, 255)
# Steps so short that nothing moves by a visible amount.
LAW = ("--kn", "1e3", "--kt", "1e3", "--density", "1", "--dt", "1e-6", "--quiet", "--steps", "1")


def read_png(path):
    """(width, height, pixels), pixels[y][x] = (r, g, b): PNG of 8-bit RGB, decoded by hand."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, kind, _, _, interlace = struct.unpack(">IIBBBBB", data[16:29])
    assert (depth, kind, interlace) == (8, 2, 0)
    packed, at = b"", 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        if name == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    raw, stride = zlib.decompress(packed), 3 * width
    above, rows = bytes(stride), []
    for y in range(height):
        form, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a = line[i - 3] if i >= 3 else 0
            b, c = above[i], above[i - 3] if i >= 3 else 0
            paeth = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            line[i] = (line[i] + (0, a, b, (a + b) // 2, paeth)[form]) & 255
        above = bytes(line)
        rows.append([tuple(line[3 * x:3 * x + 3]) for x in range(width)])
    return width, height, rows


def distance(point, a, b):
    """Distance of a point in the plane from the segment from a to b."""
    ab = (b[0] - a[0], b[1] - a[1])
    length = ab[0] ** 2 + ab[1] ** 2
    t = ((point[0] - a[0]) * ab[0] + (point[1] - a[1]) * ab[1]) / length if length else 0.0
    t = min(max(t, 0.0), 1.0)
    return math.hypot(point[0] - a[0] - t * ab[0], point[1] - a[1] - t * ab[1])


class RenderTest(CliTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def specimen(self, spheres, edge=10.0, *options):
        """state.h5 of spheres (x, y, z, radius) in a periodic cube."""
        with open(self.path("state.csv"), "w", encoding="utf-8") as file:
            file.write(f"# cell: {edge} 0 0 0 {edge} 0 0 0 {edge}\n# periodic: 1 1 1\n")
            file.write("x,y,z,radius\n")
            for sphere in spheres:
                file.write(",".join(map(repr, sphere)) + "\n")
        done = run("advance", "state.csv", *LAW, *(options or ("--mu", "0.5")), "--out", "state.h5",
                   cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def render(self, *arguments, **options):
        done = run("render", "state.h5", "--out", "picture.png", *arguments, cwd=self.folder,
                   **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout, read_png(self.path("picture.png"))

    def assert_drawn(self, said, picture, rods):
        """Exactly these rods (a, b, radius) in the plane of the picture are drawn."""
        width, height, pixels = picture
        left = min(min(a[0], b[0]) - r for a, b, r in rods)
        right = max(max(a[0], b[0]) + r for a, b, r in rods)
        low = min(min(a[1], b[1]) - r for a, b, r in rods)
        top = max(max(a[1], b[1]) + r for a, b, r in rods)
        pixel = max((right - left) / width, (top - low) / height) / (1 - 2 * MARGIN)
        self.assertIn(f"{width}x{height} pixels of {pixel:.6g} m", said)
        covered = 0
        for y in range(height):
            for x in range(width):
                at = ((left + right) / 2 + (x + 0.5 - width / 2) * pixel,
                      (low + top) / 2 - (y + 0.5 - height / 2) * pixel)
                depth = max(r - distance(at, a, b) for a, b, r in rods)
                covered += pixels[y][x] != WHITE
                # A pixel is on the edge if its centre is less than half its diagonal away.
                if abs(depth) > 0.72 * pixel:
                    self.assertEqual(pixels[y][x] != WHITE, depth > 0.0, (x, y))
        return covered, pixel


class Grains(RenderTest):
    def test_discs_are_at_the_projected_spheres(self):
        self.specimen([(2.0, 3.0, 5.0, 1.0), (7.0, 6.0, 4.0, 2.0)])
        for view, across, upright in (("z", 0, 1), ("y", 0, 2), ("x", 1, 2)):
            said, picture = self.render("--view", view, "--bare", "--size", "300x240")
            centres = [(2.0, 3.0, 5.0), (7.0, 6.0, 4.0)]
            flat = [(c[across], c[upright]) for c in centres]
            covered, pixel = self.assert_drawn(said, picture,
                                               [(flat[0], flat[0], 1.0), (flat[1], flat[1], 2.0)])
            if view == "x":
                continue  # one is in front of the other
            # Pixels cut by a circle count as covered: up to half of those along its length.
            area, edge = math.pi * (1.0 + 4.0) / pixel ** 2, 2 * math.pi * 3.0 / pixel
            self.assertLess(abs(covered - area - 0.5 * edge), 0.5 * edge, view)

    def test_a_view_from_any_direction_is_a_projection(self):
        self.specimen([(2.0, 3.0, 5.0, 1.0), (7.0, 6.0, 4.0, 2.0)])
        azimuth, elevation = math.radians(30.0), math.radians(40.0)
        right = (-math.sin(azimuth), math.cos(azimuth), 0.0)
        up = (-math.sin(elevation) * math.cos(azimuth), -math.sin(elevation) * math.sin(azimuth),
              math.cos(elevation))
        rods = []
        for x, r in (((2.0, 3.0, 5.0), 1.0), ((7.0, 6.0, 4.0), 2.0)):
            at = (sum(map(float.__mul__, x, right)), sum(map(float.__mul__, x, up)))
            rods.append((at, at, r))
        said, picture = self.render("--view", "30,40", "--bare", "--size", "200x200")
        self.assert_drawn(said, picture, rods)

    def test_the_nearer_sphere_hides_the_other(self):
        self.specimen([(2.0, 5.0, 5.0, 1.0), (8.0, 5.0, 5.0, 1.0)])
        middle = {}
        for name, options in (("near", ("--slice", "a:0.5:1")), ("far", ("--slice", "a:0:0.5")),
                              ("front", ()), ("back", ("--view", "180,0"))):
            _, (width, height, pixels) = self.render("--view", "x", "--bare", "--color", "id",
                                                     "--size", "101x101", *options)
            middle[name] = pixels[height // 2][width // 2]
        self.assertNotEqual(middle["near"], middle["far"])
        self.assertEqual(middle["front"], middle["near"])
        self.assertEqual(middle["back"], middle["far"])

    def test_colours_follow_the_size(self):
        self.specimen([(2.0, 5.0, 5.0, 1.0), (5.0, 5.0, 5.0, 1.25), (8.0, 5.0, 5.0, 1.5)])
        said, (width, height, pixels) = self.render("--view", "z", "--bare", "--size", "300x100")
        self.assertIn("3 bodies, size 2 to 3 m", said)
        pixel = 8.5 / 300 / (1 - 2 * MARGIN)  # from 1 to 9.5
        bright = []
        for x in (2.0, 5.0, 8.0):
            bright.append(sum(pixels[height // 2][int(width / 2 + (x - 5.25) / pixel)]))
        self.assertEqual(bright, sorted(set(bright)))

    def test_the_number_of_threads_does_not_matter(self):
        self.specimen([(2.0, 3.0, 5.0, 1.0), (7.0, 6.0, 4.0, 2.0)])
        first, second = (self.render("--size", "160x120", env={"OMP_NUM_THREADS": n})
                         for n in ("1", "3"))
        self.assertEqual(first, second)

    def test_the_cell_and_the_background_are_drawn_unless_bare(self):
        self.specimen([(5.0, 5.0, 5.0, 1.0)])
        _, (width, height, pixels) = self.render("--view", "z", "--size", "100x100")
        self.assertLess(pixels[height - 1][0], pixels[0][0])
        edge = round(width / 2 + 5.0 / (10.03 / width / (1 - 2 * MARGIN)))  # the face at x = 10
        darkest = min(sum(pixels[height // 2][x]) for x in range(edge - 2, edge + 2))
        self.assertLess(darkest, 600)
        self.assertGreater(sum(pixels[height // 2][edge - 10]), 600)

    def test_a_bar_shows_the_range_of_the_colours(self):
        """Its ends have the colours of the smallest and largest value; bare pictures have no bar."""
        self.specimen([(2.0, 5.0, 5.0, 1.0), (8.0, 5.0, 5.0, 1.5)])
        first, last = (43, 51, 115), (250, 222, 92)
        at = {}
        for name, options in (("size", ()), ("id", ("--color", "id")), ("bare", ("--bare",))):
            _, (width, height, pixels) = self.render("--view", "z", "--size", "520x440", *options)
            at[name] = [x for x in range(width) if pixels[height - 20][x] == first], \
                [x for x in range(width) if pixels[height - 20][x] == last]
        self.assertEqual(at["size"], ([6], [125]))
        self.assertEqual(at["id"], ([], []))
        self.assertEqual(at["bare"], ([], []))
        # Below it are the numbers 2 and 3, at its ends, and nothing between.
        _, (width, height, pixels) = self.render("--view", "z", "--size", "520x440")
        dark = [x for x in range(5, 127) if any(sum(pixels[y][x]) < 300 for y in range(height - 16, height - 8))]
        self.assertEqual((min(dark), max(dark), len(dark)), (6, 125, 10))

    def test_the_picture_is_named_after_the_state(self):
        self.specimen([(5.0, 5.0, 5.0, 1.0)])
        done = run("render", "state.h5", "--size", "9x7", cwd=self.folder)
        self.assertTrue(done.stdout.startswith("state_grains.png: 9x7 pixels"), done)
        self.assertEqual(read_png(self.path("state_grains.png"))[:2], (9, 7))
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["state.csv", "state.h5", "state_grains.png"])


class Chains(RenderTest):
    def setUp(self):
        super().setUp()
        # The radius of the widest rod is a quarter of the mean spacing of bodies.
        self.radius = 0.25 * (10.0 ** 3 / 2) ** (1 / 3)

    def test_a_contact_is_a_rod_from_centre_to_centre(self):
        self.specimen([(4.0, 4.0, 5.0, 1.0), (5.2, 5.5, 5.0, 1.0)])
        said, picture = self.render("--chains", "--view", "z", "--bare", "--size", "120x120")
        # The centres are 1.920937 m apart.
        overlap = 2.0 - math.hypot(1.2, 1.5)
        self.assertIn(f"1 contact, normal force up to {1e3 * overlap:.4g}", said)
        self.assert_drawn(said, picture, [((4.0, 4.0), (5.2, 5.5), self.radius)])
        red, _, blue = picture[2][60][60]
        self.assertGreater(red, blue)

    def test_a_contact_across_the_boundary_is_two_halves(self):
        self.specimen([(0.9, 5.0, 5.0, 1.0), (9.0, 5.0, 5.0, 1.0)])
        said, picture = self.render("--chains", "--view", "z", "--bare", "--size", "240x120")
        self.assert_drawn(said, picture, [((0.9, 5.0), (-0.05, 5.0), self.radius),
                                          ((9.0, 5.0), (9.95, 5.0), self.radius)])

    def test_sliding_contacts_are_blue(self):
        # Moved by 1e-6 s * 1e3/s * 1.9 m across the contact: above mu fn / kt = 1e-4 m.
        self.specimen([(4.0, 5.0, 5.0, 1.0), (5.9, 5.0, 5.0, 1.0)], 10.0, "--mu", "1e-3",
                      "--gradient", "0 0 0 1000 0 0 0 0 0")
        _, (_, _, pixels) = self.render("--chains", "--view", "z", "--bare", "--size", "60x60")
        red, _, blue = pixels[30][30]
        self.assertGreater(blue, red)

    def test_nothing_to_draw_is_an_error(self):
        self.specimen([(2.0, 5.0, 5.0, 1.0), (8.0, 5.0, 5.0, 1.0)])
        self.assert_refused(run("render", "state.h5", "--chains", cwd=self.folder),
                            "state.h5: no contact to draw", "the file has no contacts")
        self.assert_refused(run("render", "state.h5", "--slice", "b:0.9:1", cwd=self.folder),
                            "no body to draw in this --slice")
        self.specimen([(4.0, 5.0, 5.0, 1.0), (5.9, 5.0, 5.0, 1.0)])
        self.assert_refused(run("render", "state.h5", "--chains", "--above", "1.1",
                                cwd=self.folder), "no contact to draw with this --above")
        self.assertEqual(len(os.listdir(self.folder)), 2)


class CommandLine(RenderTest):
    def test_bad_command_lines(self):
        self.specimen([(5.0, 5.0, 5.0, 1.0)])
        for arguments, needles in (
                ((), ("FILE is missing",)),
                (("state.h5", "state.h5"), ("FILE is already 'state.h5'",)),
                (("absent.h5",), ("absent.h5", "No such file")),
                (("state.h5", "--size", "12"), ("--size: '12' is not WxH", "1200x900")),
                (("state.h5", "--size", "0x5"), ("--size: '0x5'",)),
                (("state.h5", "--size", "99999x5"), ("from 1 to 16384",)),
                (("state.h5", "--size", "5x5x"), ("--size: '5x5x'",)),
                (("state.h5", "--view", "isso"), ("--view: 'isso' is not a view", "'iso'")),
                (("state.h5", "--view", "1,2,3"), ("'1,2,3' is not AZIMUTH,ELEVATION",)),
                (("state.h5", "--view", "0,91"), ("elevation '91' is not between -90 and 90",)),
                (("state.h5", "--view", "nan,0"), ("--view",)),
                (("state.h5", "--color", "sise"), ("--color: 'sise'", "'size'")),
                (("state.h5", "--color", "id", "--chains"), ("--color has no effect with --chains",)),
                (("state.h5", "--above", "1"), ("--above has no effect without --chains",)),
                (("state.h5", "--chains", "--above", "0"), ("--above: '0' must be greater than 0",)),
                (("state.h5", "--grains", "--chains"), ("exclude each other",)),
                (("state.h5", "--slice", "d:0:1"), ("--slice: 'd:0:1' is not EDGE:FROM:TO",)),
                (("state.h5", "--slice", "a:0"), ("--slice: 'a:0'",)),
                (("state.h5", "--slice", "a:1:0"), ("FROM '1' is not below TO '0'",)),
                (("state.h5", "--out", "x.jpg"), ("--out: 'x.jpg' is not FILE.png",)),
                (("state.h5", "--chain"), ("no contacts",)),
                (("state.h5", "--clor", "id"), ("did you mean '--color'",))):
            self.assert_refused(run("render", *arguments, cwd=self.folder), "twirl render: ",
                                *needles)
        self.assertEqual(sorted(os.listdir(self.folder)), ["state.csv", "state.h5"])

    def test_a_file_that_cannot_be_written(self):
        self.specimen([(5.0, 5.0, 5.0, 1.0)])
        done = run("render", "state.h5", "--out", "absent/x.png", "--size", "9x9", cwd=self.folder)
        self.assert_refused(done, "cannot write absent/x.png: No such file", status=1)


if __name__ == "__main__":
    unittest.main()
