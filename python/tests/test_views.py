# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of the engine without a copy."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import twirl
from conftest import grains
from twirl._core import ffi, lib


def address(sim, name):
    columns = ffi.new("tw_body_columns *")
    sim._call(lib.tw_sim_body_columns, columns)
    return int(ffi.cast("uintptr_t", getattr(columns, name)))


def test_a_view_is_the_memory_of_the_engine(packed):
    for name in ("id", "shape", "type", "material", "size", "mass", "inertia", "x", "axes", "v_half", "force", "torque"):
        view = getattr(packed.bodies, name)
        assert np.asarray(view).ctypes.data == address(packed, name)
        assert len(view) == len(packed.bodies)
    table = packed.bodies.table()
    order = np.asarray(packed.bodies.id)
    assert (np.diff(order.astype(int)) != 1).any()  # the order follows space, not the ids
    for ours, theirs in (("x", "x"), ("size", "size"), ("axes", "axes"), ("v_half", "v_half"), ("torque", "torque")):
        assert np.array_equal(table[theirs][order], getattr(packed.bodies, ours))


def test_a_view_computes_like_an_array(packed):
    x = packed.bodies.x
    plain = np.array(x)
    assert isinstance(x, twirl.View) and x.shape == (216, 3) and x.dtype == np.float64 and x.ndim == 2
    assert np.array_equal(x * 2 + 1, plain * 2 + 1) and isinstance(x * 2, np.ndarray)
    assert (1 - x)[0, 0] == 1 - plain[0, 0]
    assert x.mean() == plain.mean() and np.mean(x) == plain.mean() and x.max(axis=0).tolist() == plain.max(axis=0).tolist()
    assert np.linalg.norm(x, axis=1).tolist() == np.linalg.norm(plain, axis=1).tolist()
    assert np.array_equal(np.concatenate([x, x]), np.concatenate([plain, plain]))
    assert x[5, 2] == plain[5, 2] and isinstance(x[5, 2], float)
    assert isinstance(x[:, 2], twirl.View) and isinstance(x.T, twirl.View) and x.T.shape == (3, 216)
    assert isinstance(x[x[:, 2] > 3e-3], np.ndarray)
    assert sum(1 for row in x if row[0] >= 0) == (plain[:, 0] >= 0).sum()
    assert x[np.argsort(packed.bodies.id)].tolist() == packed.bodies.table()["x"].tolist()
    assert np.array(x).flags.writeable and x.copy().flags.writeable


def test_a_view_is_read_only(packed):
    x = packed.bodies.x
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 0
    with pytest.raises(ValueError):
        np.asarray(x)[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        np.add(x, 1, out=x)
    with pytest.raises(ValueError, match="read-only"):
        x += 1


@pytest.mark.parametrize("change", [
    lambda sim: sim.run(1), lambda sim: sim.add(x=[0, 0, 0], size=1e-6), lambda sim: sim.rotate([0, 0, 0.1]),
    lambda sim: sim.set_velocity(0, v=[0, 0, 1]), lambda sim: sim.set_law(twirl.Law(kn=2e5, kt=1e5)),
    lambda sim: sim.close()])
def test_a_view_is_refused_once_the_simulation_has_changed(packed, change):
    x, part = packed.bodies.x, packed.bodies.x[:, 1]
    same = packed.bodies.id
    packed.measure()  # does not change anything
    assert x.valid and part.valid and same[0] >= 0
    change(packed)
    for use in (lambda: x[0], lambda: x * 2, lambda: np.sum(x), lambda: np.asarray(x), lambda: x.shape,
                lambda: part.max(), lambda: len(same), lambda: list(x), lambda: np.vstack([x, x])):
        with pytest.raises(twirl.ViewError, match="no longer valid"):
            use()
    assert not x.valid and repr(x) == "View(no longer valid)"


def test_arrays_keep_their_memory(packed):
    plain = np.asarray(packed.bodies.x)
    before = plain.copy()
    with pytest.raises(BufferError, match="still in use"):
        packed.add(x=[0, 0, 0], size=1e-6)
    assert len(packed.bodies) == 216
    packed.close()
    assert np.array_equal(plain, before)
    with pytest.raises(twirl.Error, match="closed"):
        packed.run(1)
    packed.close()


CLOSED = """
import gc
import numpy as np
from conftest import grains
sim = grains()
plain, whole = np.asarray(sim.bodies.x), np.asarray(sim.bodies.x).copy()
sim.close()
del sim
gc.collect()
assert np.array_equal(plain, whole)
"""


def test_memory_of_a_closed_simulation_is_not_freed_under_an_array():
    # The C library fills freed memory with this byte.
    subprocess.run([sys.executable, "-B", "-c", CLOSED], check=True, cwd=Path(__file__).parent,
                   env={**os.environ, "MALLOC_PERTURB_": "170"})


def test_bodies_can_be_added_when_no_array_is_left(packed):
    plain = np.asarray(packed.bodies.x)
    del plain
    view = packed.bodies.x
    assert packed.add(x=np.zeros((300, 3)), size=1e-6).tolist() == list(range(216, 516))
    assert not view.valid and packed.bodies.x.shape == (516, 3)


def test_views_in_a_callback():
    sim, seen, kept = grains(), [], []

    def look(sim):
        seen.append(float(sim.bodies.x[:, 2].max()))
        kept.append(sim.bodies.x)
    sim.run(30, look, every=10)
    assert len(seen) == 3 and [view.valid for view in kept] == [False, False, True]


def test_a_table_of_contacts_stays(packed):
    table = packed.contacts
    before = table["fn"].copy()
    assert np.shares_memory(table["fn"], table)
    packed.run(10)
    assert np.array_equal(table["fn"], before) and not np.array_equal(packed.contacts["fn"][:5], before[:5])


def test_an_empty_simulation_has_empty_views():
    sim = twirl.Sim(cell=1, law=twirl.Law(kn=1))
    assert sim.bodies.x.shape == (0, 3) and len(sim.bodies) == 0
    with pytest.raises(AttributeError, match="bodies have no 'y'"):
        sim.bodies.y


def test_tables_as_frames(packed):
    """Vectors are columns for each component; pandas alone refuses them."""
    pandas = pytest.importorskip("pandas")
    contacts = packed.contacts
    frame = contacts.frame()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == len(contacts) > 200
    assert frame["fn"].tolist() == contacts["fn"].tolist()
    assert frame[["n_x", "n_y", "n_z"]].to_numpy().tolist() == contacts["n"].tolist()
    strong = contacts[contacts["fn"] > contacts["fn"].mean()].frame()
    assert 0 < len(strong) < len(frame)
    bodies, table = packed.bodies.frame(), packed.bodies.table()
    assert bodies[["q_w", "q_x", "q_y", "q_z"]].to_numpy().tolist() == table["q"].tolist()
    assert bodies["mass"].tolist() == table["mass"].tolist() == table.frame()["mass"].tolist()
    assert packed.spheres.frame()["x_z"].tolist() == packed.spheres["x"][:, 2].tolist()
    assert list(packed.walls.frame()) == list(packed.walls.frame().columns)


def test_tables_of_a_state_are_those_of_the_engine(packed, tmp_path):
    packed.save(tmp_path / "a.h5")
    state = twirl.Checkpoint(tmp_path / "a.h5")
    for here, there in ((packed.contacts, state.contacts), (packed.bodies.table(), state.bodies), (packed.spheres, state.spheres)):
        assert len(here) == len(there) > 0
        for name in here.dtype.names:
            assert np.array_equal(here[name], there[name]), name
            assert type(there[name]) is np.ndarray
        for table in (here, there):
            with pytest.raises(ValueError, match=f"no field of name 'nothing'; there is: {here.dtype.names[0]}, "):
                table["nothing"]
            assert table[["mass" if "mass" in here.dtype.names else here.dtype.names[-1]]].dtype.names
    contacts = packed.contacts
    assert isinstance(contacts["fn"].mean(), np.float64) and type(contacts[0]) is np.void
    pytest.importorskip("pandas")
    assert len(state.contacts.frame()) == len(contacts)


def test_contacts_of_a_state_are_not_set(packed, tmp_path):
    """numpy would convert a table with other fields by their position."""
    with pytest.raises(TypeError, match="contacts: expected .*twirl.sim.CONTACT"):
        packed.set_contacts(np.zeros((3, 3)))
    table = packed.contacts
    packed.set_contacts(table)
    names = list(table.dtype.names)
    other = np.zeros(len(table), np.dtype([(name, table.dtype[name]) for name in reversed(names)]))
    with pytest.raises(TypeError, match="contacts: expected .*twirl.sim.CONTACT"):
        packed.set_contacts(other)
