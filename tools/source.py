# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the checks in tools/: finding and reading C and C++ sources, and exceptions.

A check runs on a whole tree, so that it works in an unpacked archive and on new files.
"""

import re
import subprocess
import sys
from pathlib import Path

SUFFIXES = {".c", ".h", ".cpp", ".hpp", ".cc", ".cu", ".cuh", ".def", ".inc"}

COMMENT_OR_STRING = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)


def find(root, folders):
    """Sources in the folders, relative to root, sorted."""
    return sorted(path.relative_to(root) for folder in folders
                  for path in (root / folder).rglob("*")
                  if path.suffix in SUFFIXES and path.is_file())


def read(root, path):
    return (root / path).read_text(encoding="utf-8", errors="replace")


def newlines(match):
    return "\n" * match.group(0).count("\n")


def without_comments(text):
    """Blanks out comments, keeping line numbers."""
    return COMMENT_OR_STRING.sub(lambda m: m.group(0) if m.group(0)[0] in "\"'" else newlines(m),
                                 text)


def code(text):
    """Blanks out comments, directives and the contents of strings, keeping line numbers."""
    text = COMMENT_OR_STRING.sub(
        lambda m: m.group(0)[0] * 2 if m.group(0)[0] in "\"'" else newlines(m), text)
    return DIRECTIVE.sub(newlines, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


# A function's name and the bracket after it; NAME(f)(...) is a name made by a macro.
HEAD = re.compile(r"(?:\b(\w+)\s*\(\s*(\w+)\s*\)|\b([\w:~]+))\s*\(")
ATTRIBUTE = re.compile(r"__attribute__\s*\(\([^()]*(?:\([^()]*\)[^()]*)*\)\)|\bnoexcept\b")
WRAPPER = re.compile(r'(?:extern ""|(?:inline )?namespace\b[\w: ]*)\s*$')  # its braces do not nest
LEVELS = re.compile(r"\bTW_SIMD_DECLARE\(\s*[\w *]+?,\s*(\w+)\s*,")
NOT_FUNCTIONS = {"_Static_assert", "static_assert", "_Alignas", "alignas"}


def statements(text):
    """(position, text, terminator) of text outside braces, ended by ';' or '{'."""
    depth, start = 0, 0
    for match in re.finditer(r"[;{}]", text):
        sign, at = match.group(0), match.start()
        if sign == "{":
            if depth == 0 and WRAPPER.search(text[start:at]):
                start = at + 1
                continue
            if depth == 0:
                yield start, text[start:at], sign
            depth += 1
        elif sign == "}":
            depth = max(depth - 1, 0)  # less than 0: the end of a wrapper
            start = at + 1 if depth == 0 else start
        elif depth == 0:
            yield start, text[start:at], sign
            start = at + 1


class Functions:
    """Functions with external linkage that a file declares and defines: name -> line.

    TW_SIMD_NAME and TW_SIMD_DECLARE count as the name without its level. A name made by another macro,
    as in SORT_NAME(tw_sort)(...), counts as tw_sort_*.
    """

    def __init__(self, text):
        self.declared, self.defined = {}, {}
        text = code(text)
        for start, words, sign in statements(text):
            levels = LEVELS.search(words)
            if levels:
                self.declared.setdefault(levels.group(1), line_of(text, start + levels.start(1)))
                continue
            words = ATTRIBUTE.sub(lambda m: " " * len(m.group(0)), words)
            head = HEAD.search(words)
            if not head or not self.is_function(words[:head.start()].split(), head):
                continue
            macro, argument, name = head.groups()
            if macro:
                name = argument if macro == "TW_SIMD_NAME" else argument + "_*"
            found = self.defined if sign == "{" else self.declared
            found.setdefault(name, line_of(text, start + head.start()))

    @staticmethod
    def is_function(ahead, head):
        """Whether these words and this name begin a function with external linkage."""
        return (bool(ahead) and not {"static", "typedef", "TW_INLINE", "using", "template"} & set(ahead)
                and "=" not in ahead and not NOT_FUNCTIONS & set(head.groups()))

    def where(self, name):
        return self.defined.get(name, self.defined.get(name.rpartition("_")[0] + "_*"))


LEVEL = re.compile(r"_(?:narrow|avx2|avx512)$")  # of the instruction set that a source is compiled for


def of_object(root, path):
    """The source of an object built by CMake, relative to the root."""
    parts = []
    for part in Path(path).with_suffix("").parts:
        if part == "__":
            parts.pop()
        elif part != "CMakeFiles" and not part.endswith(".dir"):
            parts.append(part)
    for k in range(len(parts)):
        found = Path(*parts[k:])
        for name in (found, found.with_name(LEVEL.sub("", found.stem) + found.suffix)):
            if name.parts[0] in ("src", "apps", "plugins") and (root / name).is_file():
                return name
    sys.exit(f"{path}: no source of this name")


def symbols(path, *options):
    """(name, type) of each symbol that an object defines or needs from others."""
    command = ["nm", "--format=posix", "--extern-only", *options, path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return [tuple(line.split()[:2]) for line in done.stdout.splitlines()]


class Report:
    """Violations found by one check, printed as file:line: text."""

    def __init__(self, name):
        self.name, self.violations = name, []

    def add(self, path, line, text):
        self.violations.append(f"{path}:{line}: {text}")

    def finish(self, what):
        """Prints everything and returns the exit status."""
        for violation in self.violations:
            print(violation)
        print(f"{self.name}: {what}, {len(self.violations)} violations")
        return 1 if self.violations else 0


def options(arguments, usage):
    """(root, other words) of `[--root ROOT] [WORD...]`; exits if wrong."""
    root, words = Path(__file__).parent.parent, list(arguments)
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option == "--root" and words:
            root = Path(words.pop(0))
        else:
            print(usage.strip(), file=sys.stderr)
            sys.exit(2)
    return root.resolve(), words
