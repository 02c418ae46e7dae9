# SPDX-License-Identifier: BSD-3-Clause
"""twirl render: grains and chains cover exactly the pixels that geometry predicts."""

import base64
import math
import os
import random
import re
import shutil
import statistics
import struct
import tempfile
import unittest
import xml.etree.ElementTree
import zlib

from cli import CliTest, run

MARGIN = 0.02  # free fraction of the content's box on each side
WHITE, BLACK = (255, 255, 255), (0, 0, 0)
VIRIDIS = ((68, 1, 84), (33, 144, 140), (253, 231, 37))  # published: first, middle, last
LAW = ("--kn", "1e3", "--kt", "1e3", "--density", "1")


def read_png(path):
    """(width, height, pixels), pixels[y][x] = (r, g, b) or (r, g, b, a), decoded by hand."""
    with open(path, "rb") as file:
        return decode_png(file.read())


def chunks(data):
    """The parts of a PNG as (name, content)."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at = 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        yield name, data[at + 8:at + 8 + length]
        at += 12 + length


def decode_png(data):
    width, height, depth, kind, _, _, interlace = struct.unpack(">IIBBBBB", data[16:29])
    assert (depth, interlace) == (8, 0) and kind in (2, 6)
    bytes_per_pixel = 3 if kind == 2 else 4
    raw = zlib.decompress(b"".join(content for name, content in chunks(data) if name == b"IDAT"))
    n, stride = bytes_per_pixel, bytes_per_pixel * width
    above, rows = bytes(stride), []
    for y in range(height):
        form, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a = line[i - n] if i >= n else 0
            b, c = above[i], above[i - n] if i >= n else 0
            paeth = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            line[i] = (line[i] + (0, a, b, (a + b) // 2, paeth)[form]) & 255
        above = bytes(line)
        rows.append([tuple(line[n * x:n * x + n]) for x in range(width)])
    return width, height, rows


def distance(point, a, b):
    """Distance of a point in the plane from the segment from a to b."""
    ab = (b[0] - a[0], b[1] - a[1])
    length = ab[0] ** 2 + ab[1] ** 2
    t = ((point[0] - a[0]) * ab[0] + (point[1] - a[1]) * ab[1]) / length if length else 0.0
    t = min(max(t, 0.0), 1.0)
    return math.hypot(point[0] - a[0] - t * ab[0], point[1] - a[1] - t * ab[1])


BARE = ("--bare", "--no-bar")


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
        done = run("import", "state.csv", *LAW, *(options or ("--mu", "0.5")), "--out", "state.h5",
                   cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def move(self, control):
        """A step of 1e-6 s, so short that nothing moves by a visible amount."""
        with open(self.path("move.yaml"), "w", encoding="utf-8") as file:
            file.write("specimen: {checkpoint: state.h5}\ntime_step: {dt: 1e-6}\nstages:\n"
                       f"  - {{path: general, control: {{{control}}}, end: {{steps: 1}}, save: end}}\n")
        done = run("run", "move.yaml", "--quiet", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        os.replace(self.path("move/states/end.h5"), self.path("state.h5"))
        shutil.rmtree(self.path("move"))

    def said(self, file, *options):
        done = run("render", file, "--out", "picture.png", "--size", "40x30", *options,
                   cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

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


class Frames(RenderTest):
    """A dump of a run has no contacts, but columns that tell what follows from them."""

    def test_colours_of_a_dump_are_those_of_the_state(self):
        with open(os.path.join(self.folder, "run.yaml"), "w", encoding="utf-8") as file:
            file.write("specimen:\n  count: 40\n  shapes: [{shape: bumpy}, {shape: sphere}]\n"
                       "  preparation: {pressure: 100 kPa, friction: 0.1, inertial_number: 0.05, unbalanced: 0.01}\n"
                       "material: {stiffness_level: 1000, friction: 0.5}\n"
                       "stages: [{name: shear, path: triaxial, inertial_number: 5e-3, end: {strain: 1 %}}]\n"
                       "output: {lammps: {stages: yes}}\n")
        done = run("run", "run.yaml", "--quiet", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        dump, = (name for name in os.listdir(os.path.join(self.folder, "run", "lammps")) if name.endswith(".dump"))
        for what in ("displacement", "displacement_y", "pressure", "coordination"):
            told = [self.said(name, "--color", what, "--range", "all").split("bodies, ")[1]
                    for name in (f"run/lammps/{dump}", "run/stages/shear.h5")]
            self.assertEqual(told[0], told[1])
            self.assertNotIn(" 0 to 0", told[0])
        # The contacts are in the .local file of the frame.
        for options in (["--color", "rattlers"], ["--chains"], ["--chains", "--color", "sliding"], ["--chains", "--above", "2"]):
            told = [self.said(name, *options).split("m, ", 1)[1] for name in (f"run/lammps/{dump}", "run/stages/shear.h5")]
            self.assertEqual(told[0], told[1])
        self.assertRegex(self.said(f"run/lammps/{dump}", "--chains"), "[0-9]{2,} contacts")
        self.assert_same_picture(f"run/lammps/{dump}", "run/stages/shear.h5", "--chains")
        self.assert_refused(run("render", f"run/lammps/{dump}", "--chains", "--color", "mobilisation", cwd=self.folder),
                            "the file has no friction", "'mobilisation'", "draw a checkpoint\n")
        local = os.path.join(self.folder, "run/lammps", dump.replace(".dump", ".local"))
        with open(local, encoding="utf-8") as file:
            text = file.read()
        rows = text.splitlines()
        for wrong, reason in ((rows[:-1], "the number of contacts is"), (rows[:-1] + [rows[-1] + " 1"], "wrong number of values: 20"),
                              (rows[:10] + rows[11:], "no contacts of a dump"),
                              (rows[:11] + ["1 2 0 0 0 0 99" + 12 * " 0"] + rows[12:], ":12: the dump has no bodies 0 and 99")):
            with open(local, "w", encoding="utf-8") as file:
                file.write("".join(line + "\n" for line in wrong))
            self.assert_refused(run("render", f"run/lammps/{dump}", "--chains", cwd=self.folder), ".local", reason)
        os.unlink(local)
        self.assert_refused(run("render", f"run/lammps/{dump}", "--color", "rattlers", cwd=self.folder),
                            "the file has no contacts", "'rattlers'", "in a .local file beside it\n")
        self.assert_refused(run("render", f"run/lammps/{dump}", "--chains", cwd=self.folder), "nor is there its .local file")
        self.assertIn("velocity", self.said(f"run/lammps/{dump}", "--color", "velocity"))

    def assert_same_picture(self, *names_and_option):
        """Positions are turned to and fro, so that a few pixels at edges may differ."""
        *names, option = names_and_option
        pictures = []
        for k, name in enumerate(names):
            out = os.path.join(self.folder, f"picture{k}.png")
            done = run("render", name, option, "--bare", "--no-bar", "--size", "200x200", "--out", out, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            pictures.append([pixel for row in read_png(out)[2] for pixel in row])
        differ = sum(a != b for a, b in zip(*pictures))
        self.assertLess(differ, 0.01 * len(pictures[0]))
        self.assertGreater(sum(pixel != WHITE for pixel in pictures[0]), 0.05 * len(pictures[0]))

    def test_what_a_file_does_not_have_is_refused(self):
        self.specimen([(2.0, 3.0, 5.0, 1.0), (7.0, 6.0, 4.0, 2.0)])
        name, = (name for name in os.listdir(self.folder) if name.endswith(".csv"))
        for what in ("displacement", "displacement_x", "pressure", "coordination", "rattlers"):
            self.assert_refused(run("render", name, "--color", what, cwd=self.folder), "the file has no contacts", f"'{what}'")
        for what in ("velocity", "velocity_x", "spin"):
            self.assert_refused(run("render", name, "--color", what, cwd=self.folder), "the file has no velocities", f"'{what}'")


class Grains(RenderTest):
    def test_discs_are_at_the_projected_spheres(self):
        self.specimen([(2.0, 3.0, 5.0, 1.0), (7.0, 6.0, 4.0, 2.0)])
        for view, across, upright in (("z", 0, 1), ("y", 0, 2), ("x", 1, 2)):
            said, picture = self.render("--view", view, *BARE, "--size", "300x240")
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
        said, picture = self.render("--view", "30,40", *BARE, "--size", "200x200")
        self.assert_drawn(said, picture, rods)

    def test_the_nearer_sphere_hides_the_other(self):
        self.specimen([(2.0, 5.0, 5.0, 1.0), (8.0, 5.0, 5.0, 1.0)])
        middle = {}
        for name, options in (("near", ("--slice", "a:0.5:1")), ("far", ("--slice", "a:0:0.5")),
                              ("front", ()), ("back", ("--view", "180,0"))):
            _, (width, height, pixels) = self.render("--view", "x", *BARE, "--color", "id",
                                                     "--size", "101x101", *options)
            middle[name] = pixels[height // 2][width // 2]
        self.assertNotEqual(middle["near"], middle["far"])
        self.assertEqual(middle["front"], middle["near"])
        self.assertEqual(middle["back"], middle["far"])

    def colour_of(self, picture, pixel, place, radius):
        """The colour of a ball where its surface faces the viewer and the lamp; `place` is its
        centre from the middle of the picture, to the right and up."""
        width, height, pixels = picture
        x, y = place[0] - 0.1 * radius, place[1] + 0.1 * radius
        return pixels[int(height / 2 - y / pixel)][int(width / 2 + x / pixel)]

    def test_colours_are_those_of_the_map(self):
        self.specimen([(2.0, 5.0, 5.0, 1.0), (5.0, 5.0, 5.0, 1.25), (8.0, 5.0, 5.0, 1.5)])
        said, picture = self.render("--view", "z", *BARE, "--size", "300x100", "--range", "all")
        self.assertIn("3 bodies, size 2 to 3 m\n", said)
        pixel = 8.5 / 300 / (1 - 2 * MARGIN)  # from 1 to 9.5
        for x, radius, colour in zip((2.0, 5.0, 8.0), (1.0, 1.25, 1.5), VIRIDIS):
            self.assertEqual(self.colour_of(picture, pixel, (x - 5.25, 0.0), radius), colour)

    def test_a_cut_shows_the_section_flat_in_its_colour(self):
        self.specimen([(5.0, 5.0, 5.0, 1.0)])
        for at, radius in ((0.53, 1.0), (0.45, math.sqrt(1.0 - 0.5 ** 2))):
            said, (width, height, pixels) = self.render("--cut", f"c:{at}", "--view", "z", *BARE,
                                                        "--size", "120x120")
            pixel = float(re.search(r"pixels of (\S+) m", said)[1])
            covered = sum(p != WHITE for row in pixels for p in row)
            area, edge = math.pi * (radius / pixel) ** 2, 2 * math.pi * radius / pixel
            self.assertLess(abs(covered - area - 0.5 * edge), 0.5 * edge, at)
            section = math.sqrt(1.0 - (10.0 * at - 5.0) ** 2)
            x = 0.6 * section / pixel  # far from the middle, on the dark side of an uncut grain
            self.assertEqual(pixels[int(height / 2 + x)][int(width / 2 + x)], VIRIDIS[1])
        _, (_, _, whole) = self.render("--view", "z", *BARE, "--size", "120x120")
        self.assertNotEqual(whole[int(height / 2 + x)][int(width / 2 + x)], VIRIDIS[1])
        _, (_, _, above) = self.render("--cut", "c:0.65", "--view", "z", *BARE, "--size", "120x120")
        self.assertEqual(whole, above)
        # From below the other half is cut off.
        self.render("--cut", "c:0.35", "--view", "0,-90", *BARE, "--size", "9x9")
        for cut, view, needle in (("c:0.35", "z", "no body to draw with this --cut"),
                                  ("c:0.5", "x", "seen edge-on")):
            self.assert_refused(run("render", "state.h5", "--cut", cut, "--view", view,
                                    cwd=self.folder), needle)

    def test_neighbours_take_light(self):
        """A small and a large neighbour on the right darken the right side of a grain."""
        shades = {}
        for name, others in (("alone", []), ("small", [(6.29, 5.0, 5.0, 0.3)]),
                             ("large", [(8.9, 5.0, 5.0, 3.0)])):
            self.specimen([(5.0, 5.0, 5.0, 1.0)] + others, 20.0)
            right = max([6.0] + [x + r for x, _, _, r in others])
            said, (width, height, pixels) = self.render(
                "--view", "z", *BARE, "--size", f"{round(40 * (right - 4))}x120", "--range", "1:3")
            pixel = float(re.search(r"pixels of (\S+) m", said)[1])
            at = {side: pixels[height // 2][int(width / 2 + (5.0 + side - (4.0 + right) / 2) / pixel)]
                  for side in (-0.9, 0.9)}
            shades[name] = sum(at[-0.9]), sum(at[0.9])
        for name in ("small", "large"):
            self.assertLess(shades[name][1], 0.95 * shades["alone"][1], name)
            self.assertGreater(shades[name][0], 0.97 * shades["alone"][0], name)

    def test_greys_have_no_colour(self):
        self.specimen([(2.0, 5.0, 5.0, 1.0), (8.0, 5.0, 5.0, 1.5)])
        for options in (("--grey",), ("--map", "grey"), ("--grey", "--color", "rattlers"),
                        ("--grey", "--color", "id"), ("--grey", "--color", "type")):
            _, (_, _, pixels) = self.render("--size", "200x150", "--dpi", "40", *options)
            self.assertEqual({p for row in pixels for p in row if len(set(p)) > 1}, set())

    def test_the_number_of_threads_does_not_matter(self):
        self.specimen([(2.0, 3.0, 5.0, 1.0), (7.0, 6.0, 4.0, 2.0)])
        first, second = (self.render("--size", "160x120", env={"OMP_NUM_THREADS": n})
                         for n in ("1", "3"))
        self.assertEqual(first, second)

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
        # The radius of the rod at the 99th percentile: 0.18 of the mean spacing of bodies.
        self.radius = 0.18 * (10.0 ** 3 / 2) ** (1 / 3)

    def test_a_contact_is_a_rod_from_centre_to_centre(self):
        self.specimen([(4.0, 4.0, 5.0, 1.0), (5.2, 5.5, 5.0, 1.0)])
        said, picture = self.render("--chains", "--view", "z", *BARE, "--size", "120x120")
        # The centres are 1.920937 m apart.
        overlap = 2.0 - math.hypot(1.2, 1.5)
        self.assertIn(f"1 contact, force 0 to {1e3 * overlap:.4g}", said)
        self.assert_drawn(said, picture, [((4.0, 4.0), (5.2, 5.5), self.radius)])
        red, _, blue = picture[2][60][60]
        self.assertGreater(red, blue)

    def test_chains_are_seen_through_the_grains(self):
        """Discs of the grains, pale where there is nothing behind, and the rod within them, in nearly its own colour."""
        self.specimen([(1.2, 1.2, 2.0, 1.0), (2.4, 2.7, 2.0, 1.0)], 4.0)
        _, (_, _, alone) = self.render("--chains", "--view", "z", *BARE, "--size", "120x120")
        said, picture = self.render("--chains", "--grains", "--view", "z", *BARE, "--size", "120x120")
        self.assertIn("1 contact, force 0 to", said)
        discs = [((1.2, 1.2), (1.2, 1.2), 1.0), ((2.4, 2.7), (2.4, 2.7), 1.0),
                 ((1.2, 1.2), (2.4, 2.7), 0.18 * 32 ** (1 / 3))]  # the rod is thicker than the neck
        _, pixel = self.assert_drawn(said, picture, discs)
        pixels = picture[2]
        rod, glass = pixels[60][60], pixels[60 + int(0.75 / pixel)][60 - int(1.4 / pixel)]  # near (0.4, 1.2)
        self.assertEqual(len(set(glass)), 1)
        self.assertTrue(200 < glass[0] < 255, glass)
        self.assertGreater(rod[0], rod[2] + 50)
        # The lens of the two discs is thin: here they face sideways, and hide up to a half.
        for a, b in zip(rod, alone[60][60]):
            self.assertLess(abs(a - b), 0.5 * 255)

    def test_a_contact_across_the_boundary_is_two_halves(self):
        self.specimen([(0.9, 5.0, 5.0, 1.0), (9.0, 5.0, 5.0, 1.0)])
        said, picture = self.render("--chains", "--view", "z", *BARE, "--size", "240x120")
        self.assert_drawn(said, picture, [((0.9, 5.0), (-0.05, 5.0), self.radius),
                                          ((9.0, 5.0), (9.95, 5.0), self.radius)])

    def test_sliding_contacts_have_another_colour(self):
        for mu, said_classes in (("1", "sticks: 1, slides: 0"), ("1e-3", "sticks: 0, slides: 1")):
            # Moved by 1e-6 s * 1e3/s * 1.9 m across the contact: above mu fn / kt = 1e-4 m.
            self.specimen([(4.0, 5.0, 5.0, 1.0), (5.9, 5.0, 5.0, 1.0)], 10.0, "--mu", mu)
            self.move("xy: {rate: 2000}")
            said, (_, _, pixels) = self.render("--chains", "--color", "sliding", "--view", "z",
                                               *BARE, "--size", "60x60")
            self.assertIn(f"1 contact, {said_classes}\n", said)
            red, _, blue = pixels[30][30]
            self.assertEqual(red > blue + 50, mu == "1e-3")

    def test_mobilisation_is_tangential_force_over_its_limit(self):
        self.specimen([(4.0, 5.0, 5.0, 1.0), (5.9, 5.0, 5.0, 1.0)])
        self.move("xy: {rate: 2000}")
        said, _ = self.render("--chains", "--color", "mobilisation", *BARE, "--size", "60x60")
        value = float(re.search(r"values (\S+) to", said)[1])
        # ft = kt du with du = 1e-6 s * 1e3/s * 1.9 m, the limit is mu kn (2 - 1.9) m; the overlap
        # changes by 1e-5 of itself in the step.
        self.assertAlmostEqual(value, 1.9e-3 / (0.5 * 0.1), delta=1e-4)

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


class Quantities(RenderTest):
    def dump(self, name, atoms, edge=10.0):
        """A LAMMPS dump of atoms (x, y, z, radius, v, w)."""
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write("ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n%d\n" % len(atoms))
            file.write("ITEM: BOX BOUNDS pp pp pp\n" + 3 * f"0 {edge}\n")
            file.write("ITEM: ATOMS id x y z radius vx vy vz omegax omegay omegaz\n")
            for number, atom in enumerate(atoms):
                file.write(" ".join([str(number + 1), *map(repr, atom)]) + "\n")

    def values(self, file, *options):
        """(least, most) of the values."""
        found = re.search(r"([-+.\de]+) to ([-+.\de]+)( \S+)?\)?\n", self.said(file, *options))
        return float(found[1]), float(found[2])

    def test_the_default_range_leaves_out_outliers(self):
        """Percentiles 1 and 99 as Python computes them; what lies beyond has the end colours."""
        random.seed(5)
        radii = [random.uniform(0.1, 0.2) for _ in range(998)] + [0.45, 0.48]
        self.dump("state.dump", [(i % 10 + 0.5, i // 10 % 10 + 0.5, i // 100 + 0.5, r,
                                  0.0, 0.0, 0.0, 0.0, 0.0, 0.0) for i, r in enumerate(radii)])
        sizes = [2.0 * r for r in radii]
        percentile = statistics.quantiles(sizes, n=100, method="inclusive")
        said = self.said("state.dump")
        self.assertIn(f"size {percentile[0]:.6g} to {percentile[98]:.6g} m "
                      f"(values {min(sizes):.6g} to {max(sizes):.6g} m)", said)
        said = self.said("state.dump", "--range", "10%:75%")
        self.assertIn(f"size {percentile[9]:.6g} to {percentile[74]:.6g} m", said)
        # The last two are in the upper corner, seen from above.
        done = run("render", "state.dump", "--out", "picture.png", "--size", "300x300", "--view", "z",
                   *BARE, cwd=self.folder)
        pixel = float(re.search(r"pixels of (\S+) m", done.stdout)[1])
        width, height, pixels = read_png(self.path("picture.png"))
        left, right = min(0.5 - r for r in radii[0::10]), max(9.5 + r for r in radii[9::10])
        low = min(0.5 - r for i, r in enumerate(radii) if i // 10 % 10 == 0)
        top = max(9.5 + r for i, r in enumerate(radii) if i // 10 % 10 == 9)
        for x, radius in ((8.5, 0.45), (9.5, 0.48)):
            column = int(width / 2 + (x - 0.1 * radius - (left + right) / 2) / pixel)
            row = int(height / 2 - (9.5 + 0.1 * radius - (low + top) / 2) / pixel)
            self.assertEqual(pixels[row][column], VIRIDIS[2])

    def test_a_range_of_equal_percentiles_is_widened(self):
        self.dump("state.dump", [(i % 10 + 0.5, i // 10 % 10 + 0.5, i // 100 + 0.5,
                                  0.3 if i else 0.4, *(0.0,) * 5, 2.0 if i == 5 else 0.0)
                                 for i in range(300)])
        self.assertIn("size 0.6 to 0.8 m\n", self.said("state.dump"))
        self.assertIn("spin 0 to 2 rad/s\n", self.said("state.dump", "--color", "spin"))
        self.assertIn("spin_z -2 to 2 rad/s", self.said("state.dump", "--color", "spin_z"))

    def test_ranges_that_are_hard_to_divide(self):
        self.dump("state.dump", [(2.0, 5.0, 5.0, 1.0) + (0.0,) * 6,
                                 (8.0, 5.0, 5.0, 1.0 + 4e-16) + (0.0,) * 6])
        for options in ((), ("--range", "2:2.0000000000000005"), ("--range", "0:1e299"),
                        ("--range", "0:1e-300"), ("--range", "-3e-7:1e9")):
            self.said("state.dump", *options, "--size", "300x260", "--dpi", "72")
        self.assert_refused(run("render", "state.dump", "--range", "-1e308:1e308", cwd=self.folder),
                            "--range: '-1e308:1e308' is too wide")

    def test_velocity_and_spin_are_those_of_the_file(self):
        self.dump("state.dump", [(2.0, 5.0, 5.0, 1.0, 3.0, 4.0, 0.0, 0.0, 0.0, 2.0),
                                 (8.0, 5.0, 5.0, 1.0, 0.0, -8.0, 6.0, -2.0, 2.0, -1.0)])
        for what, values in (("velocity", (5.0, 10.0)), ("velocity_x", (0.0, 3.0)),
                             ("velocity_y", (-8.0, 4.0)), ("spin", (2.0, 3.0)),
                             ("spin_z", (-1.0, 2.0))):
            self.assertEqual(self.values("state.dump", "--color", what), values, what)
        # Signed values: symmetric about 0, by the percentile of magnitudes (8 and 4).
        self.assertIn("velocity_y -7.96 to 7.96 m/s", self.said("state.dump", "--color", "velocity_y"))
        self.assertIn("velocity 0 to 9.95 m/s", self.said("state.dump", "--color", "velocity"))
        self.assertIn("velocity_y -8 to 8 m/s (values -8 to 4 m/s)",
                      self.said("state.dump", "--color", "velocity_y", "--range", "all"))

    def test_nonaffine_displacement_is_by_the_nearest_image(self):
        """The cell grows from 10 m to 20 m: twice the position is no displacement."""
        still = (0.0,) * 6
        self.dump("then.dump", [(2.0, 5.0, 5.0, 1.0, *still), (9.5, 5.0, 5.0, 1.0, *still)])
        self.dump("now.dump", [(4.0, 10.0, 10.0, 1.0, *still), (1.0, 12.0, 10.0, 1.0, *still)], 20.0)
        for what, values in (("nonaffine", (0.0, math.hypot(2.0, 2.0))),
                             ("nonaffine_x", (0.0, 2.0)), ("nonaffine_y", (0.0, 2.0))):
            found = self.values("now.dump", "--since", "then.dump", "--color", what, "--range", "all")
            least, most = found if what == "nonaffine" else (0.0, found[1])
            self.assertAlmostEqual(least, values[0], places=5)
            self.assertAlmostEqual(most, values[1], places=5)

    def lattice(self, name, motion):
        """Points near a lattice in a cube of 10 m, at motion(x, y, z)."""
        points, numbers = [], random.Random(5)
        for i in range(1728):
            at = [(k + 0.5 + numbers.uniform(-0.3, 0.3)) / 1.2 for k in (i % 12, i // 12 % 12, i // 144)]
            points.append((*(x % 10.0 for x in motion(*at)), 0.1, *(0.0,) * 6))
        self.dump(name, points)

    def test_an_affine_motion_is_a_uniform_field(self):
        """The cell does not change: shear in a band, which the faces of the cell do not cross."""
        self.lattice("then.dump", lambda x, y, z: (x, y, z))
        self.lattice("now.dump", lambda x, y, z: (x + 0.1 * min(max(z - 2.0, 0.0), 6.0), y, z))
        found = run("render", "now.dump", "--field", "shear_strain", "--since", "then.dump", "--window", "10", "--range", "all",
                    "--size", "120x100", "--no-bar", "--bare", "--out", "picture.png", cwd=self.folder)
        self.assertEqual((found.returncode, found.stderr), (0, ""))
        self.assertIn("coarse graining in 2 m, shear_strain 0 to ", found.stdout)
        # Between z = 4 and 6 gamma is 0.1: sqrt(2/3 * 2 * (0.1/2)^2) = 0.1/sqrt 3, the colour of that share of the map.
        most = float(re.search(r"shear_strain 0 to (\S+)", found.stdout)[1])
        self.assertGreater(most, 0.1 / math.sqrt(3.0) - 1e-6)
        width, height, pixels = read_png(self.path("picture.png"))
        pixel = float(re.search(r"pixels of (\S+) m", found.stdout)[1])
        column = [pixels[y][width // 2] for y in range(height)]
        bottom = max(y for y in range(height) if column[y] != WHITE)
        band = [column[int(bottom - z / pixel)] for z in (4.2, 4.6, 5.0, 5.4, 5.8)]
        self.assertEqual(len(set(band)), 1)
        self.assertNotEqual(column[int(bottom - 1.1 / pixel)], band[0])
        said = run("render", "now.dump", "--field", "rotation_y", "--since", "then.dump", "--window", "10", "--range", "all",
                   "--cut", "a:0.25", cwd=self.folder).stdout
        self.assertTrue(said.startswith("now.dump_rotation_y.png: "), said)

    def test_a_lattice_has_its_porosity_on_the_section(self):
        """17^3 points of radius 0.1 m in 10 m: the window of 16 diameters has about 70 of them, and leaves less than 2 % of the solid."""
        still = (0.0,) * 6
        self.dump("state.dump", [(*((k + 0.5) / 1.7 for k in (i % 17, i // 17 % 17, i // 289)), 0.1, *still) for i in range(4913)])
        said = self.said("state.dump", "--field", "porosity", "--window", "8", "--range", "all")
        low, high = map(float, re.search(r"porosity (\S+) to (\S+)\n", said).groups())
        solid = 4913 * 4.0 / 3.0 * math.pi * 0.1**3 / 1e3
        self.assertLess(abs(low - (1.0 - solid)), 0.02 * solid)
        self.assertLess(abs(high - (1.0 - solid)), 0.02 * solid)

    def test_displacement_includes_the_motion_of_the_cell(self):
        """The cell shrinks by 1e-6 s * 10/s along x; the body at x = 8 moves with it."""
        self.specimen([(2.0, 5.0, 5.0, 1.0), (8.0, 5.0, 5.0, 1.0)])
        self.move("xx: {rate: 10}")
        least, most = self.values("state.h5", "--color", "displacement_x")
        self.assertAlmostEqual(least, -8e-5, delta=1e-9)
        self.assertAlmostEqual(most, -2e-5, delta=1e-9)

    def test_types_have_a_colour_and_a_line_in_the_key(self):
        with open(self.path("state.csv"), "w", encoding="utf-8") as file:
            file.write("# cell: 10 0 0 0 10 0 0 0 10\n# periodic: 1 1 1\nx,y,z,radius,type\n")
            file.write("2,5,5,1,1\n5,5,5,1,7\n8,5,5,1,7\n")
        self.assertIn("3 bodies, type 1: 1, type 7: 2\n", self.said("state.csv", "--color", "type"))
        run("render", "state.csv", "--out", "picture.png", "--color", "type", "--view", "z", *BARE,
            "--size", "240x80", cwd=self.folder)
        width, height, pixels = read_png(self.path("picture.png"))
        pixel = 8.0 / 240 / (1 - 2 * MARGIN)
        seen = [pixels[int(height / 2 - 0.1 / pixel)][int(width / 2 + (x - 5.1) / pixel)]
                for x in (2.0, 5.0, 8.0)]
        self.assertEqual(seen, [(0, 114, 178), (230, 159, 0), (230, 159, 0)])  # Okabe and Ito

    def test_pressure_of_two_bodies_in_contact(self):
        """Force times lever over volume: fn (r - overlap/2) / (3 V) on each."""
        self.specimen([(4.0, 5.0, 5.0, 1.0), (5.9, 5.0, 5.0, 1.0)])
        least, most = self.values("state.h5", "--color", "pressure")
        expected = 1e3 * 0.1 * (1.0 - 0.05) / (3.0 * 4.0 / 3.0 * math.pi)
        for value in (least, most):
            self.assertAlmostEqual(value / expected, 1.0, places=4)

    def test_rattlers_are_those_of_info(self):
        """A chain of four across the cell carries force. A pair, a single body, and two that hang on
        the chain do not: of these, one has two contacts, but one of them with a rattler."""
        ring = [(1.2 + 2.5 * i, 5.0, 5.0, 1.3) for i in range(4)]
        hanging = [(1.2, 7.2, 5.0, 1.0), (1.2, 9.1, 5.0, 1.0)]
        self.specimen(ring + hanging + [(4.0, 1.0, 1.0, 0.7), (5.3, 1.0, 1.0, 0.7), (8.0, 8.5, 8.5, 0.5)])
        self.assertIn("9 bodies, loaded grain: 4, rattler: 5\n",
                      self.said("state.h5", "--color", "rattlers"))
        self.assertIn("without 5 rattlers", run("info", "state.h5", cwd=self.folder).stdout)

    def test_ranges_have_units(self):
        self.dump("state.dump", [(2.0, 5.0, 5.0, 1.0) + (0.0,) * 6])
        for text, low, high in (("1:3", 1.0, 3.0), ("1:3 m", 1.0, 3.0), ("0.5mm:2 mm", 5e-4, 2e-3),
                                ("-1e-3:5um", -1e-9, 5e-6), ("1:2 km", 1e3, 2e3),
                                ("1 mm:2", 1e-3, 2.0)):
            said = self.said("state.dump", "--range", text)
            self.assertIn(f"size {low:.6g} to {high:.6g} m", said, text)


class Layout(RenderTest):
    def longest_run(self, pixels, test):
        """(length, row, first column) of the longest horizontal run of pixels."""
        best = (0, 0, 0)
        for y, row in enumerate(pixels):
            start = None
            for x, p in enumerate(row + [None]):
                if p is not None and test(p):
                    start = x if start is None else start
                elif start is not None:
                    best = max(best, (x - start, y, start))
                    start = None
        return best

    def test_the_scale_bar_is_a_round_length(self):
        """Its pixels against those of a grain of known size."""
        self.specimen([(5.0, 5.0, 5.0, 1.0)])
        for edge in ("300x260", "200x200"):
            said, (_, _, pixels) = self.render("--view", "z", "--size", edge, "--dpi", "70",
                                               "--no-axes", "--no-bar", "--no-cell")
            pixel = float(re.search(r"pixels of (\S+) m", said)[1])
            black, _, _ = self.longest_run(pixels, lambda p: len(set(p)) == 1 and p[0] < 200)
            grain, _, _ = self.longest_run(pixels, lambda p: p[2] > p[0] + 10)
            self.assertAlmostEqual(grain, 2.0 / pixel, delta=2.5)  # 2 m
            room = 0.25 * int(edge[:3]) * pixel  # a quarter of the width
            length = max(d * 10.0 ** n for d in (1, 2, 5) for n in (-2, -1, 0) if d * 10.0 ** n <= room)
            self.assertAlmostEqual(black, length / pixel, delta=2.0)
            self.assertAlmostEqual(black / grain, length / 2.0, delta=0.02)

    def test_a_bar_shows_the_range_of_the_colours(self):
        """Its ends have the end colours, and are pointed where there are values beyond."""
        self.specimen([(2.0, 5.0, 5.0, 1.0), (8.0, 5.0, 5.0, 1.5)])
        tips = {}
        for name, options in (("all", ("--range", "all")), ("above", ("--range", "2:2.5")),
                              ("below", ("--range", "2.5:3")), ("both", ("--range", "2.4:2.6"))):
            _, (width, height, pixels) = self.render("--view", "z", "--size", "300x260", "--dpi", "72",
                                                     "--bare", *options)
            em = 8
            middle = int(width - 6.8 * em + (0.6 + 0.55) * em)  # of the bar
            column = [pixels[y][middle] for y in range(height)]
            ink = [y for y in range(height) if column[y] != WHITE]
            low, high = int(height / 2 + 8 * em) - 3, int(height / 2 - 8 * em) + 3
            for y, colour in ((low, VIRIDIS[0]), (height // 2, VIRIDIS[1]), (high, VIRIDIS[2])):
                # 3 pixels from the ends of 128.
                self.assertLess(max(abs(a - b) for a, b in zip(column[y], colour)), 25, name)
            tips[name] = ink[0] < high - 6, ink[-1] > low + 6
        self.assertEqual(tips, {"all": (False, False), "above": (True, False),
                                "below": (False, True), "both": (True, True)})

    def test_what_can_be_left_out(self):
        """Ink in the corner of the axes, at the scale bar, at the colour bar, on the cell."""
        self.specimen([(5.0, 5.0, 5.0, 1.0)])

        def drawn(*options):
            _, (width, height, pixels) = self.render("--view", "z", "--size", "260x220", "--dpi",
                                                     "54", *options)
            em = 6

            def ink(left, right, top, bottom):
                return any(p != WHITE for row in pixels[int(top):int(bottom)]
                           for p in row[int(left):int(right)])
            bar = width - 6.8 * em
            return (ink(0, 5 * em, height - 5.5 * em, height),
                    ink(bar - 9 * em, bar - 0.5 * em, height - 2.5 * em, height),
                    ink(bar + 1.5 * em, width, 0.2 * height, 0.8 * height))
        self.assertEqual(drawn("--no-cell"), (True, True, True))
        self.assertEqual(drawn("--no-cell", "--no-axes"), (False, True, True))
        self.assertEqual(drawn("--no-cell", "--no-scale"), (True, False, True))
        self.assertEqual(drawn("--bare"), (False, False, True))
        for options, framed in (((), True), (("--no-cell",), False)):
            _, (_, _, pixels) = self.render("--view", "z", "--size", "200x200", "--no-bar",
                                            "--no-axes", "--no-scale", *options)
            lines = [p for row in pixels for p in row if len(set(p)) == 1 and p[0] < 200]
            self.assertEqual(len(lines) > 700, framed)

    def test_backgrounds(self):
        self.specimen([(5.0, 5.0, 5.0, 1.0)])
        for text, corner in (("white", WHITE), ("black", BLACK), ("#0080ff", (0, 128, 255)),
                             ("transparent", (0, 0, 0, 0))):
            _, (_, _, pixels) = self.render("--background", text, "--size", "60x60", *BARE)
            self.assertEqual({pixels[0][0], pixels[59][59]}, {corner}, text)
            self.assertEqual(pixels[26][26][:3], VIRIDIS[1], text)  # a range of one value: the middle
            if text == "transparent":
                self.assertEqual(pixels[26][26][3], 255)
                # Edges are mixed with nothing: not brighter than the outline.
                edge = [p for row in pixels for p in row if 0 < p[3] < 255]
                self.assertTrue(edge)
                self.assertLess(max(max(p[:3]) for p in edge), 128)

    def test_sizes_on_paper(self):
        self.specimen([(5.0, 5.0, 5.0, 1.0)])
        for options, width, height, dpi in (
                (("--width", "8.5cm", "--dpi", "300"), 1004, 753, 300),
                (("--width", "85mm"), 850, 638, 254), (("--height", "2in", "--dpi", "50"), 133, 100, 50),
                (("--width", "8.5 cm", "--height", "99px"), 850, 99, 254),
                (("--width", "72pt", "--height", "100"), 254, 100, 254)):
            done = run("render", "state.h5", "--out", "x.png", "--bare", *options, cwd=self.folder)
            self.assertIn(f" {width}x{height} pixels", done.stdout)
            with open(self.path("x.png"), "rb") as file:
                data = file.read()
            resolution = dict(chunks(data))[b"pHYs"]
            self.assertEqual(struct.unpack(">IIB", resolution), (round(dpi / 0.0254),) * 2 + (1,))

    def test_pdf_and_svg_have_text_as_vectors_over_the_bitmap(self):
        self.specimen([(2.0, 5.0, 5.0, 1.0), (8.0, 5.0, 5.0, 1.5)])
        size = ("--width", "8.5cm", "--dpi", "60")
        for options, name in ((("--pdf",), "state_grains.pdf"), (("--svg",), "state_grains.svg"),
                              (("--out", "a.pdf"), "a.pdf"), (("--out", "b.svg"), "b.svg")):
            done = run("render", "state.h5", *size, *options, cwd=self.folder)
            self.assertTrue(done.stdout.startswith(f"{name}: 201x151 pixels"), done)
        with open(self.path("a.pdf"), "rb") as file:
            pdf = file.read()
        with open(self.path("state_grains.pdf"), "rb") as file:
            self.assertEqual(file.read(), pdf)
        self.assertIn(b"/CreationDate (20000101", pdf)  # not the time of the run
        box = re.search(rb"/MediaBox \[ ?0 0 ([.\d]+) ([.\d]+) ?\]", pdf)
        self.assertAlmostEqual(float(box[1]), 201 * 72 / 60, places=3)
        self.assertAlmostEqual(float(box[2]), 151 * 72 / 60, places=3)
        self.assertRegex(pdf, rb"/Width 201\s+/Height 151")
        self.assertIn(b"/FontFile", pdf)
        tree = xml.etree.ElementTree.parse(self.path("b.svg")).getroot()
        self.assertEqual(tree.get("viewBox"), "0 0 241.2 181.2")
        image = tree.find(".//{http://www.w3.org/2000/svg}image")
        link = image.get("{http://www.w3.org/1999/xlink}href")
        width, height, _ = decode_png(base64.b64decode(link.split(",")[1]))
        self.assertEqual((width, height), (201, 151))
        self.assertGreater(len(tree.findall(".//{http://www.w3.org/2000/svg}use")), 5)  # letters


class CommandLine(RenderTest):
    def test_bad_command_lines(self):
        self.specimen([(5.0, 5.0, 5.0, 1.0)])
        with open(self.path("two.csv"), "w", encoding="utf-8") as file:
            file.write("# cell: 9 0 0 0 9 0 0 0 9\n# periodic: 1 1 1\nx,y,z,radius\n1,1,1,1\n5,5,5,1\n")
        for arguments, needles in (
                ((), ("FILE is missing",)),
                (("state.h5", "state.h5"), ("FILE is already 'state.h5'",)),
                (("absent.h5",), ("absent.h5", "No such file")),
                (("state.h5", "--size", "12"), ("--size: '12' is not WxH", "1200x900")),
                (("state.h5", "--size", "0x5"), ("--size: '0x5' is not WxH",)),
                (("state.h5", "--size", "99999x5"), ("above 16384 pixels",)),
                (("state.h5", "--size", "5x5x"), ("--size: '5x5x'",)),
                (("state.h5", "--view", "isso"), ("--view: 'isso' is not a view", "'iso'")),
                (("state.h5", "--view", "1,2,3"), ("'1,2,3' is not AZIMUTH,ELEVATION",)),
                (("state.h5", "--view", "0,91"), ("elevation '91' is not between -90 and 90",)),
                (("state.h5", "--view", "nan,0"), ("--view",)),
                (("state.h5", "--color", "sise"), ("--color: 'sise'", "'size'")),
                (("state.h5", "--color", "id", "--chains"), ("'id' is a quantity of grains: omit --chains",)),
                (("state.h5", "--color", "force"), ("'force' is a quantity of contacts: add --chains",)),
                (("state.h5", "--chains", "--color", "forse"), ("--color: 'forse'", "'force'")),
                (("state.h5", "--color", "nonaffine"), ("needs --since FILE",)),
                (("state.h5", "--since", "state.h5"), ("--since has no effect without",)),
                (("state.h5", "--field", "porosite"), ("--field: 'porosite' is not a local field", "'porosity'")),
                (("state.h5", "--field", "shear_strain"), ("--field shear_strain needs --since FILE",)),
                (("state.h5", "--field", "porosity", "--chains"), ("--field and --chains exclude each other",)),
                (("state.h5", "--field", "porosity", "--color", "size"), ("--color has no effect with --field",)),
                (("state.h5", "--field", "porosity", "--slice", "a:0:1"), ("--cut chooses the section",)),
                (("state.h5", "--field", "porosity", "--window", "8"), ("window: 16 m is not above 0 and at most 10 m",)),
                (("state.h5", "--color", "porosity"), ("--field porosity draws it",)),
                (("state.h5", "--window", "2"), ("--window has no effect without --field",)),
                (("two.csv", "--field", "pressure"), ("the file has no contacts",)),
                (("state.h5", "--color", "nonaffine", "--since", "absent.h5"), ("absent.h5",)),
                (("state.h5", "--range", "5"), ("--range: '5' is not LOW:HIGH", "0:1 m, 5%:95% or all")),
                (("state.h5", "--range", "5:2"), ("LOW that is not below HIGH",)),
                (("state.h5", "--range", "0:5 kPa"), ("--range: '0:5 kPa' is not LOW:HIGH",)),
                (("state.h5", "--range", "1%:101%"), ("percentiles below 0 or above 100",)),
                (("state.h5", "--range", "0:1", "--color", "id"), ("--range has no effect with --color id",)),
                (("state.h5", "--map", "grey", "--color", "rattlers"), ("--map has no effect",)),
                (("state.h5", "--map", "jet"), ("--map: 'jet' is not a colour map", "viridis")),
                (("state.h5", "--map", "reds", "--grey"), ("--grey and --map exclude each other",)),
                (("state.h5", "--background", "whte"), ("--background: 'whte'", "'white'")),
                (("state.h5", "--background", "#12345"), ("'#12345' is not #rrggbb",)),
                (("state.h5", "--width", "8.5"), ("--width: '8.5' is not a whole number of pixels",)),
                ((".",), ("is a folder", "stages/NAME.h5")),
                (("state.h5", "--width", "8.5 ch"), ("--width: '8.5 ch' is not a length such as 8.5cm",)),
                (("state.h5", "--width", "-3cm"), ("--width: '-3cm'",)),
                (("state.h5", "--width", "3m"), ("--width: '3m'",)),
                (("state.h5", "--width", "20000"), ("above 16384 pixels",)),
                (("state.h5", "--dpi", "0"), ("--dpi: '0' must be greater than 0",)),
                (("state.h5", "--font", "Sans,zero"), ("--font: the size 'zero'",)),
                (("state.h5", "--pdf", "--svg"), ("--pdf and --svg exclude each other",)),
                (("state.h5", "--pdf", "--out", "x.png"), ("--pdf: --out 'x.png' has another ending",)),
                (("state.h5", "--above", "1"), ("--above has no effect without --chains",)),
                (("state.h5", "--chains", "--above", "0"), ("--above: '0' must be greater than 0",)),
                (("state.h5", "--grains", "--field", "porosity"), ("--field and --grains exclude each other",)),
                (("state.h5", "--slice", "d:0:1"), ("--slice: 'd:0:1' is not EDGE:FROM:TO",)),
                (("state.h5", "--slice", "a:0"), ("--slice: 'a:0'",)),
                (("state.h5", "--slice", "a:1:0"), ("FROM '1' is not below TO '0'",)),
                (("state.h5", "--cut", "d:0.5"), ("--cut: 'd:0.5' is not EDGE:AT",)),
                (("state.h5", "--cut", "b:1.5"), ("between 0 and 1",)),
                (("state.h5", "--cut", "b:0.5", "--chains"), ("--cut has no effect with --chains",)),
                (("state.h5", "--out", "x.jpg"), ("--out: 'x.jpg' is not FILE.png, FILE.pdf or FILE.svg",)),
                (("state.h5", "--chain"), ("no contacts",)),
                (("state.h5", "--clor", "id"), ("did you mean '--color'",))):
            self.assert_refused(run("render", *arguments, cwd=self.folder), "twirl render: ",
                                *needles)
        self.assertEqual(sorted(os.listdir(self.folder)), ["state.csv", "state.h5", "two.csv"])

    def test_a_file_that_cannot_be_written(self):
        self.specimen([(5.0, 5.0, 5.0, 1.0)])
        for kind in ("png", "pdf", "svg"):
            done = run("render", "state.h5", "--out", f"absent/x.{kind}", "--size", "9x9",
                       cwd=self.folder)
            self.assert_refused(done, f"cannot write absent/x.{kind}: No such file", status=1)
            os.symlink("/dev/full", self.path(f"full.{kind}"))
            done = run("render", "state.h5", "--out", f"full.{kind}", "--size", "99x99",
                       cwd=self.folder)
            self.assert_refused(done, f"cannot write full.{kind}: No space left", status=1)


if __name__ == "__main__":
    unittest.main()
