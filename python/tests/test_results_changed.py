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
from twirl import results_hash

h5py = pytest.importorskip("h5py")

READS = {"scenario.yaml": lambda run: run.scenario_text, "scenario.json": lambda run: run.scenario, "run.log": lambda run: run.log, "summary.json": lambda run: run.summary,
         "stages/shear.json": lambda run: run["shear"].summary, "stages/probe.json": lambda run: run["probe"].summary,
         "stages/probe/probes.csv": lambda run: run["probe"].probes, "stages/probe/fits.csv": lambda run: run["probe"].fits,
         "stages/probe/probes.json": lambda run: run["probe"].probes_summary, "history.csv": lambda run: run.history}


@pytest.fixture
def copy(paths, tmp_path):
    """A copy of the run that may be damaged."""
    shutil.copytree(paths, tmp_path / "run")
    return tmp_path / "run"


def test_hashes_are_those_of_the_program(paths):
    """Lengths of all remainders by 32 are among the files and their parts, of which the program knows the hash."""
    listed = (paths / "files.txt").read_text().splitlines()
    assert len(listed) > 20
    for line in listed:
        value, length, _time, name = line.split(" ", 3)
        data = (paths / name).read_bytes()
        if len(data) == int(length) and name != "stages/probe.h5":  # saved twice
            assert f"{results_hash.hash_of(data, 0):016x}" == value, name
    for path in sorted(paths.glob("*/*.h5")):
        data = path.read_bytes()
        assert f"hash {results_hash.hash_of(data[512:], 7):016x}".encode() in data[:512]


def test_untouched_results_are_read_without_a_word(paths):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = twirl.Run(paths)
        for read in READS.values():
            read(run)
        for name in run.checkpoints():
            run.checkpoint(name).positions


def digit_changed(data):
    """The text with one digit, of a number in the middle, changed."""
    at = re.compile(rb"\.\d").search(data, len(data) // 2).end() - 1
    return data[:at] + (b"1" if data[at:at + 1] != b"1" else b"2") + data[at + 1:]


@pytest.mark.parametrize("name", READS)
def test_changed_results_are_read_with_a_warning(copy, name):
    path = copy / name
    path.write_bytes(digit_changed(path.read_bytes()))
    run = twirl.Run(copy)
    with pytest.warns(UserWarning, match=re.escape(str(path)) + ".*was changed after the run") as told:
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
    with pytest.warns(UserWarning, match=re.escape(str(path)) + ".*was changed"):
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

def sealed(path):
    """Gives a file the header that the program would give it."""
    data = path.read_bytes()
    head = (f"twirl checkpoint 7\nbytes {len(data):020d}\nhash {results_hash.hash_of(data[512:], 7):016x}\n"
            "An HDF5 file follows this 512-byte header; the hash is that of the HDF5 part.\n").encode()
    path.write_bytes(head + b"\0" * (512 - len(head)) + data[512:])
    return path


@pytest.fixture
def state(paths, tmp_path):
    return Path(shutil.copy(paths / "stages" / "shear.h5", tmp_path / "state.h5"))


def read_all(path):
    one = twirl.Checkpoint(path)
    for name in ("positions", "quaternions", "masses", "radii", "materials", "displacements", "spheres", "contacts",
                 "stress", "volume"):
        getattr(one, name)
    return one


def test_the_seal_of_the_test_is_that_of_the_program(state):
    before = state.read_bytes()
    assert sealed(state).read_bytes() == before
    program("info", state, folder=state.parent)


@pytest.mark.parametrize("place", [0.1, 0.3, 0.5, 0.7, 0.9, 0.999])
def test_a_changed_state_is_refused(state, place):
    """Whichever byte was changed: bits of positions are numbers like others."""
    data = bytearray(state.read_bytes())
    data[int(place * len(data))] ^= 1
    state.write_bytes(data)
    with pytest.raises(twirl.RunError, match=f"^{state}: damaged, or changed by another program: the hash"):
        twirl.Checkpoint(state)


def test_large_states_are_verified_on_request(state, monkeypatch):
    monkeypatch.setattr("twirl.results_checkpoint.VERIFIED", 1000)
    one = twirl.Checkpoint(state)
    one.verify()
    data = bytearray(state.read_bytes())
    data[-1] ^= 1
    state.write_bytes(data)
    one = twirl.Checkpoint(state)
    with pytest.raises(twirl.RunError, match="damaged"):
        one.verify()


def replaced(name, **options):
    """Replaces a dataset."""
    def change(file):
        del file[name]
        file.create_dataset(name, **options)
    return change


def linked(name, link):
    def change(file):
        del file[name]
        file[name] = link
    return change


def virtual(file):
    source = h5py.VirtualSource("other.h5", "x", shape=(40, 3))
    layout = h5py.VirtualLayout(shape=(40, 3), dtype="f8")
    layout[:] = source
    del file["bodies/x"]
    file.create_virtual_dataset("bodies/x", layout)


def edited(name, value, where=...):
    def change(file):
        file[name][where] = value
    return change


HOSTILE = {
    "2^40 rows": replaced("bodies/x", shape=(2**40, 3), dtype="f8", chunks=(1024, 3)),
    "2^60 contacts": replaced("contacts/zeta", shape=(2**60,), dtype="f8", chunks=(1024,)),
    "compressed": replaced("bodies/x", data=np.zeros((40, 3)), compression="gzip"),
    "external link": linked("bodies/x", h5py.ExternalLink("other.h5", "x")),
    "soft link": linked("bodies/x", h5py.SoftLink("/bodies/v")),
    "soft link to itself": linked("bodies", h5py.SoftLink("/bodies")),
    "link in place of a group": linked("bodies", h5py.ExternalLink("other.h5", "/")),
    "virtual": virtual,
    "external": replaced("bodies/x", shape=(40, 3), dtype="f8", external=[("/dev/zero", 0, 960)]),
    "group in place of a dataset": lambda file: (file.__delitem__("bodies/x"), file.create_group("bodies/x")),
    "dataset in place of a group": lambda file: (file.__delitem__("walls"), file.create_dataset("walls", data=1.0)),
    "one dimension": replaced("bodies/x", data=np.zeros(120)),
    "two columns": replaced("bodies/x", data=np.zeros((40, 2))),
    "three dimensions": replaced("bodies/id", data=np.zeros((40, 1, 1), "u4")),
    "scalar": replaced("bodies/id", data=np.uint32(0)),
    "row of scalars": replaced("state/steps", data=np.zeros(5, "u8")),
    "empty": replaced("cell/h", data=h5py.Empty("f8")),
    "texts": replaced("bodies/x", data=np.full((40, 3), b"text")),
    "texts of any length": replaced("bodies/x", data=np.full((40, 3), "text", object), dtype=h5py.string_dtype()),
    "references": replaced("bodies/x", shape=(40, 3), dtype=h5py.ref_dtype),
    "records": replaced("bodies/x", data=np.zeros((40, 3), [("a", "f8")])),
    "complex": replaced("bodies/x", data=np.zeros((40, 3), complex)),
    "integers": replaced("bodies/x", data=np.zeros((40, 3), "i8")),
    "negative ids": replaced("bodies/id", data=np.arange(40, dtype="i4") - 1),
    "fewer positions": replaced("bodies/x", data=np.zeros((39, 3))),
    "fewer sizes": replaced("bodies/size", data=np.zeros(39)),
    "fewer forces": replaced("contacts/ft", data=np.zeros((3, 3))),
    "no damping forces but some": replaced("contacts/drag", data=np.zeros((3, 3))),
    "shapes beyond": edited("bodies/shape", 7, 0),
    "materials beyond": edited("bodies/material", 7, 0),
    "shape of 2^63 spheres": edited("shapes/count", 2**63, 0),
    "shapes without volume": replaced("shapes/volume", data=np.zeros(0)),
    "fewer laws": replaced("laws/mu", data=np.zeros(0)),
    "fewer names": replaced("materials/name", data=np.zeros((0, 64), "u1")),
    "spheres beyond": edited("contacts/q", 2**32 - 1, 0),
    "walls beyond": edited("contacts/surface", 1, 0),
    "surface of no kind": edited("contacts/surface", 9, 0),
    "no steps": lambda file: file.__delitem__("state/steps"),
    "no group": lambda file: file.__delitem__("contacts"),
    "label of numbers": lambda file: file.attrs.__setitem__("label", np.zeros(5)),
    "time not a number": replaced("state/time", data=np.float32(0)),
}


@pytest.mark.parametrize("change", HOSTILE)
def test_a_state_made_to_harm_is_refused(state, change):
    """With a right seal: whoever made it has sealed it again. Nothing is read from other files."""
    with h5py.File(state.parent / "other.h5", "w") as other:
        other["x"] = np.full((40, 3), 0.5)
        other["id"] = np.arange(40, dtype="u4")
    with h5py.File(state, "r+") as file:
        HOSTILE[change](file)
    sealed(state)
    with pytest.raises(twirl.RunError, match=f"^{state}: "):
        read_all(state)


def test_any_dataset_is_read_with_care(state):
    with h5py.File(state, "r+") as file:
        file["soft"] = h5py.SoftLink("/cell/h")
        file.create_dataset("large", shape=(2**50,), dtype="f8", chunks=(1024,))
    one = twirl.Checkpoint(sealed(state))
    assert one.read("bodies/v", "cell/h")[1].shape == (3, 3)
    for name in ("soft", "large", "none", "bodies", "", "/", "bodies/x/y", "../x", "a\0b"):
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
