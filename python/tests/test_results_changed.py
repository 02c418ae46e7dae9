# SPDX-License-Identifier: BSD-3-Clause
"""Results that were changed after the run are read with a warning, states are refused; files made to harm raise RunError."""

import os
import re
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
import twirl
from results_runs import make, paths, twirl as program  # noqa: F401
from twirl.results_checkpoint import dataset

READS = {"scenario.yaml": lambda run: run.scenario_text, "scenario.json": lambda run: run.scenario, "run.log": lambda run: run.log, "summary.json": lambda run: run.summary,
         "stages/shear.json": lambda run: run["shear"].summary, "stages/probe.json": lambda run: run["probe"].summary,
         "stages/probe/probes.csv": lambda run: run["probe"].probes, "stages/probe/fits.csv": lambda run: run["probe"].fits,
         "stages/probe/probes.json": lambda run: run["probe"].probes_summary, "history.csv": lambda run: run.history}


@pytest.fixture
def copy(paths, tmp_path):
    """A copy of the run that may be damaged."""
    shutil.copytree(paths, tmp_path / "run")
    return tmp_path / "run"


def test_untouched_results_are_read_without_a_word(paths):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = twirl.Run(paths)
        for read in READS.values():
            read(run)
        for name in run.checkpoints():
            run.checkpoint(name).contacts


def digit_changed(data):
    """The text with one digit, of a number in the middle, changed."""
    at = re.compile(rb"\.\d").search(data, len(data) // 2).end() - 1
    return data[:at] + (b"1" if data[at:at + 1] != b"1" else b"2") + data[at + 1:]


@pytest.mark.parametrize("name", READS)
def test_changed_results_are_read_with_a_warning(copy, name):
    path = copy / name
    path.write_bytes(digit_changed(path.read_bytes()))
    run = twirl.Run(copy)
    with pytest.warns(UserWarning, match=re.escape(str(path)) + ".*(changed|another)") as told:
        READS[name](run)
    assert len(told) == 1 and told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        READS[name](run)  # it is told once
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for read in READS.values():
            read(twirl.Run(copy))
    assert told and {str(one.message).split(": ")[0].partition(".csv:")[0] for one in told} == {
        str(path).removesuffix(".csv") if name == "history.csv" else str(path)}


def test_results_without_their_list_are_read(copy):
    """Of an older copy, say, or of a run that has just begun."""
    for name in ("files.txt", "run_state_a.txt", "run_state_b.txt"):
        (copy / name).unlink()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for read in READS.values():
            read(twirl.Run(copy))


def test_a_changed_list_is_told(copy):
    path = copy / "files.txt"
    path.write_bytes(path.read_bytes().replace(b"scenario.yaml", b"scenario.yam_"))
    with pytest.warns(UserWarning, match=re.escape(str(path)) + ".*changed"):
        twirl.Run(copy).scenario


def test_a_state_of_another_run_is_told(copy, tmp_path):
    other = make(tmp_path, "other", OTHER)
    shutil.copy(other / "states" / "specimen.h5", copy / "stages" / "shear.h5")
    with pytest.warns(UserWarning, match="stages/shear.h5: .*another run"):
        twirl.Run(copy).checkpoint("shear")


OTHER = """
specimen: {count: 40, sizes: {d: 1 mm}, preparation: {pressure: 100 kPa, friction: 0.1}}
material: {stiffness_level: 1000, friction: 0.5}
stages: [{name: rest, path: relax, end: {steps: 2}}]
"""


# ---- States ----

@pytest.fixture
def state(paths, tmp_path):
    return Path(shutil.copy(paths / "stages" / "shear.h5", tmp_path / "state.h5"))


@pytest.mark.parametrize("place", [0.1, 0.3, 0.5, 0.7, 0.9, 0.999])
def test_a_changed_state_is_refused(state, place):
    """Whichever byte was changed: bits of positions are numbers like others."""
    data = bytearray(state.read_bytes())
    data[int(place * len(data))] ^= 1
    state.write_bytes(data)
    with pytest.raises(twirl.RunError, match=f"^{state}: damaged, or changed by another program: the hash"):
        twirl.Checkpoint(state)


def replaced(name, **options):
    """Replaces a dataset."""
    def change(file, _h5py):
        del file[name]
        file.create_dataset(name, **options)
    return change


def linked(name, kind, *target):
    def change(file, h5py):
        del file[name]
        file[name] = getattr(h5py, kind)(*target)
    return change


def virtual(file, h5py):
    layout = h5py.VirtualLayout(shape=(40, 3), dtype="f8")
    layout[:] = h5py.VirtualSource("other.h5", "x", shape=(40, 3))
    del file["bodies/x"]
    file.create_virtual_dataset("bodies/x", layout)


HOSTILE = {
    "2^40 rows": replaced("bodies/x", shape=(2**40, 3), dtype="f8", chunks=(1024, 3)),
    "never written": replaced("bodies/x", shape=(2**40, 3), dtype="f8"),
    "compressed": replaced("bodies/x", data=np.zeros((40, 3)), compression="gzip"),
    "external link": linked("bodies/x", "ExternalLink", "other.h5", "x"),
    "soft link": linked("bodies/x", "SoftLink", "/bodies/v"),
    "soft link to itself": linked("bodies", "SoftLink", "/bodies"),
    "link in place of a group": linked("bodies", "ExternalLink", "other.h5", "/"),
    "virtual": virtual,
    "external": replaced("bodies/x", shape=(40, 3), dtype="f8", external=[("/dev/zero", 0, 960)]),
    "group in place of a dataset": lambda file, _: (file.__delitem__("bodies/x"), file.create_group("bodies/x")),
    "texts": replaced("bodies/x", data=np.full((40, 3), b"text")),
    "records": replaced("bodies/x", data=np.zeros((40, 3), [("a", "f8")])),
}


@pytest.mark.parametrize("change", HOSTILE)
def test_a_dataset_made_to_harm_is_refused(state, change):
    """The library refuses such files when they are loaded (test/checkpoint); other datasets are looked at here."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(state, "r+") as file:
        HOSTILE[change](file, h5py)
        with pytest.raises((LookupError, ValueError), match="bodies/x"):
            dataset(file, "bodies/x")
    with pytest.raises(twirl.RunError, match=f"^{state}: "):
        twirl.Checkpoint(state)


def test_any_dataset_is_read(state):
    pytest.importorskip("h5py")
    one = twirl.Checkpoint(state)
    assert one.read("bodies/v", "cell/h")[1].tolist() == one.cell.tolist()
    for name in ("none", "bodies", "", "/", "bodies/x/y", "../x", "a\0b"):
        with pytest.raises(twirl.RunError, match=f"^{state}: "):
            one.read(name)


@pytest.mark.parametrize("name", [*READS, "stages/shear.h5", "files.txt", "run_state_a.txt", "lock"])
def test_pipes_in_place_of_files(copy, name):
    """Reading one would wait for ever."""
    path = copy / name
    if path.exists():
        path.unlink()
    os.mkfifo(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = twirl.Run(copy)
        assert run.state in ("finished", "interrupted", "running")
        if name in ("files.txt", "run_state_a.txt", "lock"):
            assert run.scenario and run["shear"].summary
            return
        with pytest.raises(twirl.RunError, match=f"^{path}: not a regular file"):
            READS[name](run) if name in READS else run.checkpoint("shear")
