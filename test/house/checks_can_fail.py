#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plants violations of the house rules and sees that the tools report them, and nothing else.

    checks_can_fail.py TOOLS_FOLDER C_COMPILER
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS, COMPILER = Path(sys.argv[1]), sys.argv[2]

# A small tree that keeps every rule.
CLEAN = {
    "include/twirl/vec3.h": "#include <math.h>\n",
    "include/twirl/contact.h": "#include <stddef.h>\n#include <twirl/vec3.h>\n",
    "include/twirl/sim.h": "#include <twirl/contact.h>\n",
    "src/base/quat.h": "#include <twirl/vec3.h>\n",
    "src/base/quat.c": '#include "base/quat.h"\n#include <stdlib.h>\n',
    "src/contact/contact.c": "#include <twirl/contact.h>\n#include <string.h>\n",
    "src/shape/sphere.h": '#include "base/quat.h"\n',
    "src/world/world.c": '#include "shape/sphere.h"\n#include <twirl/contact.h>\n',
    "src/exchange/vtk.c": "#include <stdio.h>\n#include <twirl/sim.h>\n",
    "apps/twirl/main.c": '#include "args.h"\n#include <twirl/sim.h>\n',
    "apps/twirl/args.h": "/* #include \"base/quat.h\" in a comment is no include */\n",
    "plugins/lammps/pair.cpp": "#include <twirl/contact.h>\n",
}

# What is planted (file, text), and the line and words with which it must be reported.
PLANTED = {
    "upward": ("src/base/bad.c", '\n#include "shape/sphere.h"\n', "src/base/bad.c:2:", "layer 1"),
    "sideways": ("src/shape/bad.c", "#include <twirl/contact.h>\n", "src/shape/bad.c:1:", "contact"),
    "kernel sees base": ("src/contact/bad.c", '#include "base/quat.h"\n',
                         "src/contact/bad.c:1:", "kernel's public headers"),
    "kernel does I/O": ("src/contact/bad.c", "#include <stdio.h>\n",
                        "src/contact/bad.c:1:", "<stdio.h>"),
    "kernel header does I/O": ("include/twirl/contact_inline.h", "#include <stdlib.h>\n",
                               "include/twirl/contact_inline.h:1:", "<stdlib.h>"),
    "app sees internals": ("apps/twirl/bad.c", '#include "base/quat.h"\n',
                           "apps/twirl/bad.c:1:", "public headers only"),
    "app sees internals by path": ("apps/twirl/bad.c", '#include "../../src/base/quat.h"\n',
                                   "apps/twirl/bad.c:1:", "public headers only"),
    "exchange sees internals": ("src/exchange/bad.c", '/* x\n y */\n#include "base/quat.h"\n',
                                "src/exchange/bad.c:3:", "public headers only"),
    "plugin sees the engine": ("plugins/lammps/bad.cpp", "#include <twirl/sim.h>\n",
                               "plugins/lammps/bad.cpp:1:", "kernel's public headers"),
    "public sees internal": ("include/twirl/types.h", '#include "base/quat.h"\n',
                             "include/twirl/types.h:1:", "public header includes internal"),
    "public header by quotes": ("src/base/bad.c", '#include "twirl/vec3.h"\n',
                                "src/base/bad.c:1:", "<twirl/vec3.h>"),
    "no such file": ("src/base/bad.c", '#include "gone.h"\n', "src/base/bad.c:1:", "not found"),
    "by macro": ("src/base/bad.c", "#include NAME\n", "src/base/bad.c:1:", "cannot be checked"),
    "unknown folder": ("src/attic/bad.c", "int x;\n", "src/attic/bad.c:1:", "no place"),
    "unknown public header": ("include/twirl/odd.h", "\n", "include/twirl/odd.h:1:", "no place"),
    "cycle": ("src/base/quat.h", '#include "base/quat.h"\n', "src/base/quat.h:1:", "include cycle"),
}


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


class Case(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)

    def write(self, files):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


class Layers(Case):
    def check(self):
        done = run(sys.executable, TOOLS / "check_layers", self.root)
        return done.returncode, done.stdout.splitlines()[:-1]

    def test_clean_tree_passes(self):
        self.write(CLEAN)
        self.assertEqual(self.check(), (0, []))

    def test_each_planted_violation_is_the_one_reported(self):
        for name, (path, text, where, words) in PLANTED.items():
            with self.subTest(name):
                self.write(CLEAN)
                self.write({path: text})
                status, lines = self.check()
                self.assertEqual(status, 1)
                self.assertEqual(len(lines), 1, lines)
                self.assertTrue(lines[0].startswith(where) and words in lines[0], lines)
                (self.root / path).unlink()

    def test_long_cycle_is_reported(self):
        self.write(CLEAN)
        self.write({"src/base/a.h": '#include "base/b.h"\n', "src/base/b.h": '#include "c.h"\n',
                    "src/base/c.h": '#include "base/a.h"\n'})
        status, lines = self.check()
        self.assertEqual(status, 1)
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("src/base/a.h -> src/base/b.h -> src/base/c.h -> src/base/a.h", lines[0])

    def test_empty_tree_is_no_pass(self):
        self.assertNotEqual(self.check()[0], 0)


class Symbols(Case):
    def check(self, source):
        self.write({"a.c": source})
        archive, shared = self.root / "liba.a", self.root / "liba.so"
        archive.unlink(missing_ok=True)
        for command in ((COMPILER, "-c", "-fPIC", self.root / "a.c", "-o", self.root / "a.o"),
                        ("ar", "rcs", archive, self.root / "a.o"),
                        (COMPILER, "-shared", self.root / "a.o", "-o", shared)):
            done = run(*command)
            self.assertEqual(done.returncode, 0, done.stderr)
        done = run(sys.executable, TOOLS / "check_symbols", "--stateless", archive, shared)
        return done.returncode, done.stdout

    def test_clean_library_passes(self):
        status, text = self.check("static const char *const names[] = {\"a\", \"b\"};\n"
                                  "const char *tw_name(int i) { return names[i]; }\n"
                                  "static int twice(int i) { return 2 * i; }\n"
                                  "int tw_twice(int i) { return twice(i); }\n")
        self.assertEqual(status, 0, text)

    def test_foreign_name_is_reported(self):
        status, text = self.check("int helper(void) { return 1; }\nint tw_x(void) { return 1; }\n")
        self.assertEqual(status, 1)
        self.assertEqual(text.count("external symbol helper"), 2, text)  # both libraries

    def test_writable_data_is_reported(self):
        for line in ("int tw_global = 1;", "int tw_global;", "static int count; ",
                     "static int count = 3;", "static _Thread_local int count;"):
            with self.subTest(line):
                name = "tw_global" if "tw_global" in line else "count"
                status, text = self.check(f"{line}\nint tw_next(void) {{ return ++{name}; }}\n")
                self.assertEqual(status, 1, text)
                self.assertIn(f"writable data {name}", text)


class Arithmetic(Case):
    def check(self, source):
        """On an object, an archive and a shared library of it; what is said of each."""
        self.write({"a.c": source})
        paths = self.root / "a.o", self.root / "liba.a", self.root / "liba.so"
        paths[1].unlink(missing_ok=True)
        for command in ((COMPILER, "-c", "-fPIC", "-fno-builtin", self.root / "a.c", "-o", paths[0]),
                        ("ar", "rcs", paths[1], paths[0]),
                        (COMPILER, "-shared", paths[0], "-o", paths[2], "-lm")):
            done = run(*command)
            self.assertEqual(done.returncode, 0, done.stderr)
        done = run(sys.executable, TOOLS / "check_symbols", "--exact", *paths)
        return done.returncode, done.stdout

    def test_exact_functions_pass(self):
        status, text = self.check("#include <math.h>\n#include <stdlib.h>\ndouble tw_x(double x) {"
                                  "return sqrt(x) + floor(x) + ldexp(x, 3) + fmod(x, 2) + abs(2); }\n")
        self.assertEqual(status, 0, text)

    def test_each_call_that_is_not_exact_is_reported(self):
        for call in ("exp(x)", "sin(x)", "pow(x, x)", "fma(x, x, x)", "fmin(x, 1)", "fmax(x, 1)",
                     "log1p(x)", "expf(x)", "logl(x)"):
            with self.subTest(call):
                status, text = self.check("#include <math.h>\ndouble tw_x(double x) { "
                                          f"return (double)({call} + sqrt(x)); }}\n")
                self.assertEqual(status, 1, text)
                name = call.split("(")[0]
                self.assertEqual(text.count(f"calls {name} of libm"), 3, text)


@unittest.skipUnless(shutil.which("clang-format"), "clang-format is not installed")
class Format(Case):
    def check(self, text):
        self.write({"src/base/a.c": text, "tools/check_format": ""})
        tool = self.root / "tools/check_format"
        shutil.copy(TOOLS / "check_format", tool)
        shutil.copy(TOOLS.parent / ".clang-format", self.root)
        return run(tool).returncode

    def test_only_formatted_sources_pass(self):
        self.assertEqual(self.check("int tw_x(void)\n{\n    return 1;\n}\n"), 0)
        self.assertEqual(self.check("int tw_x(void) { return 1; }\n"), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
