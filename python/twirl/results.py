# SPDX-License-Identifier: BSD-3-Clause
"""The folder of a run, read lazily: history, stages, summary, scenario, probes, states.

Texts and tables are read without the compiled part of the package. What needs it, imports it when it is used: quantities, checks,
states, and whether a run that has not finished is running.
"""

from __future__ import annotations

import os
import re
import stat
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple, Union

import numpy as np

from .errors import warn
from .results_files import RunError, decode, is_file, json_of, quote, read_bytes, read_table, table_of, unreadable
from .table import frame_of

if TYPE_CHECKING:
    from . import derived
    from .results_checkpoint import Checkpoint

__all__ = ["Run", "RunError", "Stage", "read_history"]

#: Name of the preparation in histories and summaries.
PREPARATION = "specimen"


class Stage:
    """A stage of a run; ``specimen`` is the preparation."""

    def __init__(self, run: "Run", name: str, rows: slice, definition: Dict[str, Any]):
        self.run = run
        #: Name in the scenario.
        self.name = name
        #: Rows of ``run.history`` that belong to it.
        self.rows = rows
        #: The stage of the resolved scenario, with all defaults.
        self.definition = definition

    def __repr__(self) -> str:
        return (f"<twirl.Stage {self.name!r}: {self.path}, {self.rows.stop - self.rows.start} rows, "
                f"{self.state}>")

    @property
    def path(self) -> str:
        """Loading path: ``triaxial``, ``probes`` ...; ``preparation`` for the specimen."""
        return self.definition.get("path") or self.summary.get("path", "")

    @cached_property
    def loading(self) -> derived.Path:
        """What the definitions of stresses and strains depend on."""
        from . import derived

        return derived.loading_of(self.run.folder, self.name) if len(self.history) else derived.PLAIN

    @cached_property
    def summary(self) -> Dict[str, Any]:
        """Its part of the summary, from ``stages/NAME.json``; empty until the stage has ended."""
        name = self._file(".json")
        return self.run._read_json(name) if name else {}

    def _file(self, rest: str) -> Optional[str]:
        """A file of the stage, by its name in the folder of the run; None: it is not there. Names come from files, which
        may be damaged: none leads out of the folder."""
        if not self.name or self.name.startswith(".") or "/" in self.name or "\0" in self.name:
            return None
        name = f"stages/{self.name}{rest}"
        return name if self.run._has(name) else None

    @property
    def end(self) -> Optional[str]:
        """Key of the condition that ended it, such as ``strain``; None: it has not ended."""
        return self.summary.get("end")

    @property
    def state(self) -> str:
        """``waiting`` for its turn, ``finished``, or as that of the run."""
        if self.summary:
            return "finished"
        if self.rows.stop == self.rows.start:
            return "waiting"
        return self.run.state if self.run.state != "finished" else "interrupted"

    @property
    def end_text(self) -> Optional[str]:
        """Why it ended, for people: ``ended at axial strain 0.01 (end.strain)``."""
        return self.summary.get("end_text")

    @property
    def warnings(self) -> List[str]:
        """Quantities beyond the limits of the table "Check before you trust a result" (output.md)."""
        return [line for line in self.run._doubts if line.startswith(self.name + ": ")]

    @property
    def history(self) -> np.ndarray:
        """Its rows of the history, a view."""
        return self.run.history[self.rows]

    def __getitem__(self, name: str) -> np.ndarray:
        """A column of the history, or a quantity such as ``axial_strain`` or ``work``.

        Where both exist, as for ``q``, this is the column; ``curve`` gives the quantity.
        """
        if name in (self.run.history.dtype.names or ()):
            return self.history[name]
        return self.curve(name)

    def curve(self, name: str) -> np.ndarray:
        """A quantity with the definition of ``twirl plot``; names are those of ``curves.csv``."""
        from . import derived

        return derived.curve(self.history, name, self.loading)

    def curves(self) -> Dict[str, np.ndarray]:
        """All quantities of ``twirl plot`` that have a number in any row."""
        from . import derived

        return derived.curves(self.history, self.loading)

    def frame(self) -> Any:
        """Its rows as a pandas DataFrame."""
        return frame_of(self.history)

    @cached_property
    def probes(self) -> np.ndarray:
        """Table of the probes of a stage with probes: a row for each law and direction."""
        return self._table("probes.csv")

    @cached_property
    def fits(self) -> np.ndarray:
        """Table of the fitted circles of a stage with probes."""
        return self._table("fits.csv")

    @cached_property
    def probes_summary(self) -> Dict[str, Any]:
        """Settling, stiffnesses and checks of a stage with probes: ``probes.json``."""
        name = self._file("/probes.json")
        return self.run._read_json(name) if name else self._none("probes.json")

    @cached_property
    def rates(self) -> np.ndarray:
        """Table of a stage of rates: a row for each direction."""
        return self._table("rates.csv")

    def _table(self, name: str) -> np.ndarray:
        path = self._file("/" + name)
        return table_of(self.run.folder / path, self.run._read_text(path)) if path else self._none(name)

    def _none(self, name: str) -> Any:
        of = name.split(".")[0].replace("fits", "probes")
        why = f"its {of} have not ended" if self.path == of else f"it is a stage of path {self.path}, without {of}"
        raise RunError(f"{self.run.folder}: stage {quote(self.name)} has no {name}: {why}")

    def checkpoint(self) -> Checkpoint:
        """The state at its end."""
        return self.run.checkpoint(self.name)


class Run:
    """The folder of a run of ``twirl run``, ``twirl.run`` or a case of a sweep.

    Files are read when they are first needed; ``refresh()`` reads them anew, for a run that goes on.
    """

    def __init__(self, folder: os.PathLike[str] | str):
        #: The folder.
        self.folder = Path(folder)
        check_folder(self.folder)

    def __repr__(self) -> str:
        return f"<twirl.Run {str(self.folder)!r}: {self.state}, stages {', '.join(self.stages)}>"

    def refresh(self) -> "Run":
        """Forgets what was read, so that it is read anew."""
        for name in list(vars(self)):
            if name != "folder":
                delattr(self, name)
        return self

    @property
    def name(self) -> str:
        """Of the folder."""
        return os.path.basename(os.path.abspath(self.folder))

    # ---- How it stands ----

    @property
    def state(self) -> str:
        """``running``, ``finished``, ``interrupted`` (by a signal or a crash) or ``failed``."""
        if is_file(self.folder / "summary.json"):
            return "finished"
        from . import native
        from ._core import ffi, lib

        status = lib.tw_run_status_of(native.path_bytes(self.folder))
        return ffi.string(lib.tw_run_status_name(status)).decode()

    @property
    def failure(self) -> Optional[str]:
        """Why the run failed; None: it has not."""
        return "".join(self._lines("failure.txt")) or None

    @cached_property
    def identity(self) -> Optional[str]:
        """16 hexadecimal digits that all files of the run share; None: not known."""
        for name, mark in (("run_state_a.txt", "identity "), ("run_state_b.txt", "identity "), ("summary.json", '"run": "')):
            found = is_file(self.folder / name) and re.search(mark.encode() + rb"([0-9a-f]{16})\b", read_bytes(self.folder / name))
            if found:
                return found[1].decode()
        return None

    # ---- Files ----

    def _has(self, name: str) -> bool:
        return os.path.lexists(self.folder / name)

    def _read_text(self, name: str) -> str:
        """The text of a file; before the first, a warning of results that are not as the run has written them."""
        if "_checked" not in vars(self):
            self._checked = True
            for text in doubts_about(self.folder):
                warn(text)
        return decode(self.folder / name, read_bytes(self.folder / name))

    def _read_json(self, name: str) -> Dict[str, Any]:
        return json_of(self.folder / name, self._read_text(name))

    @cached_property
    def scenario_text(self) -> str:
        """``scenario.yaml``: the scenario with every default filled in."""
        return self._read_text("scenario.yaml")

    @cached_property
    def scenario(self) -> Dict[str, Any]:
        """The resolved scenario as dicts and lists, SI units."""
        if self._has("scenario.json"):
            return self._read_json("scenario.json")
        from .scenario import resolved_of_run

        path, _ = self.folder / "scenario.yaml", self.scenario_text  # an error if it is missing, a warning if changed
        return json_of(path, resolved_of_run(self.folder))  # of an earlier version: the library reads the YAML

    @cached_property
    def summary(self) -> Dict[str, Any]:
        """``summary.json``; of a run that has not finished, what is known so far."""
        if self._has("summary.json"):
            return self._read_json("summary.json")
        return {"title": self.scenario.get("title"), "run": self.identity,
                "stages": [stage.summary for stage in self.stages.values() if stage.summary]}

    @cached_property
    def log(self) -> List[str]:
        """Lines of ``run.log``, which is for people: its words may change."""
        return self._lines("run.log")

    def _lines(self, name: str) -> List[str]:
        return self._read_text(name).split("\n")[:-1] if self._has(name) else []

    @property
    def warnings(self) -> List[str]:
        """What to know before trusting the results: ``warnings.txt`` of the run, and checks of the history.

        Warnings about the scenario itself are those of ``twirl check`` and ``twirl.Scenario``.
        """
        return self._lines("warnings.txt") + self._doubts

    @cached_property
    def _doubts(self) -> List[str]:
        """What the library says about the rows of the stages."""
        from .figure import describe

        return describe([self.folder], every=1)["runs"][0]["warnings"]

    # ---- History and stages ----

    @cached_property
    def history(self) -> np.ndarray:
        """All rows of ``history.csv``: a structured array with a field for each column.

        A half-written last line of a run that goes on, or was killed, is left out. A history that
        was changed after the run, or is of another run, is read with a warning.
        """
        finished = is_file(self.folder / "summary.json")
        return table_of(self.folder / "history.csv", self._read_text("history.csv"), incomplete=not finished)

    def series(self, name: str) -> np.ndarray:
        """A table beside the history, ``NAME.csv``: a structured array with a row for each of its rows.

        ``materials``, of a run with several: ``run.series("materials")["share_p:quartz:rubber"]``.
        """
        tables = self._read_json("datapackage.json")["resources"] if self._has("datapackage.json") else []
        known = [str(one.get("name")) for one in tables[1:]]
        if name not in known:
            raise RunError(f"{self.folder}: no series {quote(name)}; there is: {', '.join(known) or 'none'}")
        finished = is_file(self.folder / "summary.json")
        return table_of(self.folder / f"{name}.csv", self._read_text(f"{name}.csv"), incomplete=not finished)

    def frame(self) -> Any:
        """The history as a pandas DataFrame."""
        return frame_of(self.history)

    @cached_property
    def stages(self) -> Dict[str, Stage]:
        """Stages by name, in the order of the run; the first is ``specimen``, the preparation."""
        definitions = {PREPARATION: {}}
        if self._has("scenario.json") or self._has("scenario.yaml"):
            listed = self.scenario.get("stages") or []
            if not isinstance(listed, list) or not all(isinstance(s, dict) for s in listed):
                raise RunError(f"{self.folder / 'scenario.json'}: stages is not a list of stages")
            definitions.update((str(stage.get("name")), stage) for stage in listed)
        rows = dict(parts_of(self.history))
        for name in rows:
            definitions.setdefault(name, {})
        none = slice(len(self.history), len(self.history))
        return {name: Stage(self, name, rows.get(name, none), definition)
                for name, definition in definitions.items()
                if name in rows or definition}

    def __getitem__(self, name: str) -> Stage:
        """A stage by its name."""
        try:
            return self.stages[name]
        except KeyError:
            raise KeyError(f"{self.folder}: no stage {name!r}; there is: "
                           + ", ".join(self.stages)) from None

    def __iter__(self) -> Iterator[Stage]:
        return iter(self.stages.values())

    def __len__(self) -> int:
        return len(self.stages)

    # ---- States ----

    def checkpoints(self) -> Dict[str, Path]:
        """Names of the states that were saved, and their files."""
        found: Dict[str, Path] = {}
        for folder in ("stages", "states"):
            for path in sorted((self.folder / folder).glob("*.h5")):
                found.setdefault(path.stem, path)
        for path in sorted(self.folder.glob("checkpoint_[ab].h5")):
            found[path.stem] = path
        return found

    def checkpoint(self, which: Union[str, int]) -> Checkpoint:
        """The state at the end of a stage, one kept by ``save``, or the one at a step.

        ``specimen`` is the state before the first stage.
        """
        from .results_checkpoint import Checkpoint

        known = self.checkpoints()
        if isinstance(which, str):
            if which in known:
                return self._of_this_run(Checkpoint(known[which]))
            raise RunError(f"{self.folder}: no state {quote(which)}; there is: {', '.join(known)}")
        steps = set()
        for path in known.values():
            state = Checkpoint(path)
            if state.steps == which:
                return self._of_this_run(state)
            steps.add(state.steps)
        raise RunError(f"{self.folder}: no state at step {which}; there is: {', '.join(map(str, sorted(steps)))}")

    def _of_this_run(self, state: Checkpoint) -> Checkpoint:
        """The state, with a warning if its label is that of another run."""
        named = re.match(r"run ([0-9a-f]{16}) ", state.label)
        if named and self.identity and named[1] != self.identity:
            warn(f"{state.path}: belongs to another run: its label is {quote(state.label)}, and this run is "
                 f"{self.identity}")
        return state


def read_history(path: os.PathLike[str] | str) -> np.ndarray:
    """A history on its own, a file history.csv, as a structured array."""
    return read_table(Path(path), incomplete=True)


# ---- Details ----

def doubts_about(folder: Path) -> List[str]:
    """What is not as the run in this folder has written it."""
    try:
        from .figure import check_results
    except ImportError:
        return [f"{folder}: files are read without a check that they are as the run has written them, which needs the compiled part "
                "of the package"]
    return list(check_results([folder]))


def check_folder(folder: Path) -> None:
    try:
        about = os.stat(folder)
    except (OSError, ValueError) as error:
        raise unreadable(folder, "", error) from None
    if not stat.S_ISDIR(about.st_mode):
        raise RunError(f"{folder}: is a file; give the folder of a run")
    if os.path.lexists(folder / "history.csv"):
        return
    if is_file(folder / "sweep.yaml"):
        raise RunError(f"{folder}: is the folder of a sweep; use twirl.read_sweep")
    if is_file(folder / "scenario.yaml") and os.path.lexists(folder / "lock"):
        raise RunError(f"{folder}: the run has no history.csv yet: its grains are being placed")
    inside = sorted(p.parent.name for p in folder.glob("*/history.csv"))
    hint = f"; runs in it: {', '.join(inside[:5])}" if inside else ""
    raise RunError(f"{folder}: not the folder of a run: it has no history.csv{hint}")


def parts_of(history: np.ndarray) -> List[Tuple[str, slice]]:
    """Successive rows of one stage; of a name that comes again, the first."""
    if "stage" not in (history.dtype.names or ()) or len(history) == 0:
        return [("", slice(0, len(history)))]
    names = history["stage"]
    starts = [0, *(np.flatnonzero(names[1:] != names[:-1]) + 1), len(names)]
    parts: Dict[str, slice] = {}
    for first, last in zip(starts[:-1], starts[1:]):
        parts.setdefault(str(names[first]), slice(int(first), int(last)))
    return list(parts.items())
