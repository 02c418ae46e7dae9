# SPDX-License-Identifier: BSD-3-Clause
"""twirl contact: valid and invalid input."""

import math
import os
import random
import tempfile
import unittest

from cli import COLUMNS, GOOD, HEADER, LAW, SCALE, TURNS, ContactTest, run, table


class Reading(ContactTest):
    def setUp(self):
        rng = random.Random(2)
        self.path = []
        for _ in range(40):
            normal = [rng.gauss(0, 0.1), rng.gauss(0, 0.1), 1.0]
            length = math.hypot(*normal)
            row = {name: rng.gauss(0, 0.3) for name in COLUMNS + TURNS}
            row.update(zip(("nx", "ny", "nz"), (x / length for x in normal)))
            self.path.append(row)
        self.text = table(self.path, COLUMNS + TURNS)
        self.output = run("contact", *LAW, text=self.text).stdout

    def assert_same(self, text, *options):
        done = run("contact", *LAW, *options, text=text)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, self.output)

    def test_path_has_all_kinds_of_steps(self):
        rows = self.rows_of(self.output)
        self.assertEqual(len(rows), len(self.path))
        for kind in (lambda r: r["fn"] == 0, lambda r: r["sliding"] == 1,
                     lambda r: r["fn"] > 0 and r["sliding"] == 0, lambda r: r["alpha_o"] > 0):
            self.assertTrue(any(map(kind, rows)))

    def test_columns_in_any_order(self):
        columns = COLUMNS + TURNS
        rng = random.Random(3)
        for _ in range(5):
            rng.shuffle(columns)
            self.assert_same(table(self.path, columns))

    def test_spaces_tabs_crlf_bom_comments_blank_lines_and_no_last_newline(self):
        self.assert_same(self.text.replace(",", " ,\t "))
        self.assert_same(self.text.replace("\n", "\r\n"))
        self.assert_same("\ufeff" + self.text)
        self.assert_same("# a path\n\n  \t\n" + self.text.replace("\n", "\n\n# 1,2,nonsense\n"))
        self.assert_same("\ufeff# a path\r\n" + self.text)
        self.assert_same(self.text.rstrip("\n"))
        self.assert_same("#" + "x" * 200000 + "\n" + self.text)

    def test_absent_rotations_are_zero(self):
        def given(row, names):
            return {name: row[name] for name in names}
        p, q = TURNS[:3], TURNS[3:]
        for present in ([], p, q):
            short = table(self.path, COLUMNS + present)
            full = table([given(row, COLUMNS + present) for row in self.path], COLUMNS + TURNS)
            self.assertEqual(run("contact", *LAW, text=short).stdout,
                             run("contact", *LAW, text=full).stdout)

    def test_file_dash_and_stdin_are_the_same(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write(self.text)
            file.flush()
            self.assert_same("", file.name)
        self.assert_same(self.text, "-")

    def test_locale_does_not_matter(self):
        done = run("contact", *LAW, text=self.text, env={"LC_ALL": "de_DE.UTF-8", "LOCPATH": os.environ.get("TWIRL_LOCALES", "")})
        self.assertEqual(done.stdout, self.output)

    def test_options_in_other_forms(self):
        self.assert_same(self.text, "--law=exact", "--without", "", "--nu=0", "--kn", "+1e0")
        self.assert_same(self.text, "--la", "exact", "--with=")

    def test_without_takes_lists_and_repetitions(self):
        one = run("contact", *LAW, "--without", "tilt,twirl", text=self.text).stdout
        two = run("contact", *LAW, "--without", "twirl", "--without", "tilt", text=self.text).stdout
        self.assertEqual(one, two)
        self.assertNotEqual(one, self.output)


class Refusing(ContactTest):
    def assert_refuses(self, text, *needles, rows=0):
        """Status 2, the needles, and only the rows before the bad one."""
        done = run("contact", *LAW, text=text)
        self.assert_refused(done, "twirl contact: stdin:", *needles)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        if rows == 0:
            self.assertEqual(done.stdout, "")
        else:
            self.assertEqual(len(self.rows_of(done.stdout)), rows)

    def test_bad_headers(self):
        self.assert_refuses("", "no header", "name the columns")
        self.assert_refuses("# only\n\n", "no header")
        self.assert_refuses(HEADER.replace("dux", "dxu") + GOOD, "stdin:1:",
                            "unknown column 'dxu'", "'dux'")
        self.assert_refuses(HEADER.replace("zeta", "ZETA") + GOOD, "stdin:1:", "'ZETA'", "'zeta'")
        self.assert_refuses("\n#\n" + HEADER.replace("nz", "nzz") + GOOD, "stdin:3:", "'nzz'", "'nz'")
        self.assert_refuses(HEADER.replace("duz", "dux") + GOOD, "stdin:1:",
                            "column 'dux' appears twice")
        self.assert_refuses("zeta,nx,ny,nz,dux,duy\n", "stdin:1:", "column 'duz' is missing")
        self.assert_refuses(HEADER.replace("\n", ",\n") + GOOD, "stdin:1:", "unknown column ''")
        self.assert_refuses(HEADER.replace("\n", ",tpx,tpz\n") + GOOD, "stdin:1:",
                            "column 'tpy' is missing", "'tpx'")
        self.assert_refuses(HEADER.replace("\n", ",tqy\n") + GOOD, "stdin:1:",
                            "column 'tqx' is missing", "'tqy'")
        self.assert_refuses(GOOD, "stdin:1:", "'1' is a number", "header is missing")
        self.assert_refuses("ze\0ta" + HEADER[4:] + GOOD, "stdin:1:", r"'ze\x00ta'")
        self.assert_refuses(HEADER.replace(",", ";") + GOOD, "stdin:1:", "unknown column")

    def test_no_rows(self):
        self.assert_refuses(HEADER, "stdin:1:", "no row after the header", "initial state")

    def test_bad_fields(self):
        for field, needle in (("abc", "'abc' is not a number"), ("", "'' is not a number"),
                              ("1e", "'1e' is not a number"), ("1 2", "'1 2' is not a number"),
                              ("1.5.2", "is not a number"), ("--1", "is not a number"),
                              ("nan", "'nan' is not a finite number"),
                              ("-inf", "'-inf' is not a finite number"),
                              ("1e999", "'1e999' is beyond the range of a double"),
                              ("1\0", r"'1\x00' contains a NUL byte"), ("\0", r"'\x00' contains a NUL"),
                              ("\x1b[2J", r"'\x1b[2J' is not a number"),
                              ("x" * 500, "xxx...'"), ("3\r", r"'3\x0d' is not a number")):
            for index, name in enumerate(COLUMNS):
                fields = GOOD.strip().split(",")
                fields[index] = field
                bad = ",".join(fields) + "\n"
                if field == "3\r" and name == "duz":
                    continue  # a line end
                self.assert_refuses(HEADER + GOOD + "# comment\n" + GOOD + bad + GOOD, "stdin:5:",
                                    f"column '{name}': ", needle, rows=2)

    def test_bad_field_in_the_starting_row(self):
        self.assert_refuses(HEADER + "1,0,0,1,oops,0,0\n" + GOOD, "stdin:2:", "column 'dux'", "'oops'")

    def test_too_few_and_too_many_fields(self):
        self.assert_refuses(HEADER + GOOD + "1,0,0,1,0\n", "stdin:3:", "column 'duy'", "5 of 7 fields",
                            "7", rows=1)
        self.assert_refuses(HEADER + GOOD + "1\n", "stdin:3:", "column 'nx'", rows=1)
        self.assert_refuses(HEADER + GOOD + GOOD.strip() + ",9\n", "stdin:3:", "'9'",
                            "column 'duz'", "7", rows=1)
        self.assert_refuses(HEADER + GOOD.strip() + ",\n", "stdin:2:", "column 'duz'")

    def test_normal_that_is_not_a_unit_vector(self):
        for bad, length in (("1,0,0,2,0,0,0\n", "2"), ("1,0,0,0,0,0,0\n", "0"),
                            ("1,0.6,0.6,0.6,0,0,0\n", "1.03923048"),
                            ("1,0,0,1.0000011,0,0,0\n", "1.0000011"),
                            ("1,1e300,1e300,0,0,0,0\n", "1.41421356e+300"),
                            ("1,1e-200,0,0,0,0,0\n", "1e-200")):
            self.assert_refuses(HEADER + GOOD + bad, "stdin:3:", "'nx', 'ny', 'nz'",
                                f"is {length},", "1 within 1e-6", rows=1)

    def test_endless_line(self):
        self.assert_refuses(HEADER + GOOD + "1" * 70000 + "\n", "stdin:3:",
                            "exceeds the limit of 65535 bytes", rows=1)
        self.assert_refuses("z" * 70000, "stdin:1:", "exceeds the limit of 65535 bytes")

    def test_file_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "path.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write(HEADER + GOOD + "1,0,0,1,abc,0,0\n")
            self.assertEqual(run("contact", *LAW, path).stderr,
                             f"twirl contact: {path}:3: column 'dux': 'abc' is not a number\n")
            missing = os.path.join(folder, "missing.csv")
            self.assert_refused(run("contact", *LAW, missing),
                                f"twirl contact: {missing}: No such file")
            self.assert_refused(run("contact", *LAW, folder), f"{folder}: Is a directory")

    def test_bad_options(self):
        law = dict(zip(LAW[::2], LAW[1::2]))
        for change, needles in (
                ({"--kn": None}, ("--kn is missing",)),
                ({"--kt": None}, ("--kt is missing",)),
                ({"--mu": None}, ("--mu is missing",)),
                ({"--kn": "abc"}, ("--kn: 'abc' is not a number",)),
                ({"--kn": "1x"}, ("--kn: '1x' is not a number",)),
                ({"--mu": "nan"}, ("--mu: 'nan' is not a finite number",)),
                ({"--kt": "1e999"}, ("--kt: '1e999' is beyond",)),
                ({"--kn": ""}, ("--kn: '' is not a number",)),
                ({"--kn": "0"}, ("kn must be", "--kn 0 ")),
                ({"--kn": "-1"}, ("kn must be", "--kn -1 ")),
                ({"--kt": "-2"}, ("kt must be", "--kt -2 ")),
                ({"--mu": "-0.5"}, ("mu must be", "--mu -0.5")),
                ({"--nu": "-3", "--dt": "1"}, ("nu_n must be", "--nu -3")),
                ({"--nu": "3"}, ("--dt is missing",)),
                ({"--dt": "0"}, ("--dt: '0' must be greater than 0",)),
                ({"--dt": "-1"}, ("--dt: '-1' must be greater than 0",)),
                ({"--law": "exat"}, ("--law: 'exat' is not a law", "'exact'", "conventional")),
                ({"--without": "tilt,twril"}, ("--without: 'twril' is not", "'twirl'", "instant")),
                ({"--without": "tilt,,twirl"}, ("--without: '' is not a refinement",)),
                ({"--without": "tilt twirl"}, ("--without: 'tilt twirl' is not",))):
            options = [word for name, value in {**law, **change}.items() if value is not None
                       for word in (name, value)]
            done = run("contact", *options, text=HEADER + GOOD)
            self.assert_refused(done, "twirl contact: ", *needles)
            self.assertEqual(done.stdout, "")
        self.assert_refused(run("contact", *LAW, "a.csv", "b.csv"), "FILE is already 'a.csv'", "'b.csv'")
        self.assert_refused(run("contact", *LAW, "--kn"), "--kn", "requires an argument")

    def test_damaged_input_gives_rows_or_an_error(self):
        rng = random.Random(4)
        whole = (HEADER + 8 * GOOD).encode()
        for _ in range(round(200 * max(SCALE, 0.25))):
            text = bytearray(whole)
            for _ in range(rng.randint(1, 4)):
                at = rng.randrange(len(text))
                text[at:at + rng.randint(0, 3)] = rng.choice(
                    (b",", b"\n", b"\0", b"\xff", b"e9", b"-", b"#", b"\r", b'"', rng.randbytes(3)))
            done = run("contact", *LAW, text=bytes(text))
            self.assertIn(done.returncode, (0, 2), done.stderr)
            self.assertEqual(done.returncode == 2, done.stderr.startswith("twirl contact: stdin:"))
            if done.stdout:
                self.rows_of(done.stdout)


if __name__ == "__main__":
    unittest.main()
