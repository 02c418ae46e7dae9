# SPDX-License-Identifier: BSD-3-Clause
"""Whether files are as their run has written them (docs/guide/run.md, "What is checked")."""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path
from typing import Dict, Optional, Tuple

from .results_files import RunError, is_file, read_bytes
from .results_hash import has_check, hash_of

STATE = re.compile(rb"twirl run state 4\n(?P<lines>.*\n)check (?P<check>[0-9a-f]{16})\n", re.S)
VALUE = re.compile(rb"^(identity|log_hash|files_hash|commit|log|files) ((?<=y |h )[0-9a-f]{16}|(?<=t |g |s )\d{1,18})$", re.M)
VALUES = 6
LISTED = re.compile(rb"([0-9a-f]{16}) (\d{1,18}) \S+ ([^\n]+)\n")

#: How summary.json ends: it has no check of its own.
SUMMARY_END = b"\n  ]\n}\n"


def warn(text: str) -> None:
    """Warns at the line of the caller of the package."""
    frame, level = sys._getframe(1), 2
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] in ("twirl", "functools"):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)


class Proof:
    """What the run has noted about its files; nothing of a folder without a run state."""

    def __init__(self, folder: Path):
        self.folder = folder
        #: Values of the newest run state by name.
        self.state = newest_state(folder)
        #: Identity of the run, if it is known.
        self.identity: Optional[str] = self.state.get("identity")
        self.listed = self._list()

    def _list(self) -> Dict[str, Tuple[int, int]]:
        """Hash and length of the files in files.txt."""
        path = self.folder / "files.txt"
        if not self.state or not is_file(path):
            return {}
        data = read_bytes(path)
        if self._grown("files", data):
            self._tell(path)
            return {}
        lines = LISTED.findall(data[:int(self.state["files"])])
        return {name.decode("utf-8", "replace"): (int(value, 16), int(length)) for value, length, name in lines}

    def _grown(self, name: str, data: bytes) -> bool:
        """Whether a file that grows has not kept what it had at the last saved state."""
        length = int(self.state[name])
        return len(data) < length or hash_of(data[:length], 0) != int(self.state[name + "_hash"], 16)

    def _tell(self, path: Path) -> None:
        warn(f"{path}: was changed after the run, or belongs to another run")

    def check(self, name: str, data: bytes) -> None:
        """Warns if the content of a file is not what the run has written."""
        if not self.state:
            return
        if name == "run.log":
            changed = self._grown("log", data)
        elif name == "summary.json":
            changed = not is_summary(data, self.identity)
        else:
            noted = self.listed.get(name)
            changed = noted is not None and noted != (hash_of(data, 0), len(data))
        if changed:
            self._tell(self.folder / name)


def is_summary(data: bytes, identity: str) -> bool:
    """Whether a summary is as the run has written it. Each of its stages has a check."""
    stages = [line.strip().rstrip(b",") for line in data.split(b"\n") if line.startswith(b'    {"name"')]
    return data.endswith(SUMMARY_END) and all(has_check(s, identity) for s in stages)


def newest_state(folder: Path) -> Dict[str, str]:
    """The values of the newest run state that is whole; none: nothing."""
    found: Dict[str, str] = {}
    for name in ("run_state_a.txt", "run_state_b.txt"):
        try:
            data = read_bytes(folder / name)
        except RunError:
            continue
        parts = STATE.fullmatch(data)
        if not parts or hash_of(data[:parts.start("check") - len("check ")], 2) != int(parts["check"], 16):
            continue
        values = {one[1].decode(): one[2].decode() for one in VALUE.finditer(parts["lines"])}
        if len(values) == VALUES and int(values["commit"]) >= int(found.get("commit", 0)):
            found = values
    return found
