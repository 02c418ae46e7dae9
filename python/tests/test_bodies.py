# SPDX-License-Identifier: BSD-3-Clause
"""Bodies come and go between steps, and are found by their ids."""

import numpy as np
import pytest

import twirl


def packing():
    law = twirl.Law(kn=1e5, kt=1e5, mu=0.3)
    sim = twirl.Sim(cell=4.95e-3, law=law, damping_local=0.3, threads=1)
    i = np.arange(125)
    sim.add(x=(np.transpose([i % 5, i // 5 % 5, i // 25]) + 0.5) * 0.99e-3, size=0.5e-3)
    sim.run(20)
    return sim


def test_bodies_leave_and_come(tmp_path):
    sim = packing()
    contacts, residual = sim.contacts, sim.measure().energy.residual
    gone = [0, 62, 124]
    place = sim.bodies.table()["x"][62]
    sim.remove_bodies(gone)
    table = sim.bodies.table()
    assert list(table["id"]) == [n for n in range(125) if n not in gone]
    left = ~(np.isin(contacts["body_p"], gone) | np.isin(contacts["body_q"], gone))
    assert np.array_equal(sim.contacts["zeta"], contacts["zeta"][left])
    assert list(sim.add_bodies(x=place, size=[0.3e-3], v=(0, 0, 0.1), type=5)) == [125]
    assert sim.bodies.table()["id"][-1] == 125 and sim.bodies.table()["type"][-1] == 5
    assert abs(sim.measure().energy.residual - residual) < 1e-12 * sim.measure().energy.normal
    sim.set_velocity(125, v=(0.0, 0.0, 0.2))
    sim.run(20)
    state = tmp_path / "state.h5"
    sim.save(state)
    found = twirl.Checkpoint(state)
    assert found.contacts["friction"] == pytest.approx(0.3) and found.count == 123
    again = twirl.Sim.load(state)
    assert list(again.add(x=(0, 0, 0), size=0.1e-3)) == [126]


def test_bodies_that_left_are_refused_by_name():
    sim = packing()
    sim.remove_bodies(7)
    for call in (sim.remove_bodies, lambda number: sim.set_type(number, 2)):
        with pytest.raises(IndexError, match="no body 7; it has left the simulation"):
            call(7)
    with pytest.raises(IndexError, match="no body 200; the simulation has 124"):
        sim.remove_bodies([3, 200])
    with pytest.raises(TypeError, match="bodies have no colour"):
        sim.add_bodies(x=(0, 0, 0), size=1e-4, colour=3)
