# SPDX-License-Identifier: BSD-3-Clause
"""Reads scenario.yaml of a run: the scenario with all defaults, in the form that the program writes.

That form is a small part of YAML: maps and lists by indentation, values on the line of their key.
The package therefore needs no YAML library. A scenario written by hand is read by the program.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, List, Tuple

from .results_files import RunError, number_of, quote

#: (number of the line, indentation, is an item of a list, key, text of the value)
Line = Tuple[int, int, bool, str, str]

DEEPEST = 50


def read_scenario(path: Path, text: str) -> dict:
    """The scenario as dicts, lists, numbers, texts and booleans."""
    lines = [line_of(path, number, line) for number, line in enumerate(text.split("\n"), 1)
             if line.strip() and not line.lstrip().startswith("#")]
    if not lines:
        raise RunError(f"{path}: empty; expected the scenario of the run")
    value, end = block(path, lines, 0, 0, 0)
    if end < len(lines):
        raise RunError(f"{path}:{lines[end][0]}: unexpected indentation")
    if not isinstance(value, dict):
        raise RunError(f"{path}:{lines[0][0]}: expected keys and values, not a list")
    return value


def line_of(path: Path, number: int, line: str) -> Line:
    bare = line.lstrip(" ")
    indent = len(line) - len(bare)
    item = bare.startswith("- ")
    if item:
        bare = bare[2:]
    key, colon, rest = bare.partition(":")
    if not colon or not key or not all(c.isalnum() or c == "_" for c in key):
        raise RunError(f"{path}:{number}: expected 'key: value', found {quote(line.strip())}")
    if rest and not rest.startswith(" "):
        raise RunError(f"{path}:{number}: no space after the colon of {quote(key)}")
    return number, indent, item, key, rest.strip()


def block(path: Path, lines: List[Line], at: int, indent: int, depth: int) -> Tuple[Any, int]:
    """The map or list whose lines have this indentation."""
    if depth > DEEPEST:
        raise RunError(f"{path}:{lines[at][0]}: nested too deeply")
    if lines[at][2] and lines[at][1] == indent:
        items = []
        while at < len(lines) and lines[at][2] and lines[at][1] == indent:
            number, _, _, key, text = lines[at]
            lines[at] = number, indent + 2, False, key, text
            value, at = block(path, lines, at, indent + 2, depth + 1)
            items.append(value)
        return items, at
    result: dict = {}
    while at < len(lines) and lines[at][1] == indent and not lines[at][2]:
        number, _, _, key, text = lines[at]
        if key in result:
            raise RunError(f"{path}:{number}: key {quote(key)} appears twice")
        at += 1
        if text:
            result[key] = value_of(path, number, text)
        elif at < len(lines) and lines[at][1] > indent:
            result[key], at = block(path, lines, at, lines[at][1], depth + 1)
        else:
            result[key] = None
    return result, at


def value_of(path: Path, number: int, text: str) -> Any:
    value, rest = scan(path, number, text, 0)
    if rest:
        raise RunError(f"{path}:{number}: {quote(rest)} after the value")
    return value


def scan(path: Path, number: int, text: str, depth: int) -> Tuple[Any, str]:
    """The value at the start of the text, and what follows it."""
    if depth > DEEPEST:
        raise RunError(f"{path}:{number}: nested too deeply")
    if text.startswith('"'):
        try:
            value, end = json.JSONDecoder().raw_decode(text)
        except ValueError:
            raise RunError(f"{path}:{number}: a text in quotes that does not end") from None
        return value, text[end:].lstrip()
    if not text.startswith("["):
        end = min((k for k in (text.find(","), text.find("]")) if k >= 0 and depth), default=len(text))
        return word(text[:end].strip()), text[end:]
    items = []
    text = text[1:].lstrip()
    while not text.startswith("]"):
        value, text = scan(path, number, text, depth + 1)
        items.append(value)
        if text.startswith(","):
            text = text[1:].lstrip()
        elif not text.startswith("]"):
            raise RunError(f"{path}:{number}: a list that does not end with ]")
    return items, text[1:].lstrip()


def word(text: str) -> Any:
    if text in ("yes", "no"):
        return text == "yes"
    if text.isascii() and text.isdigit():
        return int(text) if len(text) < 19 else text
    number = number_of(text)
    return text if number is None else number
