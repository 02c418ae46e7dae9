# SPDX-License-Identifier: BSD-3-Clause
"""States read in Python are those that the program reads."""

import re

import numpy as np
import pytest
import twirl
from results_runs import make, paths, twirl as program  # noqa: F401

MIXTURE = """
specimen:
  count: 40
  shapes: [{shape: bumpy, share: 0.5, material: soft}, {shape: sphere, share: 0.5, material: hard}]
  sizes: {d: 1 mm}
  preparation: {pressure: 100 kPa, friction: 0.1}
materials:
  - {name: soft, young: 100 MPa, poisson: 0.2, friction: 0.3, restitution: 0.6}
  - {name: hard, young: 1 GPa, poisson: 0.3, friction: 0.6, restitution: 0.8}
stages: [{name: shear, path: triaxial, inertial_number: 2e-2, end: {strain: 1 %}}]
"""


@pytest.fixture(scope="module")
def mixture(tmp_path_factory):
    """Clusters and spheres, Hertz contacts of two materials, with damping."""
    return make(tmp_path_factory.mktemp("mixture"), "mixture", MIXTURE)


def exported(state, what, folder):
    """A table of `twirl export`, by column."""
    program("export", what, state, "--out", folder / "out", folder=folder)
    lines = (folder / "out").read_text().split("\n")
    start = next(k for k, line in enumerate(lines) if line.startswith("ITEM: ENTRIES"))
    names = lines[start].split()[2:]
    rows = [line.split() for line in lines[start + 1:] if line]
    table = {name: np.array([float(row[k]) for row in rows]) for k, name in enumerate(names)}
    words = lines[1].split()[2:]  # the file is turned by this rotation (docs/guide/exchange.md)
    for name in {name.split(".")[0] for name in names if name.endswith(".X")} if words else ():
        if name == "PeriodicImage":
            continue
        back = three(table, name) @ np.array(words, float).reshape(3, 3)
        for k, c in enumerate("XYZ"):
            table[f"{name}.{c}"] = back[:, k]
    return table


def three(table, name):
    return np.stack([table[f"{name}.{c}"] for c in "XYZ"], axis=1)


@pytest.mark.parametrize("kind", ["spheres", "mixture"])
def test_contacts_are_those_of_twirl_export(kind, paths, mixture, tmp_path):
    run = twirl.Run(paths if kind == "spheres" else mixture)
    state = run.checkpoint("shear")
    table = exported(state.path, "contacts", tmp_path)
    mine = state.contacts
    assert len(mine) == len(table["fn"]) > 50
    assert mine["sliding"].any() and not mine["sliding"].all()
    for name in ("body_p", "body_q", "fn", "sliding", "zeta"):
        assert np.array_equal(mine[name], table[name]), name
    assert np.array_equal(mine["shift"], three(table, "PeriodicImage"))
    assert np.allclose(mine["ft"], three(table, "ft"), rtol=0.0, atol=1e-14 * np.abs(mine["ft"]).max())
    assert np.allclose(mine["force"], three(table, "force"), rtol=0.0, atol=1e-14 * np.abs(mine["force"]).max())
    assert np.allclose(mine["point"], three(table, "point"), rtol=0.0, atol=1e-14 * np.abs(mine["point"]).max())


@pytest.mark.parametrize("kind", ["spheres", "mixture"])
def test_forces_and_branches_make_the_stress_of_the_history(kind, paths, mixture):
    run = twirl.Run(paths if kind == "spheres" else mixture)
    state, row = run.checkpoint("shear"), run["shear"].history[-1]
    mine = 0.5 * (state.stress + state.stress.T)
    history = twirl.derived.stress_tensor(run["shear"].history[-1:])[0]
    # The history also has the share of the velocities: at most twice the kinetic energy over the volume.
    share = 2.0 * row["kinetic"] / row["volume"]
    assert np.abs(mine - history).max() <= share + 1e-9 * row["p"]
    assert share < 0.01 * row["p"]
    assert state.volume == pytest.approx(row["volume"], rel=1e-14)


def test_forces_balance_on_grains(paths):
    """In the settled state of the probes the contact forces on a grain add up to nothing."""
    state = twirl.Run(paths).checkpoint("probe")
    c = state.contacts
    total = np.zeros((state.count, 3))
    np.add.at(total, c["body_p"], c["force"])
    np.add.at(total, c["body_q"], -c["force"])
    assert np.abs(total).max() < 1e-4 * c["fn"].mean()
    assert np.abs(c["n"] * c["ft"]).sum(axis=1).max() < 2 * c["fn"].max()
    assert (np.linalg.norm(c["ft"], axis=1) <= c["friction"] * c["fn"] * (1 + 1e-12)).all()


def test_bodies_by_id(paths, mixture):
    run = twirl.Run(mixture)
    state = run.checkpoint("shear")
    assert state.bodies["id"].tolist() == list(range(40)) == list(range(state.count))
    assert np.allclose(np.linalg.norm(state.bodies["axes"], axis=1), 1.0, atol=1e-14)
    pytest.importorskip("h5py")
    # Grains of equal volume, and the solid volume of the history.
    assert np.allclose(state.radii, 0.5e-3, rtol=1e-12)
    row = run["shear"].history[-1]
    assert state.volumes.sum() == pytest.approx(row["volume"] * (1.0 - row["porosity"]), rel=1e-12)
    spheres = state.spheres
    counts = np.bincount(spheres["body"])
    assert sorted(set(counts)) == [1, 7] and (counts == 7).sum() == 20
    one = spheres[counts[spheres["body"]] == 1]
    assert np.array_equal(one["x"], state.bodies["x"][one["body"]])
    assert state.materials == twirl.Sim.load(state.path).materials and set(state.materials) == {"soft", "hard"}
    assert {state.materials[k] for k in state.bodies["material"][counts == 7]} == {"soft"}
    assert state.measure().porosity == pytest.approx(row["porosity"], rel=1e-12)
    # Two spheres of a contact overlap by what the contact says.
    c = state.contacts
    start = np.cumsum(counts) - counts
    p, q = start[c["body_p"]] + c["member_p"], start[c["body_q"]] + c["member_q"]
    between = spheres["x"][q] + c["shift"] @ state.cell.T - spheres["x"][p]
    overlap = spheres["radius"][p] + spheres["radius"][q] - np.linalg.norm(between, axis=1)
    assert np.abs(overlap - c["zeta"]).max() < 1e-15
    # Grains keep their ids from state to state: in 2 % strain none moves by its diameter.
    run = twirl.Run(paths)
    moved = run.checkpoint("shear").bodies["displacement"]
    assert 0.0 < np.abs(moved).max() < 1e-3


def test_states_are_found_by_name_and_by_step(paths):
    run = twirl.Run(paths)
    assert {"specimen", "shear", "sheared", "probe", "checkpoint_a"} <= set(run.checkpoints())
    state = run["shear"].checkpoint()
    assert state.steps == run.checkpoint("sheared").steps == run.checkpoint(state.steps).steps
    assert state.label.startswith(f"run {run.identity} stages/shear step")
    with pytest.raises(twirl.RunError, match="no state 'nothing'; there is: "):
        run.checkpoint("nothing")
    with pytest.raises(twirl.RunError, match=r"no state at step 12345678; there is: \d+, "):
        run.checkpoint(12345678)


@pytest.mark.parametrize("damage, message", [
    (lambda data: data[:-1000], r"truncated: \d+ of \d+ bytes"),
    (lambda data: b"twirl checkpoint 99\n" + data[20:], "format 99.*formats 7 to 8"),
    (lambda data: b"hello" * 200, "not a.*checkpoint"),
    (lambda data: b"", "not a.*checkpoint"),
    (lambda data: data[:600] + b"\xff" * (len(data) - 600), "damaged"),
    (lambda data: data.replace(b"zeta", b"zetb"), "damaged, or changed by another program"),
])
def test_a_damaged_checkpoint_is_refused_by_name(paths, tmp_path, damage, message):
    path = tmp_path / "state.h5"
    path.write_bytes(damage((paths / "stages" / "shear.h5").read_bytes()))
    with pytest.raises(twirl.RunError, match=f"^{path}: .*{message}|^{path}: {message}"):
        twirl.Checkpoint(path).contacts


@pytest.mark.parametrize("kind", ["spheres", "mixture"])
def test_the_grading_is_that_of_twirl_info(kind, paths, mixture, tmp_path):
    state = twirl.Run(paths if kind == "spheres" else mixture).checkpoint("shear")
    said = program("info", state.path, folder=tmp_path).stdout
    lines = {line.split()[0]: line for line in said.splitlines()}
    printed = re.findall(r"(D\d\d|Cu|Cc) ([0-9.e-]+)", lines["diameter"] + lines["grading"])
    assert sorted(name for name, _ in printed) == sorted(state.grading)
    for name, value in printed:
        assert state.grading[name] == pytest.approx(float(value), rel=1e-3), name
