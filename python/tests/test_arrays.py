# SPDX-License-Identifier: BSD-3-Clause
"""Arrays and tables of the engine."""

import numpy as np
import pytest

import twirl


def test_arrays_are_those_of_the_engine(packed):
    table = packed.bodies.table()
    order = packed.bodies.id
    assert (np.diff(order.astype(int)) != 1).any()  # the order follows space, not the ids
    for name in ("id", "shape", "type", "material", "size", "mass", "inertia", "x", "axes", "v_half", "force", "torque"):
        array = getattr(packed.bodies, name)
        assert type(array) is np.ndarray and len(array) == len(packed.bodies)
        if name in table.dtype.names and name != "force":  # there with gravity
            assert np.array_equal(table[name][order], array), name
    assert packed.bodies.x.any() and packed.bodies.v_half.any()


def test_arrays_stay_as_they_are(packed):
    x = packed.bodies.x
    before = x.copy()
    packed.run(30)
    packed.add(x=np.zeros((300, 3)), size=1e-6)
    assert np.array_equal(x, before) and packed.bodies.x.shape == (516, 3)
    x[0] = 0
    packed.close()
    assert np.array_equal(x[1:], before[1:])
    with pytest.raises(twirl.Error, match="closed"):
        packed.run(1)
    packed.close()


def test_a_table_of_contacts_stays(packed):
    table = packed.contacts
    before = table["fn"].copy()
    assert np.shares_memory(table["fn"], table)
    packed.run(10)
    assert np.array_equal(table["fn"], before) and not np.array_equal(packed.contacts["fn"][:5], before[:5])


def test_an_empty_simulation_has_empty_arrays():
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
