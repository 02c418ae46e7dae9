#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plants violations of the house rules and checks that the tools report exactly these.

    checks_can_fail.py TOOLS_FOLDER C_COMPILER [CLASS...]
"""

import hashlib
import importlib.machinery
import importlib.util
import io
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

TOOLS, COMPILER = Path(sys.argv[1]), sys.argv[2]
VERSION = ".".join(re.findall(r"#define TW_VERSION_[A-Z]+ (\d+)", (TOOLS.parent / "include/twirl/version.h").read_text()))
LIBRARIES = f"debian/libtwirl{VERSION.rpartition('.')[0]}.install"

# A small tree that follows all rules.
CLEAN = {
    "include/twirl/vec3.h": "#include <math.h>\n",
    "include/twirl/contact.h": "#include <stddef.h>\n#include <twirl/vec3.h>\n",
    "include/twirl/sim.h": "#include <twirl/contact.h>\n",
    "include/twirl/detail/vec3_ops.inc": "#include <math.h>\n",
    "src/base/lanes.h": "#include <twirl/detail/vec3_ops.inc>\n",
    "src/base/quat.h": "#include <twirl/vec3.h>\nint tw_quat_turn(int (*f)(int), int x);\n"
                       "static inline int tw_quat_norm(int x)\n{\n    return x;\n}\n",
    "src/base/quat.c": '#include "base/quat.h"\n#include <stdlib.h>\n'
                       "int tw_quat_turn(int (*f)(int), int x)\n{\n    return f(x);\n}\n",
    "src/contact/contact.c": "#include <twirl/contact.h>\n#include <string.h>\n",
    "src/shape/sphere.h": '#include "base/quat.h"\n',
    "src/world/world.c": '#include "shape/sphere.h"\n#include <twirl/contact.h>\n',
    "src/exchange/vtk.c": "#include <stdio.h>\n#include <twirl/sim.h>\n",
    "apps/twirl/main.c": '#include "args.h"\n#include "base/quat.h"\n#include <twirl/sim.h>\n',
    "apps/twirl/args.h": "/* #include \"base/quat.h\" in a comment is no include */\n",
    "plugins/lammps/pair.cpp": "#include <twirl/contact.h>\n",
}

# Planted file and text, and the line and words of the expected report.
PLANTED = {
    "upward": ("src/base/bad.c", '\n#include "shape/sphere.h"\n', "src/base/bad.c:2:", "layer 1"),
    "sideways": ("src/shape/bad.c", "#include <twirl/contact.h>\n", "src/shape/bad.c:1:", "contact"),
    "kernel sees base": ("src/contact/bad.c", '#include "base/quat.h"\n',
                         "src/contact/bad.c:1:", "kernel's public headers"),
    "kernel does I/O": ("src/contact/bad.c", "#include <stdio.h>\n",
                        "src/contact/bad.c:1:", "<stdio.h>"),
    "kernel header does I/O": ("include/twirl/contact_inline.h", "#include <stdlib.h>\n",
                               "include/twirl/contact_inline.h:1:", "<stdlib.h>"),
    "app sees internals": ("apps/twirl/bad.c", '#include "shape/sphere.h"\n',
                           "apps/twirl/bad.c:1:", "src/base only"),
    "app sees internals by path": ("apps/twirl/bad.c", '#include "../../src/shape/sphere.h"\n',
                                   "apps/twirl/bad.c:1:", "src/base only"),
    "exchange sees internals": ("src/exchange/bad.c", '/* x\n y */\n#include "shape/sphere.h"\n',
                                "src/exchange/bad.c:3:", "src/base only"),
    "plugin sees the base": ("plugins/lammps/bad.cpp", '#include "base/quat.h"\n',
                             "plugins/lammps/bad.cpp:1:", "kernel's public headers"),
    "plugin sees the engine": ("plugins/lammps/bad.cpp", "#include <twirl/sim.h>\n",
                               "plugins/lammps/bad.cpp:1:", "kernel's public headers"),
    "python sees the base": ("python/bad.c", '#include "base/quat.h"\n', "python/bad.c:1:", "public headers only"),
    "public sees internal": ("include/twirl/types.h", '#include "base/quat.h"\n',
                             "include/twirl/types.h:1:", "public header includes internal"),
    "public header by quotes": ("src/base/bad.c", '#include "twirl/vec3.h"\n',
                                "src/base/bad.c:1:", "<twirl/vec3.h>"),
    "plugin sees detail": ("plugins/lammps/bad.cpp", "#include <twirl/detail/vec3_ops.inc>\n",
                           "plugins/lammps/bad.cpp:1:", "not interface"),
    "engine sees detail": ("src/world/bad.c", "#include <twirl/detail/vec3_ops.inc>\n",
                           "src/world/bad.c:1:", "not interface"),
    "no such file": ("src/base/bad.c", '#include "gone.h"\n', "src/base/bad.c:1:", "not found"),
    "by macro": ("src/base/bad.c", "#include NAME\n", "src/base/bad.c:1:", "cannot be checked"),
    "unknown folder": ("src/attic/bad.c", "int x;\n", "src/attic/bad.c:1:", "no place"),
    "unknown public header": ("include/twirl/odd.h", "\n", "include/twirl/odd.h:1:", "no place"),
    "header includes itself": ("src/base/bad.h", '#include "base/bad.h"\n', "src/base/bad.h:1:",
                               "module cycle: src/base/bad.h includes src/base/bad.h"),
    "another's function": ("src/sim/bad.h", "\nint tw_quat_turn(int (*f)(int), int x);\n",
                           "src/sim/bad.h:2:", "declares tw_quat_turn, which is defined in src/base/quat.c"),
    "function without definition": ("src/base/bad.h", "/* x */ int tw_bad(int x)\n    __attribute__((const));\n",
                          "src/base/bad.h:1:", "declares tw_bad, which is defined in no file"),
    "function of another folder": ("include/twirl/sim.h", 'extern "C" {\nint tw_quat_turn(int x);\n}\n',
                                   "include/twirl/sim.h:2:", "defined in src/base/quat.c"),
}

# Sources with levels and templates that declare and define the same functions.
TEMPLATES = {
    "src/base/sort.h": "void tw_sort_u32(unsigned *keys);\n",
    "src/base/sort.c": '#include "base/sort.h"\n#define SORT_NAME(name) name##_u32\n#include "base/sort_pass.inc"\n',
    "src/base/sort_pass.inc": "void SORT_NAME(tw_sort)(unsigned *keys)\n{\n}\n",
    "src/base/lanes.h": "TW_SIMD_DECLARE(unsigned *, tw_lanes_sum,\n                const double *x);\n",
    "src/base/lanes.c": '#include "base/lanes.h"\nunsigned *TW_SIMD_NAME(tw_lanes_sum)(const double *x)\n{\n}\n',
}

# Headers without a cycle, and modules with one.
CALL_CYCLE = {
    "src/base/a.c": "int tw_b(int x);\nint tw_a(int x) { return tw_b(x); }\n",
    "src/base/b.c": "extern int (*const tw_c)(int);\nint tw_b(int x) { return tw_c(x); }\n",
    "src/base/c.c": "int tw_a(int x);\nint (*const tw_c)(int) = tw_a;\n",
}

MODULE_CYCLE = {
    "src/base/a.h": "", "src/base/a.c": '#include "base/a.h"\n\n#include "base/b.h"\n',
    "src/base/b.h": "", "src/base/b.c": '#include "base/c.h"\n',
    "src/base/c.h": '#include "base/a.h"\n', "src/base/c.c": "",
}


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


class Case(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        self.texts = {}  # object -> the text it was made from

    def write(self, files):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def objects(self, folder="src/base"):
        """Compiles a folder where CMake does."""
        objects = []
        for path in sorted(self.root.glob(f"{folder}/**/*.c")):
            built = self.root / "build" / folder / "CMakeFiles/a.dir" / (
                str(path.relative_to(self.root / folder)) + ".o")
            built.parent.mkdir(parents=True, exist_ok=True)
            if self.texts.get(built) != path.read_text(encoding="utf-8"):
                done = run(COMPILER, "-c", path, "-o", built)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.texts[built] = path.read_text(encoding="utf-8")
            objects.append(built)
        return objects


class Layers(Case):
    def check(self, *objects):
        done = run(sys.executable, TOOLS / "check_layers", "--root", self.root, *objects)
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

    def test_functions_of_templates_pass(self):
        self.write({**CLEAN, **TEMPLATES})
        self.assertEqual(self.check(), (0, []))
        self.write({"src/base/sort_pass.inc": ""})
        self.assertEqual(self.check()[0], 1)
        self.write({**TEMPLATES, "src/base/lanes.c": ""})
        self.assertEqual(self.check()[0], 1)

    def test_long_cycle_of_headers_is_reported(self):
        self.write({"src/base/a.h": '#include "base/b.h"\n', "src/base/b.h": '#include "c.h"\n',
                    "src/base/c.h": '#include "base/a.h"\n'})
        status, lines = self.check()
        self.assertEqual((status, len(lines)), (1, 1), lines)
        self.assertTrue(lines[0].endswith(
            "cycle: src/base/a.h includes src/base/b.h, src/base/b.h includes src/base/c.h, "
            "src/base/c.h includes src/base/a.h"), lines)

    def test_cycle_of_modules_is_reported(self):
        self.write(MODULE_CYCLE)
        status, lines = self.check()
        self.assertEqual((status, len(lines)), (1, 1), lines)
        self.assertEqual(
            lines[0], "src/base/a.c:3: module cycle: src/base/a.c includes src/base/b.h, "
            "src/base/b.c includes src/base/c.h, src/base/c.h includes src/base/a.h")
        self.write({"src/base/b.c": ""})
        self.assertEqual(self.check(), (0, []))

    def test_cycle_of_calls_is_reported(self):
        self.write(CALL_CYCLE)
        self.assertEqual(self.check(*self.objects()), (1, [
            "src/base/a.c:1: call cycle: src/base/a.c uses tw_b of src/base/b.c, "
            "src/base/b.c uses tw_c of src/base/c.c, src/base/c.c uses tw_a of src/base/a.c"]))
        self.write({"src/base/c.c": "int (*const tw_c)(int) = 0;\n"})
        self.assertEqual(self.check(*self.objects()), (0, []))

    def test_objects_without_symbols_are_no_pass(self):
        self.write({"src/base/a.c": "static int x;\n"})
        self.assertNotEqual(self.check(*self.objects())[0], 0)

    def test_empty_tree_is_no_pass(self):
        self.assertNotEqual(self.check()[0], 0)


# Sources whose symbols and types have prefixes of their folders.
NAMES = {
    "ARCHITECTURE.md": "| folder | prefixes |\n|---|---|\n| `src/base` | move, specimen |\n"
                       "| `src/world` | move_world |\n| `apps/twirl/plot` | move |\n",
    "src/base/move.h": "typedef struct tw_move {\n    struct tw_inner *x;\n} tw_move;\n"
                       "typedef struct tw_moves tw_moves;\ntypedef double (*tw_base_law)(double);\n",
    "src/base/move.c": "#include \"move.h\"\nstruct tw_moves {\n    int x;\n};\nstatic int helper(void)\n"
                       "{\n    return 1;\n}\nint tw_move_all(void)\n{\n    return helper();\n}\n",
    "src/base/fast_avx2.c": "int tw_base_sum_avx2(void)\n{\n    return 1;\n}\n",
    "src/base/fast.c": "",
    "src/base/csv/read.c": "int tw_specimen_read_csv(void)\n{\n    return 1;\n}\n",
    "src/base/main.c": "int main(void)\n{\n    return 0;\n}\n",
    "src/world/state.h": "typedef struct tw_move_world {\n    int x;\n} tw_move_world;\n",
    "include/twirl/contact.h": "typedef enum tw_contact_normal {\n    TW_CONTACT_LINEAR = 0, /* fn = kn */\n"
                               "    TW_CONTACT_HERTZ = 1,\n    TW_CONTACT_NORMALS = 2\n} tw_contact_normal;\n",
    "include/twirl/contact_law.h": "static int stiffens(int n)\n{\n    return n == TW_CONTACT_HERTZ;\n}\n",
    "include/twirl/detail/contact_parts.def": "TW_CONTACT_PART(fr, VECTOR, 1)\nTW_CONTACT_PART(fw, NUMBER, 1)\n",
    "include/twirl/detail/contact_constants.def": "TW_CONTACT_CONSTANT(kn, a)\nTW_CONTACT_CONSTANT(mu, a)\n",
    "include/twirl/contact_energies.h": "#define TW_CONTACT_LOST_FIRST(X, to)   \\\n    X(to, FRICTION, friction, work_dissipated, \"\")\n"
                                        "#define TW_CONTACT_LOST_MORE(X, to)   \\\n    X(to, ROLLING, rolling, lost_rolling, \"\")\n",
    "include/twirl/contact_parts.h": "static double f(const tw_contact_parts *p)\n{\n    return p->fw;\n}\n",
    "apps/twirl/plot/plot.h": "typedef struct tw_move_figure {\n    int x;\n} tw_move_figure;\n"
                              "typedef struct tw_plot_figure {\n    int x;\n} tw_plot_figure;\n",
}

# Planted file and text, and the expected report.
NAMES_PLANTED = {
    "no word of the folder": ("src/base/bad.c", "int tw_bad_up(void)\n{\n    return 1;\n}\n",
                              "src/base/bad.c:1: symbol tw_bad_up has no prefix of src/base "
                              "(table \"Names\" of ARCHITECTURE.md)"),
    "no prefix": ("src/base/bad.c", "int bad = 1;\n", "src/base/bad.c:1: symbol bad does not start with tw_"),
    "part of a word": ("src/base/bad.c", "int tw_mov_up = 1;\n",
                       "src/base/bad.c:1: symbol tw_mov_up has no prefix of src/base "
                       "(table \"Names\" of ARCHITECTURE.md)"),
    "another folder's name": ("src/base/bad.c", "int tw_world_up = 1;\n",
                              "src/base/bad.c:1: symbol tw_world_up belongs to src/world by its name"),
    "longer prefix": ("src/base/bad.c", "int tw_move_world_end = 1;\n",
                      "src/base/bad.c:1: symbol tw_move_world_end belongs to src/world by its name"),
    "foreign type": ("src/world/bad.h", "\ntypedef enum tw_specimen_mood {\n    TW_GOOD\n} tw_specimen_mood;\n",
                     "src/world/bad.h:2: type tw_specimen_mood belongs to src/base by its name"),
    "foreign alias": ("src/base/bad.h", "typedef double tw_number[3];\n",
                      "src/base/bad.h:1: type tw_number has no prefix of src/base "
                      "(table \"Names\" of ARCHITECTURE.md)"),
    "type of another part of the program": (
        "apps/twirl/bad/bad.h", "typedef double tw_plot_number[3];\n",
        "apps/twirl/bad/bad.h:1: type tw_plot_number belongs to apps/twirl/plot by its name"),
    "plugin": ("plugins/lammps/engine/bad.c", "int tw_move_bad = 1, twirl_lammps_good = 1;\n",
               "plugins/lammps/engine/bad.c:1: symbol tw_move_bad is not in the namespace twirl_lammps"),
    "type of a plugin": ("plugins/lammps/bad.h", "\nclass tw_move_ : public Fix\n{\n};\nclass tw_move : public Fix\n{\n};\n",
                         "plugins/lammps/bad.h:5: type tw_move is also defined in src/base/move.h"),
    "prefix of two folders": ("ARCHITECTURE.md", NAMES["ARCHITECTURE.md"] + "| `src/world` | move |\n",
                              "ARCHITECTURE.md:6: move is already a prefix of src/base"),
    "name of another folder as prefix": ("ARCHITECTURE.md", NAMES["ARCHITECTURE.md"] + "| `src/world` | base |\n",
                                         "ARCHITECTURE.md:6: base is already a prefix of src/base"),
    "prefix of nothing": ("ARCHITECTURE.md", NAMES["ARCHITECTURE.md"] + "| `src/world` | bad_list |\n",
                          "ARCHITECTURE.md:6: nothing in src/world is named tw_bad_list*"),
    "type twice": ("src/base/bad.c", "\nunion tw_move {\n    int x;\n};\n",
                   "src/base/move.h:1: type tw_move is also defined in src/base/bad.c"),
    "type and alias": ("src/base/twin.c", "typedef int (*tw_move)(int);\n",
                       "src/base/twin.c:1: type tw_move is also defined in src/base/move.h"),
    "a normal law compared": ("src/base/bad.h", "static int x(int n)\n{\n    /* == TW_CONTACT_HERTZ */\n    n = TW_CONTACT_HERTZ;\n"
                              "    return n != (int)TW_CONTACT_HERTZ;\n}\n",
                              "src/base/bad.h:5: compares a normal law: ask twirl/contact_law.h"),
    "a normal law in a switch": ("apps/twirl/bad.h", "static int x(int n)\n{\n    switch (n) {\n    case TW_CONTACT_LINEAR:\n        return 1;\n"
                                 "    }\n    return 0;\n}\n", "apps/twirl/bad.h:4: compares a normal law: ask twirl/contact_law.h"),
    "a part of a contact named": ("src/base/bad.h", "static double x(const tw_contact_parts *p, const struct tw_y *y)\n{\n"
                                  "    /* p->fr */\n    return y->fw + p->fw + y->extra.fwd;\n}\n",
                                  "src/base/bad.h:4: names the part fw: see include/twirl/detail/contact_parts.def"),
    "constants listed": ("src/base/bad.h", "static double x(const tw_contact_law *l)\n{\n    /* l->mu */\n    return l->kn +\n"
                         "           l->mu;\n}\n",
                         "src/base/bad.h:5: lists all constants of a law: see include/twirl/detail/contact_constants.def"),
    "losses listed": ("plugins/lammps/bad.h", "static double x(const double *l)\n{\n    return l[TW_CONTACT_LOST_FRICTION] +\n"
                      "           l[TW_CONTACT_LOST_ROLLING];\n}\n",
                      "plugins/lammps/bad.h:4: lists all energies that contacts lose: see include/twirl/contact_energies.h"),
    "anonymous type twice": ("apps/twirl/bad.c", "typedef struct {\n    int x;\n} tw_moves;\n",
                             "src/base/move.c:2: type tw_moves is also defined in apps/twirl/bad.c"),
}


class Names(Case):
    def check(self):
        objects = self.objects() + self.objects("plugins/lammps")
        for path in self.root.glob("src/base/*_avx2.c"):
            path.rename(self.root / "build/src/base" / path.name)  # where CMake writes it
        done = run(sys.executable, TOOLS / "check_names", "--root", self.root, *objects)
        return done.returncode, done.stdout.splitlines()[:-1]

    def test_clean_tree_passes(self):
        self.write(NAMES)
        self.assertEqual(self.check(), (0, []))

    def test_each_planted_violation_is_the_one_reported(self):
        for name, (path, text, said) in NAMES_PLANTED.items():
            with self.subTest(name):
                self.write({**NAMES, path: text})
                self.assertEqual(self.check(), (1, [said]))
                (self.root / path).unlink()

    def test_objects_without_symbols_are_no_pass(self):
        self.write({"src/base/a.c": "static int x;\n"})
        self.assertNotEqual(self.check()[0], 0)


# Ten lines, of which seven count.
PASSAGE = """{
    int sum = 0, count = 0; /* REMARK */
    for (int i = 0; i < n; i++) {
        if (x[i] < 0) continue;
        sum += x[i];
        count++;
        last = x[i];
    }
    return count > 0 ? sum / count : 0;
}
"""


class Duplicates(Case):
    def check(self, files):
        self.write(files)
        done = run(sys.executable, TOOLS / "check_duplicates", "--root", self.root)
        return done.returncode, done.stdout.splitlines()[:-1]

    def twice(self, other=PASSAGE, before="", after="", path="plugins/lammps/b.cpp"):
        return self.check({"src/base/a.c": "int tw_a(int n, const int *x)\n" + PASSAGE + after,
                           path: "\n\n" + before + "int tw_b(int n, int *x)\n" + other})

    def test_passage_in_two_files_is_reported(self):
        other = PASSAGE.replace("REMARK", "another\nremark").replace("        ", "\t")
        status, lines = self.twice(other)
        self.assertEqual((status, len(lines)), (1, 1), lines)
        self.assertEqual(lines[0], "plugins/lammps/b.cpp:5: 7 lines, to 13, are also at src/base/a.c:3-10")

    def test_passage_twice_in_one_file_is_reported(self):
        status, lines = self.check({"src/base/a.c": f"int f()\n{PASSAGE}int g()\n{PASSAGE}"})
        self.assertEqual((status, len(lines)), (1, 1), lines)

    def test_five_lines_pass(self):
        self.assertEqual(self.twice(PASSAGE.replace("count++", "count--")), (0, []))
        self.assertEqual(self.twice(PASSAGE.replace("(int i", "(long i")), (0, []))

    def test_lines_without_content_do_not_count(self):
        thin = "#include <stdio.h>\n#ifdef X\n{\n}\nelse {\nbreak;\nreturn 0;\ndefault:\n#endif\n);\n"
        self.assertEqual(self.check({"src/base/a.c": thin, "src/base/b.c": thin}), (0, []))

    def test_reason_excuses_a_passage(self):
        reason = "/* Also in src/base/a.c: the plugin goes out alone. */\n"
        self.assertEqual(self.twice(before=reason), (0, []))
        self.assertEqual(self.twice(before="", other=PASSAGE.replace("/* REMARK */", reason)), (0, []))
        self.assertEqual(self.twice(before="/* Also in src/base/a.c: */\n")[0], 1)
        self.assertEqual(self.twice(before=reason.replace("a.c", "c.c"))[0], 1)

    def test_reason_without_a_passage_is_reported(self):
        status, lines = self.check({"src/base/a.c": "\n/* Also in src/base/b.c: speed. */\nint x;\n"})
        self.assertEqual((status, len(lines)), (1, 1), lines)
        self.assertTrue(lines[0].startswith("src/base/a.c:2: excuses no passage"), lines)

    def test_empty_tree_is_no_pass(self):
        self.assertNotEqual(self.check({})[0], 0)


# One draw per expression, or several in a fixed order.
DRAWS = """
typedef struct tw_random { unsigned s; } tw_random;
typedef struct maker { tw_random random; } maker;
double tw_random_uniform(tw_random *random);
static double wide(tw_random *random, double low, double high)
{
    return low + (high - low) * tw_random_uniform(random);
}
static double of_maker(maker *m)
{
    return wide(&m->random, 0.0, 1.0);
}
static double from_seed(unsigned seed)
{
    tw_random random = {seed};
    return wide(&random, 0.0, 1.0);
}
double tw_test(tw_random *random, maker *m, double (*pair)(double, double))
{
    const double x = wide(random, 0.0, 1.0), y = wide(random, 0.0, 1.0);
    double z = pair(from_seed(1), from_seed(2)), list[2] = {from_seed(1), from_seed(2)};
    for (double i = of_maker(m), n = of_maker(m); i < n; i += of_maker(m))
        if (of_maker(m) > 0.5 || of_maker(m) < 0.1) z += pair(x, of_maker(m));
    switch ((int)of_maker(m)) {
    case 0:
        z += wide(random, 0.0, wide(random, 1.0, 2.0)); /* wide(random), wide(random) */
    }
    list[0] = of_maker(m) > 0.5 ? of_maker(m) : -of_maker(m);
    PLANTED
    return list[0] + z;
}
"""

# Each draws twice in one expression.
DRAWS_PLANTED = (
    "z = pair(wide(random, 0, 1), wide(random, 0, 1));",
    "z = pair(x,\n of_maker(m) +\n y * tw_random_uniform(random));",
    "z = tw_random_uniform(random) - tw_random_uniform(random);",
    "double two[2] = {of_maker(m), of_maker(m)};",
    "double deep[2][2] = {{of_maker(m), 0}, {0, of_maker(m)}};",
    "z = ((maker2){of_maker(m), 2 * of_maker(m)}).a;",
    "z = pair(0, (pair2){of_maker(m), of_maker(m)}.a);",
    "return (pair2){of_maker(m), of_maker(m)};",
    "list[(int)of_maker(m)] = of_maker(m);",
    "if (x > 0 && of_maker(m) < of_maker(m)) z = 1;",
    "while (pair(of_maker(m), of_maker(m)) > 0) z = 1;",
    "z = x > 0 ? pair(of_maker(m), of_maker(m)) : 0;",
    "z = (x > 0 ? of_maker(m) : 1) + of_maker(m);",
    "z = pair(x > 0 || of_maker(m) > 0, y > 0 || of_maker(m) > 0);",
)


class Draws(Case):
    def check(self, files):
        self.write(files)
        done = run(sys.executable, TOOLS / "check_draws", self.root)
        return done.returncode, done.stdout.splitlines()[:-1]

    def test_draws_in_a_fixed_order_pass(self):
        self.assertEqual(self.check({"src/base/a.c": DRAWS}), (0, []))

    def test_each_planted_violation_is_the_one_reported(self):
        for planted in DRAWS_PLANTED:
            with self.subTest(planted):
                status, lines = self.check({"test/unit/a.c": DRAWS.replace("PLANTED", planted)})
                self.assertEqual((status, len(lines)), (1, 1), lines)
                line = DRAWS[:DRAWS.index("PLANTED")].count("\n") + 1 + planted.count("\n")
                self.assertTrue(lines[0].startswith(f"test/unit/a.c:{line}: second random number"), lines)

    def test_functions_of_other_files_are_known(self):
        other = "double sum(double x, double y);\nvoid tw_f(maker *m)\n{\n    sum(tw_draw(m), tw_draw(m));\n}\n"
        shared = "double tw_draw(maker *m)\n{\n    return tw_random_uniform(&m->random);\n}\n"
        files = {"src/base/a.c": DRAWS + shared, "bench/b.c": other}
        self.assertEqual(self.check(files)[1][0].split(":")[:2], ["bench/b.c", "4"])
        files["src/base/a.c"] = DRAWS + "static " + shared  # now it is another function
        self.assertEqual(self.check(files), (0, []))

    def test_what_cannot_be_read_is_no_pass(self):
        self.assertNotEqual(self.check({"src/base/a.c": "int x = (1;\n"})[0], 0)

    def test_empty_tree_is_no_pass(self):
        self.assertNotEqual(self.check({})[0], 0)


class Symbols(Case):
    def check(self, source, *options):
        self.write({"a.c": source})
        archive, shared = self.root / "liba.a", self.root / "liba.so"
        archive.unlink(missing_ok=True)
        for command in ((COMPILER, "-c", "-fPIC", self.root / "a.c", "-o", self.root / "a.o"),
                        ("ar", "rcs", archive, self.root / "a.o"),
                        (COMPILER, "-shared", self.root / "a.o", "-o", shared)):
            done = run(*command)
            self.assertEqual(done.returncode, 0, done.stderr)
        done = run(sys.executable, TOOLS / "check_symbols", *options, "--stateless", archive, shared)
        return done.returncode, done.stdout

    def test_exports_are_what_headers_declare(self):
        self.write({"b.h": "TW_API int tw_a(void);\nTW_API const char *tw_b(int i,\n                        int j);\n"})
        for made, words in (("int tw_a(void) { return 1; }\nint tw_b(void) { return 1; }\n", ()),
                            ("int tw_a(void) { return 1; }\nint tw_c(void) { return 1; }\n", ("exports tw_c", "not export tw_b", "tw_b is in no library"))):
            status, text = self.check(made, "--headers", self.root)
            self.assertEqual(status, int(bool(words)), text)
            self.assertEqual([word for word in words if word not in text], [], text)

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


# Output of objdump: instructions to be reported, and similar ones that are allowed.
FUSED = {
    "elf64-x86-64": (
        ["vfmadd132sd %xmm0,%xmm1,%xmm2", "vfmsub213pd %ymm0,%ymm1,%ymm2", "vfnmadd231ps %zmm0,%zmm1,%zmm2",
         "vfnmsub132ss %xmm0,%xmm1,%xmm2", "vfmaddsub213pd %ymm0,%ymm1,%ymm2",
         "vfmsubadd231ps %ymm0,%ymm1,%ymm2", "vfmaddpd %xmm0,%xmm1,%xmm2,%xmm3",
         "vfnmsubsd %xmm0,%xmm1,%xmm2,%xmm3", "vfmaddsubps %xmm0,%xmm1,%xmm2,%xmm3",
         "vfmadd231sd 0x0(%rip),%xmm1,%xmm2", "{evex} vfmadd231sd %xmm0,%xmm1,%xmm2",
         "vfcmaddcph %zmm0,%zmm1,%zmm2", "rsqrtps %xmm0,%xmm1", "vrcp14pd %zmm0,%zmm1"],
        ["vmulsd %xmm0,%xmm1,%xmm2", "vaddpd %ymm0,%ymm1,%ymm2", "vaddsubpd %xmm0,%xmm1,%xmm2",
         "vpmaddwd %xmm0,%xmm1,%xmm2", "pmaddubsw %xmm0,%xmm1", "vpmadd52luq %zmm0,%zmm1,%zmm2",
         "vmovapd %ymm0,%ymm1", "call 10 <vfmadd132sd>", "vsqrtpd %ymm0,%ymm1", "divsd %xmm0,%xmm1",
         "rep stos %al,%es:(%rdi)"]),
    "elf64-littleaarch64": (
        ["fmadd d0, d1, d2, d3", "fmsub d0, d1, d2, d3", "fnmadd s0, s1, s2, s3", "fnmsub d0, d1, d2, d3",
         "fmla v0.2d, v1.2d, v2.2d", "fmls v0.2d, v1.2d, v2.d[0]", "fcmla v0.2d, v1.2d, v2.2d, #90",
         "fmla z0.d, p0/m, z1.d, z2.d", "fmad z0.d, p0/m, z1.d, z2.d", "fmsb z0.d, p0/m, z1.d, z2.d",
         "fnmla z0.d, p0/m, z1.d, z2.d", "fnmls z0.d, p0/m, z1.d, z2.d", "fnmad z0.d, p0/m, z1.d, z2.d",
         "fnmsb z0.d, p0/m, z1.d, z2.d", "fmlal v0.2s, v1.2h, v2.2h", "frsqrte d0, d1"],
        ["madd x0, x1, x2, x3", "msub x0, x1, x2, x3", "mla v0.4s, v1.4s, v2.4s", "mls z0.d, p0/m, z1.d, z2.d",
         "umlal v0.2d, v1.2s, v2.2s", "smaddl x0, w1, w2, x3", "fmul d0, d1, d2", "fadd v0.2d, v1.2d, v2.2d",
         "fnmul d0, d1, d2", "fmov d0, d1", "fmaxnm d0, d1, d2", "bl 10 <fmadd>", "fsqrt d0, d1"]),
}


class Fused(Case):
    def check(self, *arguments):
        done = run(sys.executable, TOOLS / "check_fused", *arguments)
        return done.returncode, done.stdout + done.stderr

    def built(self, body):
        self.write({"a.c": f"double tw_x(double a, double b, double c) {{ {body} }}\n"})
        options = ["-mfma"] if platform.machine() in ("x86_64", "AMD64") else []
        done = run(COMPILER, "-O2", "-ffp-contract=off", *options, "-c", self.root / "a.c", "-o",
                   self.root / "a.o")
        self.assertEqual(done.returncode, 0, done.stderr)
        archive = self.root / "liba.a"
        self.assertEqual(run("ar", "rcs", archive, self.root / "a.o").returncode, 0)
        return self.check(self.root / "a.o", archive)

    def test_code_without_passes(self):
        status, text = self.built("return a * b + c;")
        self.assertEqual(status, 0, text)

    def test_fused_code_is_reported(self):
        status, text = self.built("return __builtin_fma(a, b, c);")
        self.assertEqual(status, 1, text)
        # Some compilers begin each function with endbr64.
        self.assertRegex(text, r"a\.o: tw_x: [04]: ")
        self.assertRegex(text, r"liba\.a\(a\.o\): tw_x: [04]: ")

    def spoken(self, kind, instructions):
        """Output of the check for this output of objdump."""
        blanks = ("", "      ")[len(instructions) % 2]  # objdump of binutils, and of LLVM
        lines = "".join(f"{4 * k:4x}:{blanks}\\t{name}\\n" for k, name in enumerate(instructions))
        program = self.root / "objdump"
        program.write_text(f"#!/bin/sh\nprintf '\\na.o:     file format {kind}\\n\\n"
                           f"0000000000000000 <tw_x>:\\n{lines.replace('%', '%%')}'\n", encoding="utf-8")
        program.chmod(0o755)
        return self.check("--objdump", program, "a.o")

    def test_each_instruction_is_known(self):
        for kind, (fused, innocent) in FUSED.items():
            for name in fused:
                with self.subTest(name):
                    status, text = self.spoken(kind, [*innocent, name])
                    self.assertEqual(status, 1, text)
                    self.assertEqual(len(text.splitlines()), 2, text)
            status, text = self.spoken(kind, innocent)
            self.assertEqual(status, 0, text)

    def test_nothing_to_look_at_is_no_pass(self):
        self.assertEqual(self.spoken("elf64-x86-64", [])[0], 1)
        self.assertEqual(self.spoken("elf64-s390", ["madbr %f0,%f1,%f2"])[0], 2)
        self.assertEqual(self.check(self.root / "gone.o")[0], 2)


class Arithmetic(Case):
    def check(self, source):
        """Output of the check for an object, an archive and a shared library made from it."""
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


    def check_sources(self, path, text):
        self.write({path: text})
        done = run(sys.executable, TOOLS / "check_symbols", "--sources", self.root)
        return done.returncode, done.stdout

    def test_exact_functions_in_sources_pass(self):
        status, text = self.check_sources("src/a.c", "/* fmin(x, y) */\nconst char *tw_x = \"exp(x)\";\n"
                                          "double tw_y = floor(tw_math_exp(x)) + plan->log(x) + p.pow(x);\n")
        self.assertEqual(status, 0, text)

    def test_each_call_in_sources_that_is_not_exact_is_reported(self):
        for path in ("src/a.c", "apps/twirl/a.c", "plugins/lammps/a.cpp", "include/twirl/a.inc"):
            for call in ("fmin(x, 1)", "fmaxf (x, 1)", "std::fma(x, x, x)", "exp(x)"):
                with self.subTest(path + call):
                    status, text = self.check_sources(path, f"\n#define X(x) {call}\n")
                    self.assertEqual(status, 1, text)
                    name = call.replace("std::", "").split("(")[0].strip()
                    self.assertIn(f"{path}:2: calls {name} of libm", text)
            (self.root / path).unlink()

    def test_no_sources_are_no_pass(self):
        done = run(sys.executable, TOOLS / "check_symbols", "--sources", self.root)
        self.assertEqual(done.returncode, 1, done.stdout)


# A valid document for the tree above, and planted text with the line and words of the expected report.
REFERENCES = {
    **CLEAN,
    "CHANGELOG.md": "`tw_gone`, `src/gone.c`\n",
    "README.md": "# How to\n`tw_quat_turn`, `tw_quat_*`, `src/base`, `src/X/quat.c`, `base/quat`, `quat.c`, `twirl/sim.h`,\n"
                 "`<math.h>`, src/base/quat.c, `build/gone`, `gone.yaml`, `rigid/small`.\n"
                 "[here](#how-to), [there](docs/guide/checkpoint.md#sets), [away](https://example.org/gone).\n",
    "docs/guide/checkpoint.md": "## Sets\n\n| `cell/` | rows |\n|---|---|\n| `h`, `inverse` | |\n\n"
                                "| group | |\n|---|---|\n| `law/` | `kn` |\n",
    "docs/guide/README.md": "`checkpoint.md`\n",
    "src/sim/checkpoint_items.c": 'ADD("cell", "h", "m", h);\nitem = {"cell", "inverse", "1/m"};\n'
                                  'ADD("law", "kn", "N/m", kn);\n',
}
PLANTED_REFERENCES = {
    "gone name": ("`tw_gone`", "tw_gone is nowhere"),
    "gone name in a block": ("```c\ntw_gone(1);\n```", "tw_gone is nowhere"),
    "gone names": ("`tw_quit_*`", "tw_quit_* is nowhere"),
    "gone constant": ("TW_GONE", "TW_GONE is nowhere"),
    "gone path": ("`src/base/gone.c`", "src/base/gone.c does not exist"),
    "gone path in text": ("as in src/base/gone.c.", "src/base/gone.c does not exist"),
    "gone folder": ("`src/gone/`", "src/gone does not exist"),
    "gone pattern": ("`src/X/gone.c`", "src/X/gone.c does not exist"),
    "gone path below src": ("`base/gone`", "base/gone does not exist"),
    "gone path beside": ("`guide/gone.md`", "guide/gone.md does not exist"),
    "gone source": ("`gone.c`", "gone.c does not exist"),
    "gone header": ("`<twirl/gone.h>`", "<twirl/gone.h> does not exist"),
    "gone link": ("[x](guide/gone.md)", "guide/gone.md does not exist"),
    "gone heading": ("[x](guide/checkpoint.md#gone)", "no heading #gone"),
}


class References(Case):
    def check(self):
        done = run(sys.executable, TOOLS / "check_references", "--root", self.root)
        return done.returncode, done.stdout.splitlines()[:-1]

    def reported(self, where, words):
        status, lines = self.check()
        self.assertEqual((status, len(lines)), (1, 1), lines)
        self.assertTrue(lines[0].startswith(where) and words in lines[0], lines)

    def test_clean_tree_passes(self):
        self.write(REFERENCES)
        self.assertEqual(self.check(), (0, []))

    def test_each_planted_violation_is_the_one_reported(self):
        self.write(REFERENCES)
        for name, (text, words) in PLANTED_REFERENCES.items():
            with self.subTest(name):
                self.write({"docs/bad.md": f"\n{text}\n"})
                self.reported(f"docs/bad.md:{3 if '```' in text else 2}:", words)

    def test_comments_are_read(self):
        for comment in ("/* See\n * docs/gone.md. */", "/*\n * tw_gone() does it. */"):
            self.write({**REFERENCES, "src/base/quat.c": f"int tw_quat_turn;\n{comment}\nint x;\n"})
            self.reported("src/base/quat.c:3:", "gone")

    def test_datasets_are_compared(self):
        items = REFERENCES["src/sim/checkpoint_items.c"]
        self.write({**REFERENCES, "src/sim/checkpoint_items.c": items + 'ADD("law", "mu", "-", mu);\n'})
        self.reported("docs/guide/checkpoint.md:1:", "`law/mu` is missing")
        self.write({"src/sim/checkpoint_items.c": items.replace('"inverse"', '"h"')})
        self.reported("docs/guide/checkpoint.md:5:", "`cell/inverse` is not in a checkpoint")


class Pages(Case):
    """Stamps of pages that tools/renew_pages has run."""

    GOLDEN = "# a comment\nslide 01 pressed:0001.0002.0003.0004.0005\nscenario 02 resolved:000a end:0006.0007.0008.0009.000a\n"

    def setUp(self):
        super().setUp()
        loader = importlib.machinery.SourceFileLoader("renew_pages", str(TOOLS / "renew_pages"))
        self.tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("renew_pages", loader))
        loader.exec_module(self.tool)
        self.write({"test/golden/hashes.txt": self.GOLDEN, "docs/pages.txt": ""})
        stamps = self.tool.Stamps(self.root)
        stamps.set("docs/a.md", "abc", 7)
        stamps.write(["docs/a.md"])

    def fault(self, golden, page="docs/a.md", content="abc"):
        self.write({"test/golden/hashes.txt": golden})
        return self.tool.Stamps(self.root).fault(page, content) or ""

    def test_a_stamp_holds_while_states_stay(self):
        self.assertEqual(self.fault(self.GOLDEN), "")
        self.assertEqual(self.fault(self.GOLDEN.replace("02 resolved:000a", "03 resolved:000b")), "")
        self.assertEqual(self.fault(self.GOLDEN + "new 04 end:0006.0007.0008.0009.000b\n"), "")

    def test_a_changed_state_makes_pages_old(self):
        self.assertIn("slide.pressed", self.fault(self.GOLDEN.replace("0003", "0004")))
        self.assertIn("scenario.end", self.fault(self.GOLDEN.replace("end:0006", "end:0007")))
        self.assertIn("slide.pressed", self.fault(self.GOLDEN.replace("slide", "glide")))

    def test_pages_that_were_not_run(self):
        self.assertIn("not those of its last renewal", self.fault(self.GOLDEN, content="abd"))
        self.assertIn("that it uses has changed", self.fault(self.GOLDEN, content="abc.1"))
        self.assertIn("not been stamped", self.fault(self.GOLDEN, page="docs/b.md"))

    def test_the_time_is_kept_while_runs_are(self):
        stamps = self.tool.Stamps(self.root)
        stamps.set("docs/a.md", "abc", 1)
        self.assertEqual(stamps.seconds("docs/a.md"), 7)


class Uses(Case):
    """What a page uses of the program, for its stamp."""

    PROGRAM = {
        "src/scenario/keys.def": '{NUMBER(S, friction, NONE), .default_value = "0.5", WITHIN(0, 9),\n .meaning = "of two grains"},\n'
                                 '{COUNT(S, steps), .used = KIND(X),\n .meaning = "of time"},\n',
        "include/twirl/history_columns.h": "    X(step, RATIO, \"step\") \\\n    X(void_ratio, RATIO, \"void ratio\")\n",
        "apps/twirl/plot_command.c": 'o[] = {{"percent", NULL, "strains in per cent", f},\n{"size", "WxH", "size", g}};\nc = {"plot"};\n',
        "src/run/log.c": 'f("specimen: %d grains, " /* x */\n  "mean diameter %g m\\n", n, d);\ng("never printed by this page %d\\n", n);\n'}
    PAGE = (["twirl run a.yaml\ntwirl plot \\\n    --percent a | cat --size\n"], ["material: {friction: 0.3}\n"],
            ["print(row['void_ratio'])"], ["twirl run: specimen: 500 grains, mean  diameter 0.00100 m"])

    def used(self, *change):
        self.write(self.PROGRAM)
        if change:
            path, old, new = change
            self.assertIn(old, self.PROGRAM[path])
            self.write({path: self.PROGRAM[path].replace(old, new)})
        sys.path.insert(0, str(TOOLS))
        self.addCleanup(sys.path.remove, str(TOOLS))
        return importlib.import_module("uses").Program(self.root).used(*self.PAGE)

    def test_what_is_used_and_nothing_else(self):
        self.assertEqual(self.used(), [
            "command plot True", "command run False", "key friction ['NUMBER(S, friction, NONE), 0.5']",
            "line specimen: %d grains, mean diameter %g m\\n", "name void_ratio RATIO", "option plot --percent NULL"])

    def test_changes_that_make_a_page_old(self):
        keys, columns, plot, log = self.PROGRAM
        for change in ((keys, "0.5", "0.4"), (keys, "friction", "fricton"), (keys, "NUMBER", "COUNT"), (columns, "void_ratio, RATIO", "void_ratio, STRESS"),
                       (plot, '"percent", NULL', '"percent", "YES"'), (plot, '"plot"', '"draw"'), (log, "grains,", "spheres,")):
            self.assertNotEqual(self.used(*change), self.used(), change)
        for change in ((keys, "of two grains", "between grains"), (keys, "WITHIN(0, 9)", "WITHIN(0, 8)"), (keys, "COUNT(S, steps)", "COUNT(S, cycles)"),
                       (columns, "void ratio", "ratio of voids"), (plot, "strains in per cent", "strains in %"), (log, "never", "hardly")):
            self.assertEqual(self.used(*change), self.used(), change)


class QuickCosts(Case):
    def check(self, costs, tests="ab"):
        self.write({"CTestTestfile.cmake": "".join(f'add_test({name} "true")\nset_tests_properties({name} PROPERTIES LABELS "x;quick")\n'
                                                   for name in tests) + 'add_test(other "true")\n', "quick.txt": costs})
        done = run(sys.executable, TOOLS / "quick_costs", "--check", "--build", self.root, "--costs", self.root / "quick.txt")
        return done.returncode, done.stdout

    def test_missing_rows_and_high_costs_are_reported(self):
        head = "# x86_64: a\n# aarch64: b\n#      x86_64 aarch64\n"
        self.assertEqual(self.check(head + "a 100 -\nb 1 140\n"), (0, "quick_costs: 2 tests, 240 s, 0 faults\n"))
        for costs, words in ((head + "a 100 -\n", "b has no row"), (head + "a 101 -\nb 1 140\n", "add up to 241 s"),
                             (head + "a - -\nb 1 1\n", "a has no row")):
            status, text = self.check(costs)
            self.assertEqual((status, text.count("\n")), (1, 2), text)
            self.assertIn(words, text)
        self.assertIn("no tests", self.check(head, tests="")[1])

    def test_a_measurement_keeps_what_others_measured(self):
        self.check(f"# {platform.machine()}: mine\n# other: b\n# x\na 1000 -\nb - 7\nc - 8\nd 9 -\n".replace("other", {
            "x86_64": "aarch64"}.get(platform.machine(), "x86_64")))
        run(sys.executable, TOOLS / "quick_costs", "--build", self.root, "--costs", self.root / "quick.txt")
        rows = [line.split() for line in (self.root / "quick.txt").read_text().splitlines() if not line.startswith("#")]
        self.assertEqual([row[0] for row in rows], ["a", "b", "c"])
        self.assertNotIn("1000.0", rows[0])
        self.assertIn("7.0", rows[1])


class Metadata(Case):
    def check(self, *changes):
        """Faults that are reported for the files of the repository with texts replaced: (file, old, new)."""
        names = ["CITATION.cff", "codemeta.json", ".zenodo.json", "apps/twirl/commands/cite_entries.h",
                 "include/twirl/version.h", "docs/unknown.md", "LICENSE", "LICENSES/BSD-3-Clause.txt", "docs/joss/paper.md", "docs/joss/paper.bib",
                 ".github/ISSUE_TEMPLATE/bug.yml", "packaging/conda/meta.yaml", "packaging/homebrew/twirl.rb",
                 "packaging/nix/default.nix", "packaging/spack/package.py", "debian/changelog", LIBRARIES, "CHANGELOG.md"]
        files = {name: (TOOLS.parent / name).read_text(encoding="utf-8") for name in names}
        for name, old, new in changes:
            self.assertIn(old, files[name])
            files[name] = files[name].replace(old, new)
        self.write(files)
        return run(sys.executable, TOOLS / "metadata", "--check", "--root", self.root).stdout.splitlines()

    @unittest.skipUnless(importlib.util.find_spec("yaml"), "needs python3-yaml")
    def test_faults_are_named(self):
        self.assertEqual(self.check(), [])
        for change, where in ((("include/twirl/version.h", "MAJOR 0", "MAJOR 7"), "CITATION.cff"),
                              (("codemeta.json", "granular", "angular"), "codemeta.json"),
                              ((".zenodo.json", "software", "dataset"), ".zenodo.json"),
                              (("apps/twirl/commands/cite_entries.h", "Kuhn", "Cohn"), "cite_entries.h"),
                              (("packaging/conda/meta.yaml", VERSION, "0.0.9"), "meta.yaml"),
                              (("packaging/homebrew/twirl.rb", VERSION, "0.0.9"), "twirl.rb"),
                              (("packaging/nix/default.nix", VERSION, "0.0.9"), "default.nix"),
                              (("packaging/spack/package.py", VERSION, "0.0.9"), "package.py"),
                              (("debian/changelog", VERSION, "0.0.9"), "debian/changelog"),
                              ((LIBRARIES, f"mumps-{VERSION.rpartition('.')[0]}.so", "mumps.so"), LIBRARIES),
                              (("LICENSE", "2026", "2027"), "LICENSE"),
                              (("docs/joss/paper.bib", "Thornton:1979", "Thornton:1980"), "Thornton:1979 is not in paper.bib"),
                              (("docs/joss/paper.md", "# Statement of need", "# Need"), "no section 'Statement of need'"),
                              ((".github/ISSUE_TEMPLATE/bug.yml", "id: repeat", "id: what"), "different ids"),
                              ((".github/ISSUE_TEMPLATE/bug.yml", "body:", "body: ["), "bug.yml"),
                              (("CITATION.cff", "title: Linear", "note: Linear"), "CITATION.cff: references"),
                              (("CITATION.cff", "  - name: The twirl authors", "  The twirl authors"), "CITATION.cff: authors"),
                              (("CITATION.cff", "license: BSD-3-Clause\n", ""), "CITATION.cff: license: missing"),
                              (("CITATION.cff", "type: software", "doi: 10.1/2\ntype: software"), "CITATION.cff: doi"),
                              (("CITATION.cff", "type: software", "date-released: 2026-01-01\ntype: software"), "CITATION.cff: not what"),
                              (("CHANGELOG.md", "## [Unreleased]", f"## [{VERSION}] - 2026-02-30"), "CITATION.cff: date-released"),
                              (("CITATION.cff", "type: software", "colour: red\ntype: software"), "CITATION.cff: colour")):
            faults = self.check(change)
            self.assertTrue(any(where in fault for fault in faults), (change, faults))

    @unittest.skipUnless(importlib.util.find_spec("yaml"), "needs python3-yaml")
    def test_the_date_is_that_of_the_changelog(self):
        made = ("CITATION.cff", "codemeta.json", ".zenodo.json", "apps/twirl/commands/cite_entries.h")
        lines = ('date-released: "2031-02-03"', '"datePublished": "2031-02-03"', '"publication_date": "2031-02-03"', "year = {2031}")
        for section, there in (("## [Unreleased]", False), (f"## [{VERSION}] - 2031-02-03", True), ("## [0.0.9] - 2031-02-03", False)):
            changelog = re.sub(r"^## \[.*$", "", (TOOLS.parent / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.M)
            self.check()  # the files as they are
            self.write({"CHANGELOG.md": f"{section}\n{changelog}"})
            done = run(sys.executable, TOOLS / "metadata", "--root", self.root)
            self.assertEqual(done.stdout, "")
            for name, line in zip(made, lines):
                self.assertEqual(line in (self.root / name).read_text(), there, (section, name))
            self.assertEqual(run(sys.executable, TOOLS / "metadata", "--check", "--root", self.root).stdout, "")


# cmake/commit.txt as it is in the repository; `git archive` expands it.
STAMP = "$Format:%H$ $Format:%(describe:tags=true,match=v*)$\n"


class Commit(Case):
    def text(self, version="1.2.3"):
        run("cmake", f"-DSOURCE={self.root}", f"-DVERSION={version}", f"-DOUT={self.root}/out.h", "-P",
            TOOLS.parent / "cmake/TwirlCommit.cmake")
        return (self.root / "out.h").read_text().split('"')[1]

    def test_a_release_has_no_commit_and_everything_else_has(self):
        there = (TOOLS.parent / "cmake/commit.txt").read_text()
        if there != STAMP:  # an unpacked archive
            self.assertRegex(there, r"^[0-9a-f]{40} .*\n$")
        self.write({"cmake/commit.txt": STAMP})
        self.assertEqual(self.text(), "1.2.3+unknown")
        self.write({"cmake/commit.txt": "0123456789abcdef v1.2.3\n"})
        self.assertEqual(self.text(), "1.2.3")
        self.assertEqual(self.text("1.2.4"), "1.2.4+g0123456789ab")
        self.write({"cmake/commit.txt": "0123456789abcdef \n"})
        self.assertEqual(self.text(), "1.2.3+g0123456789ab")
        if not shutil.which("git"):
            return
        self.write({"cmake/commit.txt": STAMP})

        def git(*words):
            done = run("git", "-c", "user.name=x", "-c", "user.email=x", "-C", self.root, *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout.strip()
        git("init", "-q")
        git("add", "cmake")
        git("commit", "-q", "-m", "first")
        commit = git("rev-parse", "HEAD")[:12]
        self.assertEqual(self.text(), "1.2.3+g" + commit)
        git("tag", "v1.2.3")
        self.assertEqual(self.text(), "1.2.3")
        self.assertEqual(self.text("1.2.4"), "1.2.4+g" + commit)
        self.write({"cmake/commit.txt": STAMP + "x"})
        self.assertEqual(self.text(), "1.2.3+g" + commit + ".modified")


@unittest.skipUnless(shutil.which("git"), "needs git")
class Release(Case):
    LOG = "# Changelog\n\n## [Unreleased]\n\nThe first version will be 1.2.3.\n\n### Added\n\n- A.\n"

    def date(self, text, status=0):
        done = run(self.root / "a/scripts/release", "--date", text)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def git(self, *words):
        done = run("git", "-c", "user.name=x", "-c", "user.email=x", "-C", self.root / "a", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def commit(self, log):
        self.write({"a/CHANGELOG.md": log})
        self.git("add", ".")
        self.git("commit", "-q", "-m", "change")
        return self.git("rev-parse", "HEAD")[:12]

    def release(self, repository="a", keep=False, **environment):
        out = self.root / "out"
        if not keep:
            shutil.rmtree(out, ignore_errors=True)
        done = subprocess.run([self.root / repository / "scripts/release", "--archive", out], capture_output=True, text=True, check=False,
                              env={**os.environ, **environment})
        return done, {path.name: path.read_bytes() for path in out.glob("*")}

    def test_a_release_has_its_section_and_the_same_bytes_twice(self):
        self.write({"a/include/twirl/version.h": "".join(
            f"#define TW_VERSION_{part} {k}\n" for k, part in enumerate(("MAJOR", "MINOR", "PATCH"), 1)),
            "a/debian/changelog": "twirl (1.2.3-1) UNRELEASED; urgency=medium\n\n  * A.\n\n -- N <n@e.org>  Wed, 18 Nov 2026 00:00:00 +0000\n"})
        for name in ("scripts/release", ".gitattributes"):
            (self.root / "a" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOOLS.parent / name, self.root / "a" / name)
        self.write({"a/cmake/commit.txt": STAMP, "a/tools/metadata": "#!/bin/sh\ngrep '^## .1' CHANGELOG.md >dated\n"})  # what it does has a test of its own
        (self.root / "a/tools/metadata").chmod(0o755)
        self.git("init", "-q")
        commit = self.commit(self.LOG)
        self.assertIn("not a date", self.date("2026-02-31", 1))
        name = f"twirl-1.2.3+g{commit}.tar.gz"
        done, files = self.release()
        self.assertEqual((done.returncode, set(files)), (0, {name, "SHA256SUMS"}), done.stderr)
        self.assertIn("not a release", done.stdout)
        self.assertEqual(files["SHA256SUMS"].decode(), f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n")
        run("git", "clone", "-q", self.root / "a", self.root / "b")
        again = self.release("b", TZ="Asia/Tokyo", LC_ALL="C.UTF-8")[1]
        self.assertEqual(again, files)
        with tarfile.open(fileobj=io.BytesIO(files[name])) as archive:
            stamp = archive.extractfile(f"twirl-1.2.3+g{commit}/cmake/commit.txt").read().decode()
        self.assertEqual(stamp.split()[0][:12], commit)

        self.git("tag", "v1.2.3")
        done, files = self.release()
        self.assertEqual((done.returncode, files), (1, {}))
        self.assertIn("no section '## [1.2.3]", done.stderr)
        self.git("tag", "-d", "v1.2.3")
        self.date("2026-01-31")
        self.assertEqual((self.root / "a/CHANGELOG.md").read_text(), "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n\n### Added\n\n- A.\n")
        self.assertEqual((self.root / "a/debian/changelog").read_text(),
                         "twirl (1.2.3-1) unstable; urgency=medium\n\n  * A.\n\n -- N <n@e.org>  Sat, 31 Jan 2026 00:00:00 +0000\n")
        self.assertEqual((self.root / "a/dated").read_text(), "## [1.2.3] - 2026-01-31\n")
        self.assertIn("has a section of 1.2.3 already", self.date("2026-01-31", 1))
        row = "| archive | the same bytes | 0:01 | {} | 2026-01-31 | here |\n| musl | {} | 0:01 | {} | 2026-01-31 | here |\n"
        self.write({"a/docs/release.md": row.format(commit, "**failed**", commit)})
        dated = self.commit((self.root / "a/CHANGELOG.md").read_text())
        self.git("tag", "v1.2.3")
        said = self.release()[0].stdout
        self.assertIn(f"records checks of {commit}, from which this commit differs", said)
        self.assertIn("checks that failed or were not run", said)
        self.write({"a/docs/release.md": row.format(dated, "good", dated)})
        self.git("commit", "-q", "-a", "-m", "record")
        self.git("tag", "-f", "v1.2.3")
        done, files = self.release()
        self.assertNotIn("docs/release.md", done.stdout)
        self.assertEqual((done.returncode, set(files)), (0, {"twirl-1.2.3.tar.gz", "SHA256SUMS"}), done.stderr)
        with tarfile.open(fileobj=io.BytesIO(files["twirl-1.2.3.tar.gz"])) as archive:
            self.assertTrue(archive.extractfile("twirl-1.2.3/cmake/commit.txt").read().decode().endswith(" v1.2.3\n"))
        self.write({"out/mine": ""})
        self.assertEqual(self.release(keep=True)[1], {**files, "mine": b""})
        self.git("tag", "-d", "v1.2.3")
        self.assertEqual(set(self.release(keep=True)[1]), {f"twirl-1.2.3+g{self.git('rev-parse', 'HEAD')[:12]}.tar.gz", "SHA256SUMS", "mine"})
        self.git("tag", "v1.2.3")
        self.write({"a/CHANGELOG.md": "other"})
        self.assertIn("files differ", self.release()[0].stderr)


@unittest.skipUnless(shutil.which("objdump") and Path(sysconfig.get_path("include"), "Python.h").exists(), "needs objdump and Python.h")
class Wheel(Case):
    NAME = f"twirl-1.2.3-cp39-abi3-linux_{platform.machine()}.whl"
    CLEAN = "int PyErr_Occurred(void);\nint f(void)\n{\n    return PyErr_Occurred();\n}\n"

    def check(self, text=CLEAN, name=NAME, module="_core.abi3.so", licence=True, options=()):
        self.write({"a.c": text})
        done = run(COMPILER, "-shared", "-fPIC", *options, self.root / "a.c", "-o", self.root / "a.so")
        self.assertEqual(done.returncode, 0, done.stderr)
        with zipfile.ZipFile(self.root / name, "w") as archive:
            archive.write(self.root / "a.so", "twirl/" + module)
            if licence:
                archive.writestr("twirl-1.2.3.dist-info/LICENSE", "text")
        done = run(sys.executable, TOOLS / "check_wheel", self.root / name, "--python", sys.executable)
        faults = [line.partition(": ")[2] for line in done.stdout.splitlines() if line.startswith(name)]
        self.assertEqual(done.returncode, 1 if faults else 0, done.stderr)
        return done.stdout, faults

    def test_faults_are_named(self):
        self.assertEqual(self.check()[1], [])
        other = "x86_64" if platform.machine() != "x86_64" else "aarch64"
        for words, change in (("no LICENSE", {"licence": False}),
                              ("expected cp3N-abi3", {"name": self.NAME.replace("abi3", "cp39")}),
                              ("not end in .abi3.so", {"module": "_core.so"}),
                              ("compiled for", {"name": self.NAME.replace(platform.machine(), other)}),
                              ("PyRun_SimpleStringFlags is not in the stable ABI",
                               {"text": self.CLEAN.replace("PyErr_Occurred", "PyRun_SimpleStringFlags")}),
                              ("empty entry", {"options": ("-Wl,-rpath,/usr/lib:",)})):
            with self.subTest(words):
                faults = self.check(**change)[1]
                self.assertEqual(len(faults), 1, faults)
                self.assertIn(words, faults[0])

    def test_libraries_and_symbol_versions_give_the_tag(self):
        said = self.check()[0]
        self.assertRegex(said, r"outside the wheel: nothing\nsymbol versions allow manylinux_2_\d+_" + platform.machine() + "\n")
        self.write({"z.c": "int other(void)\n{\n    return 1;\n}\n"})
        run(COMPILER, "-shared", "-fPIC", self.root / "z.c", "-Wl,-soname,libother.so.1", "-o", self.root / "libother.so")
        needs = {"text": "int other(void);\nint f(void)\n{\n    return other();\n}\n", "options": (f"-L{self.root}", "-Wl,--no-as-needed", "-lother")}
        said, faults = self.check(**needs)
        self.assertEqual(faults, [])
        self.assertIn("outside the wheel: libother.so.1\n", said)
        self.assertIn(f"with libraries outside the tag is linux_{platform.machine()}\n", said)
        faults = self.check(name=self.NAME.replace("linux", "manylinux_2_17"), **needs)[1]
        self.assertEqual(len(faults), 1, faults)
        self.assertIn("although it needs libother.so.1", faults[0])


class Site(Case):
    def check(self, files, warnings=""):
        self.write({**files, "warnings.txt": warnings})
        done = run(sys.executable, TOOLS / "check_site", self.root / "html", self.root / "warnings.txt")
        return done.stdout.splitlines()[:-1]

    def test_faults_are_named(self):
        dark = "<style>@media (prefers-color-scheme: dark) { body { --color-background-primary: black; } }</style>"
        clean = {"html/index.html": dark + '<a href="a/b.html#x">b</a><img src="data:x"><a href="https://e.org">e</a>',
                 "html/a/b.html": '<p id="x"></p><a href="../index.html">up</a>'}
        self.assertEqual(self.check(clean), [])
        self.assertEqual(self.check(clean, "bad\n"), ["sphinx: bad"])
        self.assertEqual(len(self.check({**clean, "html/index.html": clean["html/index.html"].replace("dark", "light")})), 1)
        for text, words in (('<a href="none.html">n</a>', "none.html: no such file"),
                            ('<a href="../index.html#y">n</a>', "no such place"),
                            ('<script src="https://e.org/x.js"></script>', "from elsewhere")):
            faults = self.check({**clean, "html/a/b.html": clean["html/a/b.html"] + text})
            self.assertEqual(len(faults), 1)
            self.assertIn(words, faults[0])
        chain = {f"html/{k}.html": f'<a href="{k + 1}.html">n</a>' for k in range(1, 4)}
        chain["html/4.html"] = ""
        index = {"html/index.html": clean["html/index.html"] + '<a href="1.html">1</a>'}
        self.assertEqual(self.check({**clean, **chain, **index}), ["4.html: not reached by 3 links"])


@unittest.skipUnless(shutil.which("clang-format-14") or shutil.which("clang-format"), "clang-format is not installed")
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
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
