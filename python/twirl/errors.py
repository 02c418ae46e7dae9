# SPDX-License-Identifier: BSD-3-Clause
"""Errors of the engine and of results as exceptions, and warnings."""

from __future__ import annotations

import enum
import re
import sys
import warnings
from typing import List, NamedTuple, Optional

#: Why a call failed: the values of tw_status. Written out, because text files are read without the compiled part of the package.
Status = enum.IntEnum("Status", "OK INPUT FILE MEMORY PHYSICS VERSION INTERRUPTED DEVICE", start=0)


class Error(Exception):
    """A call has failed. `status` is a Status, `text` says why and what is expected."""

    def __init__(self, text: str, status: int = Status.INPUT):
        super().__init__(text)
        self.text = text
        self.status = Status(status)


class RunError(Error):
    """A folder that is not a run or a sweep, or a file in it that cannot be read.

    The message names the file, the line where there is one, and what is wrong.
    """

    def __init__(self, text: str):
        super().__init__(text, Status.FILE)


class MissingRunError(RunError, FileNotFoundError):
    """A folder or file that does not exist."""


class Problem(NamedTuple):
    """One error or warning in a scenario. What is not known is None."""

    file: Optional[str]
    line: Optional[int]
    column: Optional[int]
    key: Optional[str]
    text: str


PLACE = re.compile(r"(?P<file>.*?):(?P<line>\d+):(?P<column>\d+): (?P<rest>.*)", re.S)
SETTING = re.compile(r"--set '(?P<setting>.*?)': (?P<rest>.*)", re.S)
KEY = re.compile(r"(?P<key>[A-Za-z_][\w.\[\]-]*): (?P<text>.*)", re.S)
#: What stands before the text of a message that has no key.
NOT_KEYS = ("warning", "invalid YAML")


def problem(message: str, is_file: bool = True) -> Problem:
    """Takes a line of tw_scenario_errors apart."""
    file = line = column = None
    rest = message
    place, setting = PLACE.fullmatch(message), SETTING.fullmatch(message)
    if setting:
        rest = setting["rest"]
    elif place:
        file, line, column, rest = place["file"], int(place["line"]), int(place["column"]), place["rest"]
    keyed = KEY.fullmatch(rest)
    key = None
    if keyed and (place or setting) and keyed["key"] not in NOT_KEYS:
        key, rest = keyed["key"], keyed["text"]
    if not is_file:
        file = line = column = None
    return Problem(file, line, column, key, rest)


class ScenarioError(Error):
    """All errors of a scenario. `errors` and `warnings` are lists of Problem; the text has a line for each."""

    def __init__(self, name: str, lines: List[str], warnings: List[str], is_file: bool = True):
        count = len(lines)
        shown = [line if is_file else PLACE.sub(r"\g<rest>", line) for line in lines]  # a dict has no lines
        shown = [line.replace("--set '", "set '", 1) if SETTING.match(line) else line for line in shown]
        super().__init__("\n".join([f"{count} error{'' if count == 1 else 's'} in {name}:", *shown]))
        self.errors = [problem(line, is_file) for line in lines]
        self.warnings = [problem(line, is_file) for line in warnings]
        self._given = name, lines, warnings, is_file

    def __reduce__(self):
        return ScenarioError, self._given


def warn(text: str) -> None:
    """Warns at the line of the caller of the package."""
    frame, level = sys._getframe(1), 2
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] in ("twirl", "functools"):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)
