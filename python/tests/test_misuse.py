# SPDX-License-Identifier: BSD-3-Clause
"""Wrong arguments are refused with their name, and nothing reaches the engine; copies share nothing."""

import copy
import pickle

import numpy as np
import pytest

import twirl
from twirl import contact

LAW = twirl.Law(kn=1e5, kt=1e5, mu=0.5)
SCENARIO = {"specimen": {"count": 40, "preparation": {"pressure": "100 kPa", "friction": 0.3}},
            "material": {"stiffness_level": 500, "friction": 0.5},
            "stages": [{"name": "shear", "path": "triaxial", "inertial_number": 1e-2, "end": {"strain": 0.01}}]}


def two(**settings):
    """Two spheres that do not touch."""
    sim = twirl.Sim(cell=1, law=LAW, **settings)
    sim.add(x=[[0.2, 0.5, 0.5], [0.8, 0.5, 0.5]], size=0.1)
    return sim


# ---- Copies ----

COPIES = [copy.copy, copy.deepcopy, pickle.dumps, lambda one: one.__reduce__()]


@pytest.mark.parametrize("make_copy", COPIES)
def test_a_simulation_and_a_scenario_are_not_copied(make_copy):
    """A copy would share the memory of the engine, and use it after it is freed."""
    with pytest.raises(TypeError, match=r"a simulation cannot be copied or pickled: .*Sim\.load"):
        make_copy(two())
    with pytest.raises(TypeError, match="a scenario cannot be copied or pickled"):
        make_copy(twirl.Scenario(SCENARIO))


def test_laws_and_materials_are_values():
    law = twirl.Law(kn=1e9, kt=1e9, mu=0.4, normal="hertz", without="tilt")
    material = twirl.Material(normal="hertz", young=70e9, poisson=0.2, friction=0.4)
    for make_copy in (copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))):
        assert make_copy(law) == law and make_copy(law).refine == law.refine
        assert make_copy(material).law() == material.law()


@pytest.mark.parametrize("error", [
    twirl.Error("text", twirl.Status.PHYSICS), twirl.RunError("text"),
    twirl.ScenarioError("a.yaml", ["a.yaml:1:2: key: text"], ["a.yaml:2:1: warning"])])
def test_errors_pass_from_process_to_process(error):
    """A pool of processes that cannot rebuild an exception waits for ever."""
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error) and vars(again) == vars(error)


# ---- Numbers of bodies, laws, materials, shapes, walls ----

NO_INDICES = [2**32, 2**32 + 1, 2**64, -1, 0.5, 1.0, "1", None, [[0, 1]], [0, 2**32], [0, -1], [0.5], [True, False],
              np.float32(0.9), np.array([np.nan]), iter([0])]


@pytest.mark.parametrize("ids", [*NO_INDICES, 2, [0, 2]], ids=repr)
def test_ids_that_are_none(ids):
    sim = two()
    before = sim.bodies.table().tobytes()
    for change in (lambda: sim.set_velocity(ids, [1, 2, 3]), lambda: sim.set_type(ids, 7),
                   lambda: sim.set_material(ids, 0)):
        with pytest.raises(IndexError, match="^ids: "):
            change()
    assert sim.bodies.table().tobytes() == before


def test_ids_that_are_some():
    sim = two()
    for ids in (1, np.int64(1), [1], np.array([1], np.uint8), range(1, 2), "array"):
        sim.set_type(sim.bodies.id[1:2] if isinstance(ids, str) else ids, 7)
        assert sim.bodies.table()["type"].tolist() == [1, 7]
        sim.set_type([0, 1], 1)
    sim.set_type([], 5)
    assert sim.bodies.table()["type"].tolist() == [1, 1]


ONE = [one for one in NO_INDICES if not isinstance(one, list)]


@pytest.mark.parametrize("number", ONE, ids=repr)
def test_numbers_that_are_none(number):
    sim = two(periodic=False)
    sim.add_wall(point=[0, 0, 0])
    for name, change in {
            "type": lambda: sim.set_type(0, number), "material": lambda: sim.set_material(0, number),
            "wall": lambda: sim.set_wall_velocity(number, [0, 0, 0]),
            "satellites": lambda: sim.add_bumpy(number, 0.5, 0.5, 0.5)}.items():
        with pytest.raises(IndexError, match=f"^{name}: "):
            change()
    with pytest.raises(IndexError, match="^material: "):
        sim.add_wall(point=[0, 0, 0], material=number)
    if number is None:  # the default
        return
    for name in ("shape", "type", "material"):
        with pytest.raises(IndexError, match=f"^{name}: "):
            sim.add(x=[0.5, 0.5, 0.5], size=0.1, **{name: number})
    with pytest.raises(IndexError, match="^a: "):
        sim.law(number)
    with pytest.raises(IndexError, match="^b: "):
        sim.set_law(LAW, 0, number)


@pytest.mark.parametrize("law_of", [[0, 2**32], [0.5, 0], [0, -1], [True, False], [0, np.nan], ["0", "1"]], ids=repr)
def test_numbers_of_laws_that_are_none(law_of):
    motion, memory = contact.motions(n=[0, 0, 1], zeta=1e-3, count=2), contact.memories(n=[0, 0, 1], zeta=1e-3, count=2)
    before = memory.tobytes()
    with pytest.raises(IndexError, match="^law_of: "):
        contact.advance([LAW, LAW], motion, memory, law_of=law_of)
    assert memory.tobytes() == before


@pytest.mark.parametrize("steps", [2.5, "10", None, -1, float("nan"), float("inf")], ids=repr)
def test_numbers_of_steps_that_are_none(steps):
    sim = two()
    with pytest.raises((TypeError, ValueError), match="steps"):
        sim.run(steps)
    with pytest.raises((TypeError, ValueError), match="every"):
        sim.run(1, lambda sim: None, every=steps)
    with pytest.raises((TypeError, ValueError), match="steps"):
        sim.rotate([0, 0, 0.1], steps=steps)
    assert sim.steps == 0


# ---- Running ----

@pytest.mark.parametrize("said, taken", [
    (True, 10), (np.bool_(True), 10), (1, 10), (np.array([True]), 10), ("enough", 10),
    (None, 30), (False, 30), (np.bool_(False), 30), (0, 30)], ids=repr)
def test_a_callback_ends_the_run_by_what_is_true(said, taken):
    """A comparison with an element of an array is a numpy.bool_."""
    assert two().run(30, lambda sim: said, every=10) == taken


# ---- What is missing or not a number ----

@pytest.mark.parametrize("make, error, text", [
    (lambda: twirl.Law(), twirl.Error, r"kn is missing: twirl\.Law\(kn="),
    (lambda: twirl.Law(kt=1e5), twirl.Error, "kn is missing"),
    (lambda: twirl.Law(kn=0), twirl.Error, "kn must be a finite number above 0"),
    (lambda: twirl.Law(kn="stiff"), TypeError, "kn: .*not str"),
    (lambda: twirl.Material(), twirl.Error, "kn is missing"),
    (lambda: twirl.Material(young=1e9, poisson=0.2), twirl.Error,
     "kn is missing: young, poisson belong to normal='hertz'"),
    (lambda: twirl.Material(normal="hertz", kn=1e5), twirl.Error, "young is missing: kn belongs to normal='linear'"),
    (lambda: twirl.Material(kn=-1), twirl.Error, "kn must be a finite number above 0"),
    (lambda: twirl.Material(kn=1e5, friction="rough"), TypeError, "friction: .*not str"),
    (lambda: twirl.Material(normal="soft"), twirl.Error, "normal: 'soft' is unknown; choices: linear, hertz"),
    (lambda: twirl.Sim(cell=0.01), twirl.Error, r"law is missing: .*twirl\.Law\(kn="),
    (lambda: twirl.Sim(cell=0.01, law=1e5), TypeError, "law: expected a twirl.Law, not 100000.0"),
    (lambda: twirl.Sim(cell=1, law=twirl.Material(kn=1e5)), TypeError, r"law: expected a twirl.Law.*\.law\(\)"),
    (lambda: twirl.Sim(cell=1, law=LAW, density="heavy"), TypeError, "density: .*not str"),
    (lambda: twirl.Sim(cell=1, law=LAW, device=3), TypeError, "device: "),
    (lambda: twirl.Sim(cell="big", law=LAW), TypeError, "cell: "),
    (lambda: twirl.Sim(cell=1, law=LAW, gravity=[0, 0, "g"]), TypeError, "gravity: "),
    (lambda: two().set_law(1e5), TypeError, "law: expected a twirl.Law"),
    (lambda: two().add_material(3, 2650), TypeError, "name: "),
    (lambda: contact.advance(None, contact.motions(), contact.memories()), TypeError, "law: expected a twirl.Law"),
    (lambda: contact.motions(speed=1), TypeError, "no 'speed'; .* n, zeta, du"),
])
def test_messages_name_what_is_wrong(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_a_packing_without_a_law(tmp_path):
    two().export_csv(tmp_path / "two.csv")
    with pytest.raises(twirl.Error, match="law is missing"):
        twirl.Sim.read(tmp_path / "two.csv")


def test_names_of_files_with_zero_bytes(tmp_path):
    """The engine would take them as if they ended there."""
    sim = two()
    sim.save(tmp_path / "a.h5")
    for action in (lambda: twirl.Sim.load(f"{tmp_path}/a.h5\0b"), lambda: sim.save(f"{tmp_path}/b.h5\0c"),
                   lambda: twirl.Scenario(f"{tmp_path}/a.yaml\0b"), lambda: sim.save(tmp_path / "c.h5", label="a\0b")):
        with pytest.raises(ValueError, match="zero bytes"):
            action()
    assert [path.name for path in tmp_path.iterdir()] == ["a.h5"]


# ---- Vectors ----

@pytest.mark.parametrize("x", [0.5, [0.5], [[0.1], [0.5]], [0.5, 0.5], np.zeros((2, 2, 3)), [0.5, 0.5, 0.5 + 1j],
                               ["0.5", "0.5", "0.5"], [0.5, 0.5, None], [0.5, 0.5, 10**400], iter([0.5, 0.5, 0.5])], ids=repr)
def test_vectors_that_are_none(x):
    """A number is not taken for three of them."""
    sim = two()
    for name, change in {"x": lambda: sim.add(x=x, size=0.01), "v": lambda: sim.add(x=[0.5, 0.5, 0.5], size=0.01, v=x),
                         "w": lambda: sim.set_velocity([0, 1], w=x), "gravity": lambda: setattr(sim, "gravity", x),
                         "point": lambda: sim.add_wall(point=x)}.items():
        with pytest.raises((TypeError, ValueError), match=f"^{name}: "):
            change()
    assert len(sim.bodies) == 2 and not sim.bodies.table()["w"].any()


def test_settings_that_are_none():
    sim = two()
    for change in (lambda: sim.add(x=[0.5, 0.5, 0.5], size=0.01, q=[1]), lambda: two(periodic=0.9),
                   lambda: two(periodic=[True, False]), lambda: two(periodic="yes"),
                   lambda: sim.add(x=[0.5, 0.5, 0.5], size=0.01, fixed="no")):
        with pytest.raises((TypeError, ValueError), match="^(q|periodic|fixed): "):
            change()
    for threads in (-1, 10**9, 1.5, np.float32(1.5), "2", None):
        with pytest.raises(ValueError if isinstance(threads, int) else TypeError, match="^threads"):
            sim.threads = threads
    assert len(sim.bodies) == 2
    assert twirl.Sim(cell=1, law=LAW, periodic=[1, np.bool_(False), True]).definition.periodic.tolist() == [1, 0, 1]
