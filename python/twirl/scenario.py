# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios: element tests from a file or a dict."""

from __future__ import annotations

import json
import os
import re
import threading
from pathlib import Path
from typing import List, Mapping, Optional, Union

from . import native
from . import progress as shown
from ._core import ffi, lib
from .errors import Error, Problem, RunError, ScenarioError, problem
from .native import call, text_of

#: How often progress is looked at [s].
INTERVAL = 0.2

Source = Union[str, os.PathLike, Mapping]


def value_text(value) -> str:
    """A value as it is written in a scenario: JSON is YAML."""
    return "" if value is None else json.dumps(value, default=_plain)


def _plain(value):
    """Numbers and arrays of numpy."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a scenario cannot hold {value!r}")


def in_python(text: str) -> str:
    """A message of a run, with the arguments of twirl.run in place of the options of the program."""
    text = re.sub(r"(?<!\S)--(resume|extend|restart)\b", r"\1=True", text)
    text = re.sub(r"(?<!\S)--device (\w+)", r"device='\1'", text)
    return re.sub(r"(?<!\S)--(out|specimen|threads)\b", r"\1", text)


class Scenario:
    """A scenario that has been read and checked.

    `source` is the name of a file, or a dict with the keys of one: {"specimen": {"count": 500, ...}, ...}. In a dict,
    quantities are numbers in SI units or texts such as "100 kPa"; names of files are relative to the current folder.
    `set` overrides keys: {"material.friction": 0.4, "stages[shear].end.strain": 0.1}; None removes one. `begun`: a file
    for a run that has begun: what its specimen was read from need not be there any more.
    All errors are raised together as a ScenarioError.
    """

    def __init__(self, source: Source, set: Optional[Mapping[str, object]] = None, *, begun: bool = False):
        settings = [f"{key}={value_text(value)}".encode() for key, value in (set or {}).items()]
        texts = [ffi.new("char[]", one) for one in settings]
        pointers = ffi.new("const char *[]", texts or 1)
        errors = ffi.new("tw_scenario_errors *")
        self.is_file = is_file = not isinstance(source, Mapping)
        self.name = os.fspath(source) if is_file else "scenario"
        try:
            if is_file:
                read = lib.tw_scenario_read_begun if begun else lib.tw_scenario_read
                found = read(native.path_bytes(source), pointers, len(texts), errors)
            else:
                text = json.dumps(source, indent=1, default=_plain).encode()
                found = lib.tw_scenario_read_text(text, len(text), b"scenario", pointers, len(texts), errors)
            self._take(found, errors, is_file)
        finally:
            lib.tw_scenario_errors_free(errors)

    def _take(self, found, errors, is_file):
        def lines(texts, count):
            return [text_of(texts[k]) for k in range(count)]
        wrong, warnings = lines(errors.text, errors.count), lines(errors.warning, errors.warning_count)
        if not found and errors.out_of_memory:
            raise MemoryError("the scenario")
        if not found:
            raise ScenarioError(self.name, wrong, warnings, is_file)
        self._pointer = ffi.gc(found, lib.tw_scenario_free)
        self.warnings: List[Problem] = [problem(line, is_file) for line in warnings]

    @property
    def title(self) -> Optional[str]:
        """Its title, if it has one."""
        return text_of(self._pointer.title) if self._pointer.title else None

    @property
    def text(self) -> str:
        """The scenario as YAML, with defaults filled in and in SI units; reading it gives the same scenario."""
        return native.take_text(lib.tw_scenario_write_text(self._pointer))

    @property
    def plan(self) -> str:
        """What is to be done, in a line."""
        text = ffi.new("char[]", 200)
        lib.tw_run_progress_plan(self._pointer, text, len(text))
        return text_of(text)

    def run(self, out: Union[str, os.PathLike], *, resume: bool = False, extend: bool = False,
            restart: bool = False, specimen: Union[str, os.PathLike, None] = None, threads: int = 0,
            device: Optional[str] = None, progress: bool = True):
        """Runs the scenario into the folder `out` and returns its results; the arguments are those of twirl.run."""
        from . import Run
        call(lib.tw_run_check, self._pointer)
        _Running(self, shown.choose(progress)).go(out, resume, extend, restart, specimen, threads, device)
        return Run(out)

    def __reduce__(self):  # also that of copy.copy and copy.deepcopy
        raise TypeError("a scenario cannot be copied or pickled: make another one from its file or dict")

    def __repr__(self):
        return f"<Scenario {self.title or self.name}: {self.plan}>"


def resolved_of_run(folder: Union[str, os.PathLike]) -> str:
    """The scenario of the run in a folder as JSON."""
    errors = ffi.new("tw_scenario_errors *")
    found = ffi.gc(lib.tw_scenario_read_begun(native.path_bytes(os.path.join(folder, "scenario.yaml")), ffi.NULL, 0, errors),
                   lib.tw_scenario_free)
    try:
        if not found:
            raise RunError(text_of(errors.text[0]) if errors.count else "out of memory")
        return native.take_text(lib.tw_scenario_write_json(found))
    finally:
        lib.tw_scenario_errors_free(errors)


@ffi.def_extern()
def tw_core_on_message(line, owner):
    """A line of the log; called in the thread of the run."""
    ffi.from_handle(owner).on_message(text_of(line))


class _Running:
    """A run in a thread of its own, watched by the caller's, which can be interrupted."""

    def __init__(self, scenario: Scenario, display: shown.Silent):
        self.scenario = scenario
        self.display = display
        self.lines: List[str] = []
        self.handle = ffi.new_handle(self)
        watch = lib.tw_core_watch_new(self.handle)
        if not watch:
            raise MemoryError("a run")
        self.watch = ffi.gc(watch, lib.tw_core_watch_free)

    def on_message(self, line):
        self.lines.append(line)

    def go(self, out, resume, extend, restart, specimen, threads, device):
        """Runs, and raises what went wrong."""
        if (resume or extend) and restart:
            raise ValueError("resume and extend continue the run, restart moves it aside: give one")
        kept = [ffi.new("char[]", native.path_bytes(out)),
                ffi.NULL if specimen is None else ffi.new("char[]", native.path_bytes(specimen)),
                ffi.NULL if device is None else ffi.new("char[]", device.encode()),
                ffi.new("char[]", _program().encode())]
        threads = native.count(threads, "threads", 0, native.THREADS_MAX)
        plan = ffi.new("tw_run_plan *", lib.tw_core_watch_plan(self.watch))
        plan.folder, plan.specimen, plan.device, plan.program = kept
        plan.resume, plan.extend, plan.restart, plan.threads = bool(resume), bool(extend), bool(restart), threads
        error = ffi.new("tw_error *")
        done, once = threading.Event(), threading.Lock()
        status = []

        def work(_kept=kept):  # whatever happens here, the thread keeps what it uses
            if not once.acquire(blocking=False):
                return
            try:
                status.append(lib.tw_run_scenario(self.scenario._pointer, plan, error))
            finally:
                done.set()

        with native.files_alone():
            self.display.message(self.scenario.plan)
            interrupted = self.wait(work, done)
        self.show()
        if interrupted and status[0] in (lib.TW_STATUS_OK, lib.TW_STATUS_INTERRUPTED):
            raise KeyboardInterrupt(f"the run in {os.fspath(out)} has been stopped; resume=True continues it")
        if status[0] != lib.TW_STATUS_OK:
            raise Error(in_python(text_of(error.text)), error.status)
        text = ffi.new("char[]", 200)
        lib.tw_core_watch_total(self.watch, text, len(text))
        self.display.end(text_of(text))

    def wait(self, work, done) -> bool:
        """Starts the thread and shows the progress until the run has ended; returns whether it was interrupted.
        Ctrl-C ends it with its state saved, and is repeated by the caller after that."""
        interrupted = begun = False
        while not done.is_set():
            try:
                if not begun:  # Ctrl-C in here leads to a second thread, which finds nothing to do
                    threading.Thread(target=work, name="twirl").start()
                    begun = True
                while not done.wait(INTERVAL):  # also wakes up for signals
                    self.show()
            except KeyboardInterrupt:
                interrupted = True
                lib.tw_core_watch_stop(self.watch)
            except BaseException:
                lib.tw_core_watch_stop(self.watch)
                done.wait()
                raise
        return interrupted

    def show(self):
        while self.lines:
            self.display.message(self.lines.pop(0))
        latest = ffi.new("tw_core_progress *")
        if lib.tw_core_watch_progress(self.watch, latest):
            self.display.show(latest.progress, text_of(latest.line))


def _program() -> str:
    import platform
    from . import __version__
    return f"twirl {__version__}, Python {platform.python_version()}"


def run(source: Union[Source, Scenario], *, set: Optional[Mapping[str, object]] = None,
        out: Union[str, os.PathLike, None] = None, resume: bool = False, extend: bool = False, restart: bool = False,
        specimen: Union[str, os.PathLike, None] = None, threads: int = 0, device: Optional[str] = None,
        progress: bool = True):
    """Runs a scenario, as `twirl run` does and with the same bits, and returns its results, a twirl.Run.

    `source` is a file, a dict or a Scenario; `set` overrides keys (see Scenario). `out` is the folder for the results,
    by default the name of the file without its extension, in the current folder; it is made in a folder that must
    exist. `resume` continues an interrupted run, `extend` also a finished one with a scenario that goes further,
    `restart` sets an old one aside; `specimen` takes the specimen from another run; `threads` and `device` do not
    change the results. `progress` shows a bar in a terminal or notebook, and lines elsewhere.

    Ctrl-C ends the run after the present step with its state saved, and raises KeyboardInterrupt. HDF5 allows one
    thread at a time: a second run in another thread of the same process waits for the first.
    """
    if isinstance(source, Scenario):
        if set:
            raise TypeError("set: is for a file or a dict; give it to Scenario")
        scenario = source
    else:
        scenario = Scenario(source, set, begun=resume or extend)
    if out is None:
        if not scenario.is_file:
            raise TypeError("out: the folder for the results of a scenario that is no file")
        out = Path(scenario.name).stem
    return scenario.run(out, resume=resume, extend=extend, restart=restart, specimen=specimen, threads=threads,
                        device=device, progress=progress)


__all__ = ["Scenario", "run"]
