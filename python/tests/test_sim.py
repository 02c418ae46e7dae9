# SPDX-License-Identifier: BSD-3-Clause
"""The engine from Python."""

import math
import re
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import twirl
import twirl.sim
from conftest import SOURCE, grains, interrupt_after, program, source_text
from twirl import rate, stress
from twirl._core import lib

LAW = twirl.Law(kn=1e5, kt=1e5, mu=0.5)


def test_the_example_prints_what_the_program_in_c_prints():
    example = SOURCE / "examples" / "python" / "shear.py"
    lines = [line for line in source_text(example).splitlines()[2:] if line.strip()]
    assert len(lines) <= 25
    own = subprocess.run([sys.executable, example], text=True, check=True, stdout=subprocess.PIPE).stdout
    page = source_text("docs/guide/c.md")  # test/embed compares it with examples/shear.c
    assert own == re.search(r"```text\n(strain 0 %.*?)```", page, re.S).group(1)


def test_the_bits_are_those_of_the_program(tmp_path):
    sim = grains()
    sim.export_csv(tmp_path / "sand.csv")
    (tmp_path / "sand.yaml").write_text("""
specimen: {checkpoint: sand.h5}
stages:
  - {path: general, control: {xx: {rate: 20}, yy: {rate: 20}, zz: {rate: 20}}, damping: {local: 0.3}, end: {steps: 2500}, save: end}
""")
    for command in (["import", "sand.csv", "--kn", "1e5", "--kt", "1e5", "--mu", "0.5"], ["run", "sand.yaml", "--quiet"]):
        subprocess.run([program(), *command], cwd=tmp_path, check=True)
    packing = twirl.Sim.read(tmp_path / "sand.csv", LAW, damping_local=0.3)
    ended = twirl.Sim.load(tmp_path / "sand/states/end.h5")
    for one in sim, packing:
        one.set_control(xx=rate(20), yy=rate(20), zz=rate(20))
        one.run(2500)
        assert one.measure().contacts > 50
        np.testing.assert_array_equal(one.bodies.table(), ended.bodies.table())
        np.testing.assert_array_equal(one.contacts, ended.contacts)
    assert packing.hash == sim.hash


def test_free_fall():
    sim = twirl.Sim(cell=1, law=LAW, periodic=False, gravity=[0, 0, -9.81], dt=1e-4, dt_forced=True)
    sim.add(x=[0.5, 0.5, 0.5], size=1e-3)
    sim.run(1000)
    t = sim.time
    body = sim.bodies.table()[0]
    assert t == pytest.approx(0.1, rel=1e-12)
    assert body["x"][2] == pytest.approx(0.5 - 9.81 * t**2 / 2, rel=1e-12)
    assert body["v"][2] == pytest.approx(-9.81 * t, rel=1e-12)
    assert body["mass"] == pytest.approx(2650 * 4 / 3 * np.pi * 1e-9, rel=1e-12)
    assert body["force"][2] == pytest.approx(-9.81 * body["mass"], rel=1e-12)


def test_weight_on_a_wall():
    sim = twirl.Sim(cell=1, law=LAW, periodic=False, gravity=[0, 0, -9.81], damping_local=0.5)
    wall = sim.add_wall(point=[0, 0, 0])
    sim.add(x=[0.5, 0.5, 1e-3], size=1e-3)
    assert np.isnan(sim.walls["force"]).all()
    sim.run(5000)
    weight = 9.81 * sim.bodies.mass[0]
    assert sim.walls["force"][wall] == pytest.approx([0, 0, -weight], rel=1e-6, abs=1e-12)
    assert sim.walls["torque"][wall] == pytest.approx([-0.5 * weight, 0.5 * weight, 0], rel=1e-6, abs=1e-12)
    contact = sim.contacts[0]
    assert contact["body_q"] == lib.TW_NO_BODY and contact["fn"] == pytest.approx(weight, rel=1e-6)
    assert contact["zeta"] == pytest.approx(weight / 1e5, rel=1e-6)


def test_fixed_bodies_move_as_given():
    sim = twirl.Sim(cell=1, law=LAW, periodic=False, gravity=[0, 0, -9.81], dt=1e-4, dt_forced=True)
    sim.add(x=[[0.2, 0.5, 0.5], [0.8, 0.5, 0.5]], size=1e-3, v=[1.0, 0, 0], fixed=[True, False])
    sim.run(1000)
    x = sim.bodies.table()["x"]
    assert x[0] == pytest.approx([0.3, 0.5, 0.5], rel=1e-12)
    assert x[1, 2] < 0.46
    sim.set_velocity(0, v=[0, 2.0, 0])
    sim.run(500)
    assert sim.bodies.table()["x"][0] == pytest.approx([0.3, 0.6, 0.5], rel=1e-12)


def test_stress_is_the_sum_over_contacts(packed):
    m, c = packed.measure(), packed.contacts
    assert len(c) == m.contacts and (c["body_p"] < c["body_q"]).all()
    love = -np.einsum("ki,kj->ij", c["branch"], c["force"]) / m.volume
    assert love == pytest.approx(m.stress, rel=1e-10, abs=1e-10 * m.p)
    assert np.trace(love) / 3 == pytest.approx(m.p, rel=1e-12)
    total = np.zeros((len(packed.bodies), 3))
    np.add.at(total, c["body_p"], c["force"])
    np.add.at(total, c["body_q"], -c["force"])
    force = np.empty_like(total)
    force[packed.bodies.id] = packed.bodies.force
    assert force == pytest.approx(total, rel=1e-9, abs=1e-9 * m.force_mean)
    assert m.energy.normal == pytest.approx((c["fn"] ** 2).sum() / 2e5, rel=1e-9)
    assert isinstance(m, twirl.sim.Measure) and m._fields[:2] == ("time", "volume")
    assert m.mobilisation.shape == (20,) and m.cell.shape == (3, 3)


def test_control_reaches_its_stresses():
    sim = grains()
    sim.set_control(xx=stress(1e5), yy=stress(1e5), zz=stress(1e5))
    for _ in range(100):
        sim.run(100)
        if sim.control.status == twirl.ControlStatus.HOLDING:
            break
    report = sim.control
    assert report.status.name == "HOLDING" and report.deviation < 1e-3
    m = sim.measure()
    assert np.diag(m.stress + m.stress_kinetic) == pytest.approx([1e5] * 3, rel=2e-3)
    third = [1 / 3] * 3
    sim.set_control(xx=rate(0, weight=[1, -1]), yy=stress(1e5, weight=third), zz=rate(10))
    before = sim.cell
    sim.run(200)
    change = np.diag(sim.cell) / np.diag(before) - 1
    report = sim.control  # stresses and rates are positive in compression, in what is asked for and in what is reported
    assert report.set[2] == report.value[2] == 10 and report.value[1] == pytest.approx(1e5, rel=2e-3)
    assert sim.velocity_gradient[2, 2] == -10
    assert change[2] < -1e-4 and change[0] == pytest.approx(change[1], rel=1e-6)
    with pytest.raises(TypeError, match="no component 'zx'"):
        sim.set_control(zx=rate(1))
    with pytest.raises(TypeError, match="twirl.rate"):
        sim.set_control(xx=1e5)
    with pytest.raises(twirl.Error, match="control: yy: ramp must be"):
        sim.set_control(yy=stress(1e5, ramp=-1))
    with pytest.raises(twirl.Error, match="independent"):
        sim.set_control(xx=rate(0, weight=[1, 1]), yy=rate(0, weight=[2, 2]))


def solver_is_there():
    try:
        twirl.native.call(lib.tw_statics_check_solver)
    except twirl.Error:
        return False
    return True


@pytest.mark.skipif(not solver_is_there(), reason="no MUMPS")
def test_moduli_of_a_lattice(tmp_path):
    """Simple cubic: C11 = kn/d, C12 = p, C44 = kt/(2 d) - p."""
    radius, d, kn, kt = 1e-3, 1.99e-3, 1e6, 5e5
    sim = twirl.Sim(cell=3 * d, law=twirl.Law(kn=kn, kt=kt, mu=0.5))
    sim.add(x=d * np.indices((3, 3, 3)).reshape(3, -1).T, size=radius)
    p = kn * (2 * radius - d) / d ** 2
    expected = np.diag([kn / d - p] * 3 + [kt / (2 * d) - p] * 3)
    expected[:3, :3] += p
    found = sim.moduli()
    np.testing.assert_allclose(found.stiffness, expected, rtol=0, atol=1e-12 * kn / d)
    springs = np.diag([kn / d] * 3 + [kt / (2 * d)] * 3)
    np.testing.assert_allclose(found.stiffness - found.geometric, springs, rtol=0, atol=1e-12 * kn / d)
    assert found.gradient[0, 0, 0, 0] == pytest.approx(kn / d, rel=1e-12)
    assert (found.bodies, found.contacts, found.rattlers) == (27, 81, 0)
    assert found.bulk == pytest.approx((kn / d + 2 * p) / 3, rel=1e-12)
    sim.save(tmp_path / "lattice.h5")
    np.testing.assert_allclose(twirl.Checkpoint(tmp_path / "lattice.h5").moduli().stiffness, found.stiffness, rtol=1e-12, atol=1e-6)
    loose = twirl.Sim(cell=1.0, law=LAW)
    loose.add(x=[[0, 0, 0]], size=radius)
    with pytest.raises(twirl.Error, match="the state has no contacts"):
        loose.moduli()


@pytest.mark.skipif(not solver_is_there(), reason="no MUMPS")
def test_rates_of_a_lattice(tmp_path):
    """Nothing slides: the answer is that of its moduli."""
    radius, d, kn, kt = 1e-3, 1.99e-3, 1e6, 5e5
    sim = twirl.Sim(cell=3 * d, law=twirl.Law(kn=kn, kt=kt, mu=0.5))
    sim.add(x=d * np.indices((3, 3, 3)).reshape(3, -1).T, size=radius)
    stiffness = sim.moduli().stiffness
    before = sim.hash
    for control in "strain", "stress":
        found = sim.rates(control, axis="x", count=12)
        table = found.table
        np.testing.assert_allclose(found.angle, 30.0 * np.arange(12))
        np.testing.assert_allclose(table["stress"], table["strain"] @ stiffness.T, rtol=0, atol=1e-7 * np.abs(table["stress"]).max())
        np.testing.assert_allclose(table["no_slip"], table["stress" if control == "strain" else "strain"], rtol=1e-12)
        np.testing.assert_allclose(table["work"], (table["stress"] * table["strain"]).sum(axis=1), rtol=1e-12)
        np.testing.assert_allclose((table[control] ** 2).sum(axis=1), 1.0, rtol=1e-12)
        assert set(table["found"]) == {"sticks"} and not table["sliding"].any()
        assert (found.verdict, len(found.certificate)) == ("unique", 0)
        assert (found.problem.bodies, found.problem.at_limit, found.equilibrium.reached) == (27, 0, 1)
    # Along x alone: the axis of the plane.
    np.testing.assert_allclose(sim.rates(axis="x", count=4).table["strain"][1], np.array([2, -1, -1, 0, 0, 0]) / np.sqrt(6), atol=1e-15)
    assert sim.hash == before
    sim.save(tmp_path / "lattice.h5")
    again = twirl.Checkpoint(tmp_path / "lattice.h5").rates("stress", "x", 12)
    np.testing.assert_allclose(again.table["strain"], found.table["strain"], rtol=1e-9, atol=1e-20)
    for wrong, match in (({"control": "both"}, "expected strain or stress"), ({"axis": "w"}, "expected x, y or z"), ({"count": 0}, "count")):
        with pytest.raises(ValueError, match=match):
            sim.rates(**wrong)
    loose = twirl.Sim(cell=1.0, law=LAW)
    loose.add(x=[[0, 0, 0]], size=radius)
    with pytest.raises(twirl.Error, match="no contacts"):
        loose.rates()


@pytest.mark.parametrize("ratio", [0.01, 1, 30])
def test_a_pore_fluid_gives_skemptons_b(ratio):
    """B = 1/(1 + n K/Kf) on a face-centred cubic lattice, whose K is 2 kn/(3 sqrt2 R)."""
    radius, overlap = 1e-3, 1e-8
    edge = np.sqrt(2) * (2 * radius - overlap)
    corners = np.indices((2, 2, 2)).reshape(3, -1).T[:, None] + [[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]]
    sim = twirl.Sim(cell=2 * edge, law=twirl.Law(kn=1e6, kt=5e5, mu=2), dt=2e-7)
    sim.add(x=edge * corners.reshape(-1, 3), size=radius)
    sim.run(1)
    start, bulk = sim.measure(), 2 * 1e6 / (3 * np.sqrt(2) * radius)
    back, more = 2 * start.p, 0.1 * start.p
    total = stress(back + start.p + more)
    sim.set_control(xx=total, yy=total, zz=total, fluid=twirl.fluid(ratio * bulk, pressure=back))
    assert sim.control.pore_pressure == pytest.approx(back, rel=1e-12)
    sim.run(50)
    pore = sim.control.pore_pressure
    assert sim.measure().p + pore == pytest.approx(back + start.p + more, rel=1e-9)
    b = (pore - back) / more  # the prestress changes the moduli by about overlap/R, 1e-5
    assert (1 / b - 1) * ratio / start.porosity == pytest.approx(1, rel=1e-4)
    now = sim.measure()  # the same fluid, stated by hand: nothing changes
    sim.set_control(xx=total, yy=total, zz=total, fluid=twirl.fluid(
        ratio * bulk, pressure=back, volume=start.volume, solid=(1 - start.porosity) * start.volume))
    assert sim.control.pore_pressure == pore
    sim.run(5)
    assert sim.measure().p == pytest.approx(now.p, rel=1e-9)
    with pytest.raises(TypeError, match="fluid is to be twirl.fluid"):
        sim.set_control(fluid=2e9)
    with pytest.raises(twirl.Error, match="control: fluid: bulk must be"):
        sim.set_control(fluid=twirl.fluid(-1))


def test_steps_in_portions_are_the_same_steps(tmp_path):
    whole, seen = grains(), []
    whole.run(1500)
    parts = grains(threads=2)
    assert parts.threads == 2
    assert parts.run(1000, lambda sim: seen.append(sim.steps), every=300) == 1000
    assert seen == [300, 600, 900]
    parts.save(tmp_path / "a.h5", label="half-way")
    assert parts.run(10**6, lambda sim: sim.steps >= 1200, every=100) == 200
    loaded = twirl.Sim.load(tmp_path / "a.h5", device="emulated")
    assert loaded.label == "half-way" and loaded.device == "emulated"
    loaded.run(500)
    parts.run(300)
    assert whole.hash == parts.hash == loaded.hash
    assert loaded.bodies.x[:].tobytes() == whole.bodies.x[:].tobytes()


def test_interrupt_ends_a_run_after_a_step():
    def held():  # on a busy machine a cell that is being compressed may be too small before the interrupt
        sim = grains()
        sim.run(3000)
        sim.velocity_gradient = 0.0
        return sim

    sim = held()
    timer = interrupt_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        sim.run(10**9)
    timer.join()
    steps = sim.steps
    assert 3000 < steps < 10**7
    other = held()
    other.run(steps - 3000)
    assert other.hash == sim.hash
    sim.run(10)
    assert sim.steps == steps + 10


def test_what_has_no_contacts_is_not_in_equilibrium():
    sim = twirl.Sim(cell=1, law=LAW, periodic=False, gravity=[0, 0, -9.81], dt=1e-4, dt_forced=True)
    sim.add(x=[0.5, 0.5, 0.5], size=0.01)
    assert sim.measure().contacts == 0 and sim.measure().unbalanced == math.inf


def test_other_threads_run_but_may_not_meddle():
    sim = grains(1000)
    sim.prepare()
    calls, refused = [0], []

    def meddle():
        call = ticks = 0
        while ticks < 5:  # during one call: if that held the lock of Python, there would be one, at its end
            time.sleep(0.001)
            ticks = ticks + 1 if call == calls[0] > 0 else 0
            call = calls[0]
        try:
            sim.run(1)
        except twirl.Error as error:
            refused.append(error.text)

    thread = threading.Thread(target=meddle, daemon=True)
    thread.start()
    with sim._lock:  # calls of the engine, each of which takes far longer than the thread
        while thread.is_alive() and calls[0] < 100:
            calls[0] += 1
            sim._call(lib.tw_sim_run, 2000)
    assert not thread.is_alive()
    assert refused == ["the simulation is in use by another thread"]
    sim.run(1)


def test_errors_have_a_status_and_a_text(tmp_path):
    with pytest.raises(twirl.Error, match="three edges") as caught:
        twirl.Sim(cell=0, law=LAW)
    assert caught.value.status.name == "INPUT"
    with pytest.raises(twirl.Error, match="missing.h5") as caught:
        twirl.Sim.load(tmp_path / "missing.h5")
    assert caught.value.status.name == "FILE"
    sim = twirl.Sim(cell=1, law=LAW)
    with pytest.raises(twirl.Error, match="there are no bodies"):
        sim.run(1)
    with pytest.raises(twirl.Error, match="body 0: size must be positive"):
        sim.add(x=[0, 0, 0], size=-1)
    with pytest.raises(ValueError):
        sim.add(x=[[0, 0, 0], [1, 1, 1]], size=[1, 2, 3])
    sim.add(x=[[0.5, 0.5, 0.5], [0.5, 0.5, 0.51]], size=0.01)
    with pytest.raises(twirl.Error, match="bodies 0 and 1 overlap by 0.01 m") as caught:
        sim.run(1)
    assert caught.value.status.name == "PHYSICS"
    with pytest.raises(twirl.Error, match="no wall|there is no"):
        sim.set_wall_velocity(3, [0, 0, 0])
    with pytest.raises(twirl.Error) as caught:
        sim.device = "abacus"
    assert caught.value.status.name in ("INPUT", "DEVICE")
    with pytest.raises(TypeError):
        twirl.Sim(cell=1, law=LAW, viscosity=3)


def test_materials_and_shapes():
    sim = twirl.Sim(cell=1, law=LAW)
    number = sim.add_material("steel", 7800, LAW.replace(mu=0.2))
    assert number == 1 and sim.materials == ["grains", "steel"]
    assert sim.law(1).mu == 0.2 and sim.law(0, 1).mu == 0.5
    sim.set_law(LAW.replace(mu=0.3), 0, 1)
    assert sim.law(1, 0).mu == 0.3 and sim.law(0).mu == 0.5
    pair = sim.add_shape([[0, 0, -0.5, 0.5], [0, 0, 0.5, 0.5]])
    sim.add(x=[0.5, 0.5, 0.5], size=0.1, shape=pair, material=number, type=7)
    body = sim.bodies.table()[0]
    assert body["mass"] == pytest.approx(7800 * 2 * 4 / 3 * np.pi * 0.05**3, rel=1e-12)
    assert sim.spheres["x"][:, 2] == pytest.approx([0.45, 0.55]) and body["type"] == 7


def test_contacts_can_be_given():
    first, second = grains(), None
    first.run(2500)
    first.prepare()
    table, bodies = first.contacts, first.bodies.table()
    assert len(table) > 50 and np.abs(table["ft"]).max() > 0
    second = twirl.Sim(cell=first.cell, law=LAW)
    second.add(x=bodies["x"], size=bodies["size"], q=bodies["q"])
    second.set_contacts(table)
    assert second.contacts["ft"] == pytest.approx(table["ft"], rel=1e-9, abs=1e-12)
    table["n"][0] = [1, 0, 0] if abs(table["n"][0][0]) < 0.9 else [0, 1, 0]
    with pytest.raises(twirl.Error):
        second.set_contacts(table)


def test_parts_of_contacts():
    sim = grains()
    sim.run(2500)
    sim.set_law(LAW.replace(k_r=1e4, mu_r=0.1, k_w=1e4, mu_w=0.05, nu_n=0.1, nu_t=0.1))
    sim.run(200)
    table = sim.contacts
    assert len(table) > 50
    fr, fw = sim.contact_part("fr"), sim.contact_part("fw")
    assert fr.shape == (len(table), 3) and fw.shape == (len(table),)
    np.testing.assert_array_equal(fr, table["fr"])
    np.testing.assert_array_equal(sim.contact_part("rate"), table["rate"])
    assert np.abs(fw).max() > 0 and not sim.contact_part("drag_w").any()
    radius = 1 / sum(1 / sim.bodies.table()["size"][table[body]] for body in ("body_p", "body_q"))
    assert fw == pytest.approx(table["mt"] / radius, rel=1e-12)
    before = sim.hash
    for name in ("fr", "fw", "drag", "rate"):
        sim.set_contact_part(name, sim.contact_part(name))
    assert sim.hash == before
    sim.set_contact_part("fw", np.arange(len(table)))
    sim.set_contact_part("fr", [1, 2, 3])
    assert sim.contacts["mt"] == pytest.approx(radius * np.arange(len(table)), rel=1e-12)
    assert (sim.contacts["fr"] == [1, 2, 3]).all() and (sim.contact_part("fw") == np.arange(len(table))).all()
    sim.set_contact_part("fr", fr)
    sim.set_contact_part("fw", fw)
    assert sim.hash == before
    with pytest.raises(twirl.Error, match="contacts have no part 'fx'; there are fr, fw"):
        sim.contact_part("fx")
    with pytest.raises(twirl.Error, match="no law of this simulation needs 'drag_w'"):
        sim.set_contact_part("drag_w", 0)
    with pytest.raises(ValueError, match="broadcast"):
        sim.set_contact_part("fr", [1, 2])


def test_every_part_is_read_as_it_was_set(tmp_path):
    law = LAW.replace(k_r=1e4, mu_r=0.1, k_w=1e4, mu_w=0.05, nu_n=0.1, nu_t=0.1, nu_r=0.1, nu_w=0.1)
    sim = grains()
    sim.run(2500)
    sim.set_law(law)
    rng, needs, given = np.random.default_rng(5), lib.tw_contact_law_extras(law._struct), {}
    for k, name in enumerate(twirl.contact.EXTRA.names):
        if needs & lib.tw_contact_part_at(k).need:
            given[name] = rng.uniform(-1, 1, sim.contact_part(name).shape)
            sim.set_contact_part(name, given[name])
        else:
            with pytest.raises(twirl.Error, match=f"no law of this simulation needs '{name}'"):
                sim.set_contact_part(name, 0)
    assert len(given) >= 8 and len(sim.contacts) > 50
    sim.save(tmp_path / "state.h5")
    for one in (sim, twirl.Sim.load(tmp_path / "state.h5")):
        for name, values in given.items():
            np.testing.assert_array_equal(one.contact_part(name), values)
