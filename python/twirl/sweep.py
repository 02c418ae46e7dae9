# SPDX-License-Identifier: BSD-3-Clause
"""The folder of a sweep: its table, and its cases as runs."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy as np

from .errors import MissingRunError
from .results import Run
from .results_files import RunError, is_file, quote, read_table
from .table import frame_of

__all__ = ["Sweep", "read_sweep"]


class Sweep:
    """The results of ``twirl sweep``."""

    def __init__(self, folder: os.PathLike[str] | str):
        #: The folder.
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise MissingRunError(f"{self.folder}: no such folder")
        if not is_file(self.folder / "sweep.yaml"):
            hint = "; it is a run: use twirl.Run" if is_file(self.folder / "history.csv") else ""
            raise RunError(f"{self.folder}: not the folder of a sweep: it has no sweep.yaml{hint}")

    def __repr__(self) -> str:
        return f"<twirl.Sweep {str(self.folder)!r}: {len(self.cases)} cases>"

    @cached_property
    def table(self) -> np.ndarray:
        """``table.csv``: a row for each case, with the varied values and the results.

        Varied values are numbers where all of them are, and otherwise as they were given: '50 kPa'.
        """
        return self._read("table.csv")

    @cached_property
    def means(self) -> np.ndarray:
        """``table_mean.csv``: means and standard deviations over the seeds."""
        return self._read("table_mean.csv")

    def _read(self, name: str) -> np.ndarray:
        path = self.folder / name
        if not os.path.lexists(path):
            why = ("only a sweep over specimen.seed has it" if name == "table_mean.csv"
                   and os.path.lexists(self.folder / "table.csv")
                   else "the sweep has not ended; twirl sweep --resume continues it")
            raise RunError(f"{self.folder}: no {name}: {why}")
        return read_table(path, counts=frozenset(), loose=varied_columns)

    def frame(self) -> Any:
        """The table as a pandas DataFrame."""
        return frame_of(self.table)

    @cached_property
    def varied(self) -> List[str]:
        """Keys that the sweep varies: the columns between ``case`` and ``status``."""
        return varied_columns(list(self.table.dtype.names or ()))[1:]

    @cached_property
    def cases(self) -> Dict[str, Optional[Run]]:
        """Runs by the name of the case; None: that run has not begun."""
        if os.path.lexists(self.folder / "table.csv"):
            names = [str(name) for name in self.table["case"]]
        else:
            names = sorted(p.name for p in (self.folder / "cases").glob("*") if p.is_dir())
        return {name: self._open(name) for name in names}

    def _open(self, name: str) -> Optional[Run]:
        if "/" in name or name in ("", ".", ".."):
            raise RunError(f"{self.folder / 'table.csv'}: {quote(name)} is not the name of a case")
        try:
            return Run(self.folder / "cases" / name)
        except RunError:
            return None

    def __getitem__(self, name: str) -> Run:
        """The run of a case."""
        run = self.cases.get(name)
        if run is None:
            raise KeyError(f"{self.folder}: no run of case {name!r}; there is: "
                           + ", ".join(case for case, run in self.cases.items() if run))
        return run


def varied_columns(names: List[str]) -> List[str]:
    """Columns of varied values: up to ``status`` in the table, up to ``count`` in that of the means."""
    last = "status" if "status" in names else "count"
    return names[:names.index(last)] if last in names else []


#: Opens the folder of a sweep.
read_sweep = Sweep
