# SPDX-License-Identifier: BSD-3-Clause
"""The extension module twirl._core: the public headers, as cffi sees them.

    python3 build_core.py --include DIR --output FILE.c [--cc CC]

writes its C source. The declarations are taken from the headers by the C preprocessor, so no struct, function
or constant is written a second time in Python. Inline functions are left out: the library does not have them.
"""

import argparse
import os
import re
import shlex
import subprocess
from pathlib import Path

import cffi

HEADERS = ("twirl/twirl.h", "twirl/run_progress.h", "twirl/simd.h")
HERE = Path(__file__).resolve().parent

MARKER = re.compile(r'^# \d+ "([^"]*)"')
ATTRIBUTE = re.compile(r"__attribute__\s*\(\([^()]*(?:\([^()]*\)[^()]*)*\)\)")
DEFINE = re.compile(r"^#define (TW_[A-Z0-9_]+) (.+)$", re.M)
INTEGER = re.compile(r"\(?(?:UINT(?:32|64)_MAX|0[xX][0-9a-fA-F]+|\d+)[uUlL]*\)?")
NUMBER = re.compile(r"\(?-?(?:HUGE_VAL|\d+\.\d*(?:[eE][-+]?\d+)?)\)?")


def preprocess(compiler, include, *options):
    """The headers after the preprocessor."""
    source = "".join(f"#include <{name}>\n" for name in HEADERS)
    command = [*compiler, "-std=c11", "-E", "-x", "c", *options, f"-I{include}", "-"]
    return subprocess.run(command, input=source, text=True, check=True, stdout=subprocess.PIPE).stdout


def own_lines(text, include):
    """What stands in our headers, without the headers of the system."""
    inside, lines = False, []
    for line in text.splitlines():
        marker = MARKER.match(line)
        if marker:
            inside = Path(marker.group(1)).is_relative_to(include)
        elif inside and not line.startswith("#"):
            lines.append(line)
    return "\n".join(lines)


def statements(text):
    """(statement, body) at the top level: body is the first block in braces, or None. A function has no ';'
    after it."""
    start = at = 0
    while at < len(text):
        if text[at] == ";":
            yield text[start:at].strip(), None
            start = at = at + 1
        elif text[at] == "{":
            depth, end = 1, at + 1
            while depth:
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            head = text[start:at].strip()
            if head.endswith(")"):  # the body of a function
                yield head, text[at:end]
                start = at = end
            else:  # a struct or an enum: to its semicolon
                end = text.index(";", end)
                yield text[start:end].strip(), None
                start = at = end + 1
        else:
            at += 1


def declarations(compiler, include):
    """The text for ffi.cdef."""
    include = Path(include).resolve()
    text = ATTRIBUTE.sub("", own_lines(preprocess(compiler, include), include))
    kept = [statement + ";" for statement, body in statements(text)
            if statement and body is None and not statement.startswith(("static", "extern \"C\""))]
    macros = preprocess(compiler, include, "-dM")
    for name, value in sorted(DEFINE.findall(macros)):
        if INTEGER.fullmatch(value):
            kept.append(f"#define {name} ...")
        elif NUMBER.fullmatch(value):
            kept.append(f"static const double {name};")
    return "\n".join(kept) + "\n"


def builder(include, compiler=None):
    """The cffi builder of twirl._core."""
    compiler = compiler or shlex.split(os.environ.get("CC", "cc"))
    own = (HERE / "core.c").read_text(encoding="utf-8")
    offered = own.split("/* cdef */")[1].split("/* end of cdef */")[0]
    ffi = cffi.FFI()
    ffi.cdef(declarations(compiler, include) + "void free(void *pointer);\n" + offered.replace("static ", ""))
    ffi.cdef('extern "Python" void tw_core_on_message(const char *line, void *owner);')
    ffi.set_source("twirl._core", own, py_limited_api=True, include_dirs=[str(include)])
    return ffi


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--include", required=True, help="folder of the public headers")
    parser.add_argument("--output", required=True)
    parser.add_argument("--cc", default=None, help="compiler; default: CC, or cc")
    given = parser.parse_args()
    compiler = shlex.split(given.cc) if given.cc else None
    builder(given.include, compiler).emit_c_code(given.output)


if __name__ == "__main__":
    main()
