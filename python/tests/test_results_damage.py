# SPDX-License-Identifier: BSD-3-Clause
"""Folders that are no runs, runs under way, and damaged files: told by name, never by a traceback of numpy."""

import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
import conftest
import twirl
from results_runs import paths, twirl as program  # noqa: F401

LONG = """
specimen: {count: 60, sizes: {d: 1 mm}, preparation: {pressure: 100 kPa, friction: 0.1}}
material: {stiffness_level: 1000, friction: 0.5}
stages:
  - {name: shear, path: triaxial, inertial_number: 1e-2, end: {strain: 1 %}}
  - {name: on, path: triaxial, inertial_number: 1e-6, end: {strain: 20 %}}
output: {history: {steps: 20}}
"""


@pytest.fixture
def copy(paths, tmp_path):
    """A copy of the run that may be damaged."""
    shutil.copytree(paths, tmp_path / "run")
    return tmp_path / "run"


def refused(action):
    with pytest.raises(twirl.RunError) as caught:
        action()
    return str(caught.value)


def test_text_files_need_no_extension_module(paths):
    code = ("import sys; sys.modules['twirl._core'] = None; import twirl; run = twirl.Run(sys.argv[1]); "
            "print(len(run.history), len(run.stages), run.state, run.summary['run'], len(run.scenario['stages']), len(run.log), "
            "issubclass(twirl.RunError, twirl.Error))")
    said = subprocess.run([sys.executable, "-B", "-c", code, paths], check=True, text=True, capture_output=True)
    run = twirl.Run(paths)
    assert said.stdout.split() == [str(len(run.history)), str(len(run.stages)), "finished", run.identity,
                                   str(len(run.scenario["stages"])), str(len(run.log)), "True"]
    assert "without a check" in said.stderr


def test_status_is_that_of_the_library():
    from twirl._core import ffi
    known = {value: name for value, name in ffi.typeof("tw_status").elements.items()}
    assert all(known[value] == f"TW_STATUS_{value.name}" for value in twirl.Status)
    assert len(twirl.Status) == len(known)


def test_what_is_not_a_run(paths, tmp_path):
    assert refused(lambda: twirl.Run(tmp_path / "none")) == f"{tmp_path}/none: No such file or directory"
    assert issubclass(twirl.RunError, twirl.Error)
    for missing in (lambda: twirl.Run(tmp_path / "none"), lambda: twirl.read_sweep(tmp_path / "none"),
                    lambda: twirl.Checkpoint(tmp_path / "none.h5"), lambda: twirl.read_history(tmp_path / "none.csv")):
        with pytest.raises(FileNotFoundError) as caught:
            missing()
        assert isinstance(caught.value, twirl.RunError) and caught.value.status == twirl.Status.FILE
        assert str(caught.value).startswith(f"{tmp_path}/none")
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert "is a file; give the folder" in refused(lambda: twirl.Run(paths / "history.csv"))
    assert refused(lambda: twirl.Run(tmp_path)).endswith("not the folder of a run: it has no history.csv")
    assert f"runs in it: {paths.name}" in refused(lambda: twirl.Run(paths.parent))
    assert "no such folder" in refused(lambda: twirl.read_sweep(tmp_path / "none"))
    assert "null" in refused(lambda: twirl.Run("a\0b"))


@pytest.mark.parametrize("line, change, message", [
    (5, lambda row: row.replace(b"specimen,", b"specimen,x", 1), "5: column 'stage_step': 'x.*' is not a whole number"),
    (7, lambda row: row + b",1", "7: MORE fields, but the header has ALL"),
    (7, lambda row: row[:40], "7: . fields, but the header has ALL"),
    (9, lambda row: row.replace(b"0.", b"0._", 1), "9: column '.*': '0._.*' is not a number"),
    (4, lambda row: b"\0" * len(row), "4: damaged: the line has zero bytes"),
    (4, lambda row: b"\xff" + row, "4: not UTF-8 text: byte 0xff"),
    (1, lambda row: row.replace(b"time", b"step"), "1: column 'step' appears twice"),
    (1, lambda row: row.replace(b"time", b""), "1: column 2 has no name"),
])
def test_a_damaged_history_is_refused_with_its_line(copy, line, change, message):
    path = copy / "history.csv"
    lines = path.read_bytes().split(b"\n")
    lines[line - 1] = change(lines[line - 1])
    path.write_bytes(b"\n".join(lines))
    fields = len(lines[0].split(b","))
    message = message.replace("ALL", str(fields)).replace("MORE", str(fields + 1))
    assert re.fullmatch(re.escape(str(path)) + ":" + message, refused(lambda: twirl.Run(copy).history))


def test_an_empty_history_and_one_that_is_no_file(copy):
    (copy / "history.csv").write_bytes(b"")
    assert "no header" in refused(lambda: twirl.Run(copy).history)
    (copy / "history.csv").unlink()
    os.mkfifo(copy / "history.csv")
    assert refused(lambda: twirl.Run(copy).history) == f"{copy}/history.csv: not a regular file"


def test_a_changed_history_is_read_with_a_warning(copy):
    """Every digit counts: the check at the end of the row tells."""
    path = copy / "history.csv"
    rows = path.read_text().split("\n")
    fields = rows[20].split(",")
    fields[5] = repr(float(fields[5]) * (1 + 2**-50))
    rows[20] = ",".join(fields)
    path.write_text("\n".join(rows))
    with pytest.warns(UserWarning, match=re.escape(f"{path}:21: the row was changed")):
        twirl.Run(copy).history
    del rows[30:40]
    path.write_text("\n".join(rows))
    with pytest.warns(UserWarning, match=":21: "):
        assert len(twirl.Run(copy).history) == len(rows) - 2


def test_an_untouched_history_gives_no_warning(copy):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        twirl.Run(copy).history


@pytest.mark.parametrize("name, text, message", [
    ("summary.json", b"{", ":1: not JSON: "),
    ("summary.json", b"[1]", ": expected a JSON object"),
    ("summary.json", b"[" * 100000, ": not a file of a run: nested too deeply|:1: not JSON"),
    ("summary.json", b"\xff", ":1: not UTF-8 text"),
    ("scenario.json", b"", ":1: not JSON: "),
    ("scenario.json", b"{\"stages\": 3}\n", ": stages is not a list of stages"),
    ("scenario.json", b"<script>\n", ":1: not JSON: "),
    ("stages/shear.json", b"", ":1: not JSON: "),
])
@pytest.mark.filterwarnings("ignore:.*changed")
def test_other_damaged_files(copy, name, text, message):
    (copy / name).write_bytes(text)
    run = twirl.Run(copy)
    action = {"summary.json": lambda: run.summary, "scenario.json": lambda: run.stages,
              "stages/shear.json": lambda: run["shear"].end}[name]
    assert re.match(re.escape(str(copy / name)) + f"({message})", refused(action))


@pytest.mark.parametrize("text, message", [
    (b"", ": "), (b"stages: 3\n", ":1:1: specimen: is missing"), (b"a: 1\n", ":1:1: a: "), (b"title: \"a\n", ":"),
])
@pytest.mark.filterwarnings("ignore:.*changed")
def test_a_damaged_scenario_of_a_folder_without_json(copy, text, message):
    (copy / "scenario.json").unlink()
    (copy / "scenario.yaml").write_bytes(text)
    assert refused(lambda: twirl.Run(copy).stages).startswith(f"{copy / 'scenario.yaml'}{message}")


@pytest.mark.filterwarnings("ignore:.*changed")
@pytest.mark.parametrize("name", ["../../outside", "..", "a/b", ""])
def test_names_of_stages_do_not_lead_out_of_the_folder(copy, name):
    (copy.parent / "outside.json").write_text('{"end": "stolen"}')
    (copy / "stages" / "a").mkdir()
    (copy / "stages" / "a" / "b.json").write_text('{"end": "stolen"}')
    text = (copy / "scenario.json").read_text()
    (copy / "scenario.json").write_text(text.replace('"name": "shear"', f'"name": "{name}"', 1))
    stage = twirl.Run(copy)[name]
    assert stage.summary == {} and stage.end is None
    assert "has no fits.csv" in refused(lambda: stage.fits)


@pytest.mark.filterwarnings("ignore:.*changed")
def test_damaged_tables_of_probes(copy):
    path = copy / "stages" / "probe" / "fits.csv"
    path.write_text(path.read_text().replace("unload,loading,", "unload,loading,many,", 1))
    assert f"{path}:2: 17 fields, but the header has 16" == refused(lambda: twirl.Run(copy)["probe"].fits)
    path.unlink()
    assert "has no fits.csv: its probes have not ended" in refused(lambda: twirl.Run(copy)["probe"].fits)


def test_an_interrupted_run_without_its_last_files(copy):
    """As after kill -9: no summary, a lock that nobody holds, half a line."""
    for name in ("summary.json", "stages/probe.json", "stages/probe.h5"):
        (copy / name).unlink()
    (copy / "lock").write_text(f"process 999999999 on {os.uname().nodename}\n")
    data = (copy / "history.csv").read_bytes()
    whole = len(twirl.Run(copy).history)
    (copy / "history.csv").write_bytes(data[:-30])
    run = twirl.Run(copy)
    assert run.state == "interrupted" and run["probe"].state == "interrupted" and run["shear"].state == "finished"
    assert len(run.history) == whole - 1
    assert [stage["name"] for stage in run.summary["stages"]] == list(run.stages)[:-1]
    assert run.summary["run"] == run.identity and len(run.identity) == 16


def test_a_lock_is_judged_as_by_the_report(copy, tmp_path):
    """By the rule of tw_run_status_of: a process of this machine that has the file open; for one of
    another machine, or an unsigned lock, a file of the run that has changed in the last 15 minutes."""
    (copy / "summary.json").unlink()
    lock, host = copy / "lock", os.uname().nodename

    def states():
        page = json.loads(program("report", "--json", "-", copy, folder=tmp_path).stdout)
        return page["runs"][0]["state"], twirl.Run(copy).state

    def age(seconds):
        for name in ("history.csv", "run_state_a.txt", "run_state_b.txt"):
            os.utime(copy / name, (time.time() - seconds,) * 2)

    for seconds, elsewhere in ((0, "running"), (3600, "interrupted")):
        age(seconds)
        for text in ("process 1 on elsewhere\n", "", "process x\n", f"process 0 on {host}\n"):
            lock.write_text(text)
            assert states() == (elsewhere, elsewhere), (seconds, text)
        lock.write_text(f"process {os.getpid()} on {host}\n")  # the number of a process that does not hold it
        assert states() == ("interrupted", "interrupted")
        with open(lock):  # without a lock of the system, as where the file system has none
            assert states() == ("running", "running")
        lock.write_text(f"process 999999999 on {host}\n")
        assert states() == ("interrupted", "interrupted")


def test_a_run_that_goes_on(tmp_path):
    (tmp_path / "long.yaml").write_text(LONG)
    process = subprocess.Popen([conftest.program(), "run", "long.yaml", "--quiet"], cwd=tmp_path,
                               stderr=subprocess.DEVNULL)
    folder = tmp_path / "long"
    try:
        end = time.monotonic() + 60.0
        while not (folder / "stages" / "shear.json").exists() and time.monotonic() < end:
            time.sleep(0.02)
        run = twirl.Run(folder)
        assert run.state == "running"
        lengths = []
        while len(lengths) < 20 or lengths[-1] == lengths[0] and time.monotonic() < end:
            lengths.append(len(run.refresh().history))  # never a traceback, whatever was half-written
            time.sleep(0.005)
        assert lengths == sorted(lengths) and lengths[-1] > lengths[0]
        assert run["shear"].state == "finished" and run["shear"].end == "strain"
        assert run["on"].state == "running" and run["on"].end is None
        assert process.poll() is None  # looking did not disturb it
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert run.refresh().state == "interrupted" and run["on"].state == "interrupted"
        assert np.isfinite(run["on"]["p"]).all()
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
