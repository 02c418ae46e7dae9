# SPDX-License-Identifier: BSD-3-Clause
"""Reading the files of a run: text, JSON and tables, with messages that name file and line."""

from __future__ import annotations

import csv
import json
import os
import stat
from pathlib import Path
from typing import AbstractSet, Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

import numpy as np

from .errors import MissingRunError, RunError

#: Columns of texts, and columns of counts; all others are numbers.
TEXTS = frozenset(["stage", "law", "split", "circle", "case", "status"])
COUNTS = frozenset(["step", "stage_step", "rattlers", "check", "probe", "points"])


BLOCK = 4096  # lines


def quote(text: str, most: int = 60) -> str:
    """Text of a file for a message: on one line, not too long."""
    return repr(text if len(text) <= most else text[:most] + "...")


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def read_bytes(path: Path) -> bytes:
    try:
        # Checked first: a read from a named pipe would wait for ever.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise RunError(f"{path}: not a regular file")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise unreadable(path, "cannot be read", error) from None


def unreadable(path: Path, what: str, error: Exception) -> RunError:
    """The error to raise where the system has refused a file or folder."""
    reason = error.strerror if isinstance(error, OSError) else str(error)
    kind = MissingRunError if isinstance(error, FileNotFoundError) else RunError
    return kind(f"{path}: {what}: {reason}" if what else f"{path}: {reason}")


def decode(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RunError(f"{path}:{line}: not UTF-8 text: byte 0x{data[error.start]:02x}") from None


def json_of(path: Path, text: str) -> Dict[str, Any]:
    """The JSON object in the text of a file."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise RunError(f"{path}:{error.lineno}: not JSON: {error.msg}") from None
    except ValueError as error:  # a number of thousands of digits
        raise RunError(f"{path}: not a file of a run: {error}") from None
    except RecursionError:
        raise RunError(f"{path}: not a file of a run: nested too deeply") from None
    if not isinstance(value, dict):
        raise RunError(f"{path}: expected a JSON object")
    return value


def read_table(path: Path, incomplete: bool = False, counts: AbstractSet[str] = COUNTS,
               loose: Optional[Callable[[List[str]], List[str]]] = None) -> np.ndarray:
    """The rows of a CSV file as a structured array, with a field for each column of the header.

    Columns of counts are ``int64``, texts are strings, all others ``float64``: the nearest doubles
    of the text, as ``float()`` reads them. An empty field is ``nan``. With ``incomplete`` a last
    line without its end, of a file that is still being written, is ignored. ``loose`` tells, from
    all names, columns that are numbers or texts, as it comes.
    """
    return table_of(path, decode(path, read_bytes(path)), incomplete, counts, loose)


def table_of(path: Path, text: str, incomplete: bool = False, counts: AbstractSet[str] = COUNTS,
             loose: Optional[Callable[[List[str]], List[str]]] = None) -> np.ndarray:
    """The table in the text of a file."""
    if incomplete and not text.endswith("\n"):
        text = text[:text.rfind("\n") + 1]
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise RunError(f"{path}:{line}: damaged: the line has zero bytes")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if not lines or not lines[0].strip():
        raise RunError(f"{path}: no header: the first line must name the columns")
    names = header_of(path, lines[0])
    either = loose(names) if loose else []
    parts: List[List[np.ndarray]] = [[] for _ in names]
    for first in range(1, max(len(lines), 2), BLOCK):  # in parts: fields as texts take much memory
        rows, numbers = rows_of(path, lines[first:first + BLOCK], first + 1, len(names))
        for name, part, values in zip(names, parts, zip(*rows) if rows else ((),) * len(names)):
            part.append(np.array([value.strip() for value in values], dtype=np.str_)
                        if name in TEXTS or name in either
                        else numbers_of(path, name, values, numbers, name in counts))
    columns = [np.concatenate(part) for part in parts]
    for k, name in enumerate(names):
        if name in either and name not in TEXTS and all(number_of(v) is not None for v in columns[k]):
            columns[k] = np.array([number_of(v) for v in columns[k]])
    table = np.empty(len(columns[0]), [(name, column.dtype) for name, column in zip(names, columns)])
    for name, column in zip(names, columns):
        table[name] = column
    return table


def rows_of(path: Path, lines: Sequence[str], first: int, width: int) -> Tuple[List[List[str]], List[int]]:
    """The fields of these lines, the first of which has this number, and their numbers; empty lines are left out."""
    rows: List[List[str]] = []
    numbers: List[int] = []
    for number, fields in enumerate(split(lines), first):
        if not fields:
            continue
        if len(fields) != width:
            raise RunError(f"{path}:{number}: {plural(len(fields), 'field')}, but the header has {width}")
        rows.append(fields)
        numbers.append(number)
    return rows, numbers


def split(lines: Sequence[str]) -> Iterable[List[str]]:
    """The fields of each line; quotes as in RFC 4180."""
    if any('"' in line for line in lines):
        return csv.reader(lines)
    return (line.rstrip("\r").split(",") if line.strip() else [] for line in lines)


def header_of(path: Path, line: str) -> List[str]:
    names = [name.strip() for name in next(iter(split([line])))]
    for k, name in enumerate(names):
        if not name:
            raise RunError(f"{path}:1: column {k + 1} has no name")
        if name in names[:k]:
            raise RunError(f"{path}:1: column {quote(name)} appears twice")
    return names


def numbers_of(path: Path, name: str, values: Sequence[str], lines: Sequence[int],
               count: bool) -> np.ndarray:
    if not count and "_" not in "".join(values):
        try:
            return np.array(values, dtype=np.float64)  # by float(), faster than one by one
        except ValueError:
            pass
    column = np.empty(len(values), np.int64 if count else np.float64)
    for k, text in enumerate(values):
        value = count_of(text) if count else number_of(text)
        if value is None:
            raise RunError(f"{path}:{lines[k]}: column {quote(name)}: {quote(text)} is not a "
                           f"{'whole ' if count else ''}number")
        column[k] = value
    return column


def number_of(text: str) -> Optional[float]:
    """float() as the program reads numbers: without underscores; nothing is nan."""
    try:
        return float(text) if "_" not in text else None
    except ValueError:
        return None if text.strip() else float("nan")


def count_of(text: str) -> Optional[int]:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
