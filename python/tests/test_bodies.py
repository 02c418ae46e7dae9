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


def pairs(table):
    return sorted(zip(table["body_p"].tolist(), table["body_q"].tolist()))


def test_events_are_what_has_changed(tmp_path):
    sim = packing()
    assert len(sim.take_events()) == 0
    sim.record_events("body_left", "contact_began", "contact_ended")
    with pytest.raises(ValueError, match="events: expected body_came, .*, got body_broke"):
        sim.record_events("body_broke")
    before, mass = sim.contacts, sim.bodies.table()["mass"][62]
    sim.remove_bodies([62, 3])
    with pytest.raises(twirl.Error, match="events have not been taken"):
        sim.save(tmp_path / "state.h5")
    sim.add_bodies(x=(0, 0, 0), size=1e-5)  # of a kind that is not recorded
    events = sim.take_events()
    assert list(events["kind"][:2]) == ["body_left"] * 2 and list(events["body_p"][:2]) == [3, 62]
    assert events["mass"][1] == mass and (events["energy"][:2] > 0).all() and set(events["step"]) == {20}
    gone = np.isin(before["body_p"], [3, 62]) | np.isin(before["body_q"], [3, 62])
    assert set(events["kind"][2:]) == {"contact_ended"} and pairs(events[2:]) == pairs(before[gone])
    sim.save(tmp_path / "state.h5")

    lives = set(pairs(sim.contacts))
    for pause in (1, 7, 30):
        sim.run(pause)
        for event in sim.take_events():
            pair = int(event["body_p"]), int(event["body_q"])
            (lives.add if event["kind"] == "contact_began" else lives.remove)(pair)
        assert lives == set(pairs(sim.contacts))
    sim.record_events()
    sim.run(50)
    assert len(sim.take_events()) == 0
