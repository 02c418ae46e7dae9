# SPDX-License-Identifier: BSD-3-Clause
"""Bad input ends with a LAMMPS error that names the command and what is expected."""

import unittest

from lmp import LammpsTest

GOOD = {
    "atoms": "atom_style sphere",
    "boundary": "p p p",
    "comm": "comm_modify vel yes",
    "style": "pair_style twirl law exact",
    "coeff": "pair_coeff * * 1.0 1.0 0.5 0.1",
    "fix": "fix move all nve/sphere",
    "run": "run 0",
}

SCRIPT = """
units lj
{atoms}
boundary {boundary}
{comm}
region box block 0 4 0 4 0 4
create_box 2 box
create_atoms 1 single 1 1 1
create_atoms 2 single 1.99 1 1
mass * 1
{style}
{coeff}
{fix}
{run}
"""


class Errors(LammpsTest):
    def error_of(self, **changes):
        """The error line of a script with some lines changed."""
        lines = {**GOOD, **changes}
        script = SCRIPT.format(**lines)
        if "sphere" in lines["atoms"]:
            script = script.replace("mass * 1\n", "set group all diameter 1 density 1\n")
        output = self.lammps.run(script, check=False)
        errors = [line for line in output.splitlines() if line.startswith("ERROR")]
        return errors[0] if errors else ""

    def test_the_good_script_runs(self):
        self.assertEqual(self.error_of(), "")

    def test_every_mistake_is_named(self):
        cases = [
            (dict(coeff=""), "coeffs are not set"),
            (dict(coeff="pair_coeff 1 1 1.0 1.0 0.5"), "coeffs are not set"),
            (dict(coeff="pair_coeff * * 1.0 1.0"), "pair_coeff command: kn kt mu expected"),
            (dict(coeff="pair_coeff * * -1.0 1.0 0.5"), "pair_coeff command: kn must be"),
            (dict(coeff="pair_coeff * * 0.0 1.0 0.5"), "pair_coeff command: kn must be"),
            (dict(coeff="pair_coeff * * 1.0 -1.0 0.5"), "pair_coeff command: kt must be"),
            (dict(coeff="pair_coeff * * 1.0 1.0 -0.5"), "pair_coeff command: friction must be"),
            (dict(coeff="pair_coeff * * 1.0 1.0 0.5 -1"), "pair_coeff command: nu_n must be"),
            (dict(coeff="pair_coeff * * 1.0 1.0 half"), "mu must be a finite number, not 'half'"),
            (dict(coeff="pair_coeff * * herz 1 1 0.5"), "unknown law 'herz'; expected a number, kn, or one of linear, linear/radius, linear/material, hertz"),
            (dict(coeff="pair_coeff * * hertz/material 1 0.2"), "hertz/material young poisson mu expected"),
            (dict(coeff="pair_coeff * * hertz/material 1 0.2 0.5 nu_n 1"), "nu_n and nu_t are for linear springs"),
            (dict(coeff="pair_coeff * * 1 1 0.5 rolling 1"), "unknown keyword 'rolling'; expected restitution"),
            (dict(coeff="pair_coeff * * 1 1 0.5 nu_n 1 restitution 0.5"), "not both"),
            (dict(coeff="pair_coeff * * hertz 1 1 0.5 restitution 1"), "unknown keyword 'restitution'; expected nu_n"),
            (dict(coeff="pair_coeff 1 1 hertz 1 1 0.5\npair_coeff 2 2 hertz 1 1 0.5"), "give pair_coeff 1 2"),
            (dict(coeff="pair_coeff * * hertz 1 1 0.5\npair_coeff 2 2 linear 1 1 0.5"), "all pairs must have linear springs"),
            (dict(style="pair_style twirl law paper", coeff="pair_coeff * * hertz 1 1 0.5"), "the law of the paper is linear"),
            (dict(fix="fix floor all wall/twirl type 3 plane 0 0 0 0 0 1"), "type must be followed by an atom type, 1 to 2"),
            (dict(boundary="p p f", fix="fix floor all wall/twirl type 2 plane 0 0 0 0 0 1 law exact"), "with type, law is that of"),
            (dict(style="pair_style twirl law exactly"), "pair_style twirl command: unknown law"),
            (dict(style="pair_style twirl without tlit"), "unknown refinement 'tlit'"),
            (dict(style="pair_style twirl laws exact"), "keyword 'laws'"),
            (dict(style="pair_style twirl law"), "law needs a value"),
            (dict(style="pair_style twirl save end.contacts"), "'save' was removed"),
            (dict(style="pair_style twirl contacts none.contacts"), "none.contacts"),
            (dict(atoms="atom_style atomic", fix="fix move all nve"), "atom_style sphere"),
            (dict(comm=""), "comm_modify vel yes"),
            (dict(run="minimize 1e-4 1e-4 10 10"), "cannot be used with minimize"),
            (dict(run="run_style respa 2 2\nrun 1"), "respa"),
            (dict(run="run 0\nunfix TWIRL_MEMORY_1\nrun 0"), "has lost its fix TWIRL_MEMORY_1"),
            (dict(fix="fix floor all wall/twirl 1 1 0.5"), "wall/twirl kn kt mu [nu] ... plane"),
            (dict(fix="fix floor all wall/twirl 0 1 0.5 0 plane 0 0 0 0 0 1"), "kn must be"),
            (dict(fix="fix floor all wall/twirl 1 1 0.5 0 plane 0 0 0 0 0 0"), "the normal is zero"),
            (dict(fix="fix floor all wall/twirl 1 1 0.5 0 plane 0 0 0 0 0 1 speed 1"), "'speed'"),
        ]
        for changes, words in cases:
            with self.subTest(**changes):
                self.assertIn(words, self.error_of(**changes))

    def test_a_wall_not_parallel_to_a_periodic_direction(self):
        cases = [
            ("p p p", "0 0 1", "z"),
            ("p p f", "0 0 -2", None),
            ("p p f", "0 0.1 1", "y"),
            ("p p s", "1e-6 0 1", "x"),
            ("f p f", "0.3 0 1", None),
            ("f p p", "0.3 0 1", "z"),
            ("f f f", "1 2 3", None),
        ]
        for boundary, normal, direction in cases:
            with self.subTest(boundary=boundary, normal=normal):
                wall = f"fix floor all wall/twirl 1 1 0.5 0 plane -9 -9 -9 {normal}"
                error = self.error_of(boundary=boundary, fix=wall)
                if direction is None:
                    self.assertEqual(error, "")
                else:
                    self.assertIn(f"the normal of wall floor has a component along the periodic direction {direction}", error)
                    self.assertIn(f"make {direction} non-periodic", error)

    def test_files_of_contacts(self):
        good = "1 2 1 0 0 0.01 0 0.001 0\n"
        cases = [
            ("1\n" + good, ""),
            ("# a comment\n1 # and one\n\n" + good.strip() + " 0 0 0\n", ""),
            ("2\n" + good, "number of contacts"),
            ("1 fr fw\n" + good.strip() + " 0 0 0 0\n", ""),
            ("1 fr fw\n" + good, "line 2: 13 numbers expected, found 9"),
            ("1 fr mt\n" + good, "line 1: expected the number of contacts, then names of columns: fr, fw, drag"),
            ("1\n1 2 1 0 0 0.01\n", "line 2: 9 numbers expected, found 6"),
            ("1\n1 2 1 0 0 0.01 0 x 0\n", "line 2: 'x' is not a finite number"),
            ("1\n1 2 2 0 0 0.01 0 0 0\n", "line 2: the normal is not a unit vector"),
            ("1\n1 2 1 0 0 -0.01 0 0 0\n", "line 2: the overlap must be"),
            ("1\n1 0 1 0 0 0.01 0 0 0\n", "line 2: atom ids"),
            ("1\n1 3 1 0 0 0.01 0 0 0\n", "line 2: atoms 1 and 3 do not touch"),
            ("1\n1 2 0 1 0 0.01 0 0 0\n", "line 2: atoms 1 and 2 do not touch"),
            ("1\n1 2 1 0 0 0.02 0 0 0\n", "line 2: atoms 1 and 2 do not touch"),
        ]
        for text, words in cases:
            with self.subTest(text=text):
                (self.lammps.folder / "some.contacts").write_text(text)
                error = self.error_of(style="pair_style twirl contacts some.contacts")
                self.assertIn(words, error)
                if not words:
                    self.assertEqual(error, "")


if __name__ == "__main__":
    unittest.main()
