# SPDX-License-Identifier: BSD-3-Clause
"""Walls of any form, and their prescribed motions."""

import numpy as np
import pytest

import twirl
from twirl import motion

LAW = twirl.Law(kn=1000.0, kt=800.0, mu=0.5)
CUBE = np.array([[x, y, z] for x in (-3, 3) for y in (-3, 3) for z in (-3, 3)], dtype=float)
FACETS = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]


def scene(**more):
    """A ball of radius and mass 1, at rest."""
    sim = twirl.Sim(cell=1, law=LAW, density=3 / (4 * np.pi), periodic=False, gravity=[0, 0, -1.0], dt=0.004, damping_local=0.7, **more)
    sim.add(x=[0, 0, 0], size=1)
    return sim


def write_obj(path, unit=1.0):
    lines = [f"v {x} {y} {z}" for x, y, z in CUBE * unit] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACETS]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("form", [{"radius": -3}, {"profile": [(0, -3), (4, -3)]}, {"profile": [(3, -9), (3, 9)], "axis": [0, -2, 0]},
                                  {"mesh": (CUBE, FACETS)}, {"mesh": "cube.obj", "scale": 1e-3}, {"radius": 1}], ids=str)
def test_a_ball_rests_on_walls_of_any_form(form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_obj(tmp_path / "cube.obj", 1000)
    sim = scene()
    outside = form == {"radius": 1}
    wall = sim.add_wall([0, 0, -4] if outside else [0, 0, 0], **form)
    sim.run(8000)
    weight = 1.0
    # x and y of the force follow from rounding; the rest of the motion is damped away
    assert sim.walls["force"][wall] == pytest.approx([0, 0, -weight], abs=1e-6)
    assert sim.bodies.x[0] == pytest.approx([0, 0, -2 - 1e-3], abs=1e-8)
    assert sim.walls["form"][wall] == (1 if "radius" in form else 2 if "profile" in form else 3)
    z = sim.walls["q"][wall]
    if "axis" in form:  # that of the frame is along -y
        w, x, y, _ = z
        assert [2 * (x * _ + w * y), 2 * (y * _ - w * x), w * w - x * x - y * y + _ * _] == pytest.approx([0, -1, 0], abs=1e-15)
    else:
        assert z.tolist() == [1, 0, 0, 0]


def test_an_array_and_a_file_are_the_same_mesh(tmp_path):
    hashes = set()
    for mesh in ((CUBE, FACETS), (CUBE.tolist(), np.array(FACETS)[::-1]), write_obj(tmp_path / "cube.obj"), str(tmp_path / "cube.obj")):
        sim = scene()
        sim.add_wall([0, 0, 0], mesh=mesh, q=[np.cos(0.2), np.sin(0.2), 0, 0])
        sim.run(2000)
        hashes.add(sim.hash)
    assert len(hashes) == 1


def test_walls_move_as_prescribed(tmp_path):
    sim = scene()
    box = sim.add_wall([0, 0, 0], mesh=(CUBE, FACETS))
    floor = sim.add_wall([0, 0, -3.5], spin=[0, 0, 0.5])
    parts = [motion.oscillate(0.05, 0.5, [0, 0, 2], phase=0.3), motion.rotate(0.1, [0, 3, 0], through=[0, 0, 1])]
    sim.set_wall_motion(box, *parts)
    sim.run(500)
    t = sim.time
    shift, angle = 0.05 * (np.sin(np.pi * t + 0.3) - np.sin(0.3)), 0.1 * t
    arm = shift - 1
    assert sim.walls["point"][box] == pytest.approx([arm * np.sin(angle), 0, 1 + arm * np.cos(angle)], abs=1e-14)
    assert sim.walls["q"][box] == pytest.approx([np.cos(angle / 2), 0, np.sin(angle / 2), 0], abs=1e-14)
    assert sim.walls["spin"].tolist() == [pytest.approx([0, 0.1, 0]), [0, 0, 0.5]]
    assert sim.walls["driven"].tolist() == [1, 0]
    sim.save(tmp_path / "moving.h5")
    other = twirl.Sim.load(tmp_path / "moving.h5")
    for one in (sim, other):
        one.set_wall_spin(floor, [0, 0, 0.25])
        one.run(300)
    assert sim.hash == other.hash
    with pytest.raises(twirl.Error, match="wall 0: its motion is prescribed"):
        sim.set_wall_velocity(box, [0, 0, 0])
    sim.set_wall_motion(box)
    assert not sim.walls["driven"].any() and not sim.walls["v"][box].any()
    sim.set_wall_velocity(box, [0, 0, 0])


def test_walls_have_names_and_work(tmp_path):
    sim = scene()
    floor = sim.add_wall([0, 0, -1], v=[0, 0, 0.01], name="Boden \u00e4")
    sim.add_wall([0, 0, 5], [0, 0, -1])
    assert sim.walls["name"].tolist() == ["Boden \u00e4", ""]
    sim.run(100)
    assert sim.walls["work"][floor] > 0 and sim.walls["work"][1] == 0
    assert sim.walls["work"].sum() == pytest.approx(sim.measure().energy.walls, rel=1e-14)
    sim.save(tmp_path / "named.h5")
    for other in (twirl.Sim.load(tmp_path / "named.h5"), twirl.Checkpoint(tmp_path / "named.h5")):
        assert other.walls.tobytes() == sim.walls.tobytes()
    assert twirl.Checkpoint(tmp_path / "named.h5").read("walls/work")[0].tolist() == sim.walls["work"].tolist()
    for wrong, words in [("Boden \u00e4", "wall 2: there is a wall of this name"), ("x" * 64, "63 bytes"), ("\n", "control characters"),
                         ("a\0b", "^name: "), (3, "^name: ")]:
        with pytest.raises((twirl.Error, TypeError, ValueError), match=words):
            sim.add_wall([0, 0, -5], name=wrong)


def test_servos_of_a_force_and_of_a_torque():
    sim = scene()
    sim.add_wall([0, 0, -1])
    floor = sim.add_wall([0, 0, 1.1], profile=[(0, 0), (2, 0)], force=0.5, along=[0, 0, -1], v_max=0.1)
    sim.run(4000)
    assert sim.walls["force"][:, 2] == pytest.approx([-1.5, 0.5], abs=1e-6)
    assert sim.walls["servo"].tolist() == [0, 1] and sim.walls["along"][floor].tolist() == [0, 0, -1] and sim.walls["target"][floor] == 0.5
    drum = scene()
    drum.add_wall([0, 0, 0], profile=[(3, -9), (3, 9)], axis=[0, -1, 0], torque=0.3, along=[0, 2, 0], v_max=1)
    drum.run(3000)  # the ball has fallen into the drum, and rolls on it
    # it is accelerated: the servo lags behind by what its contact seems to weigh, 10 kt dt^2 7/2 of the ball at most
    assert 0.3 / 1.45 < -drum.walls["torque"][0, 1] < 0.3 and drum.walls["servo"][0] == 2
    assert drum.walls["spin"][0, 1] > 0
    drum.set_wall_servo(0, torque=0.1, along=[0, 1, 0], v_max=1)
    assert drum.walls["target"][0] == 0.1
    drum.set_wall_servo(0)
    drum.run(1)
    assert not drum.walls["spin"].any() and drum.walls["servo"][0] == 0


def test_tables_and_swings():
    sim = scene()
    rows = np.array([[0.0, 1.0], [0.4, 1.2], [1.2, 0.6]])
    walls = [sim.add_wall([k * 40.0, 0, -30]) for k in range(4)]
    sim.set_wall_motion(walls[0], motion.table(rows, direction=[0, 0, 1]))
    sim.set_wall_motion(walls[1], motion.table(rows.tolist(), axis=[0, 0, 1], cubic=True))
    sim.set_wall_motion(walls[2], motion.swing(0.3, 0.25, axis=[0, 0, 2], through=[79, 0, 0]))
    sim.set_wall_motion(walls[3], motion.velocity([0, 0, -0.5]), motion.velocity([0.25, 0, 0]))
    sim.run(200)
    assert sim.time == pytest.approx(0.8, rel=1e-12)
    assert sim.walls["point"][:, 2] == pytest.approx([-30 - 0.1, -30, -30, -30 - 0.4], rel=1e-13)
    assert sim.walls["point"][2, :2] == pytest.approx([79 + np.cos(0.3 * np.sin(0.4 * np.pi)), np.sin(0.3 * np.sin(0.4 * np.pi))], rel=1e-13)
    assert sim.walls["point"][3, 0] == pytest.approx(120 + 0.2, rel=1e-13)
    sim.run(200)
    assert sim.walls["q"][1] == pytest.approx([np.cos(0.2), 0, 0, -np.sin(0.2)], rel=1e-13)


def test_what_is_no_wall():
    sim = scene()
    for wrong, words in [({"radius": 1, "mesh": (CUBE, FACETS)}, "give one of radius and mesh"), ({"q": [1, 0, 0, 0], "axis": [0, 0, 1]}, "q or axis"),
                         ({"profile": [1, 2]}, "^profile: "), ({"mesh": 3}, "^mesh: "), ({"mesh": (CUBE, [[0, 1, 8]])}, "no vertex 8"),
                         ({"mesh": (CUBE * np.nan, FACETS)}, "finite"), ({"mesh": (CUBE, [[0, 1]])}, "^mesh: "), ({"radius": 0}, "not zero"),
                         ({"profile": [(1, 1)]}, "two corners"), ({"mesh": "no such file.stl"}, "no such file"), ({"axis": [0, 0, 0]}, "^axis: "),
                         ({"spin": [1, 0, 0]}, "about its normal"), ({"force": 1, "torque": 1}, "force or a torque"), ({"force": "1"}, "^force: "),
                         ({"torque": 1}, "give v_max"), ({"force": 1, "along": [1, 2]}, "^along: "), ({"force": 1, "v_max": "x"}, "^v_max: "),
                         ({"radius": "1"}, "^radius: "), ({"mesh": (CUBE, [])}, "mesh")]:
        with pytest.raises((twirl.Error, TypeError, ValueError, IndexError), match=words):
            sim.add_wall([0, 0, -5], **wrong)
    assert len(sim.walls) == 0
    wall = sim.add_wall([0, 0, -5])
    for wrong, words in [(motion.rotate(1, [1, 0, 0]), "about its normal"), (motion.rotate("1", [0, 0, 1]), "^rate: "), ("rotate", "^motion: "),
                         (motion.velocity(1), "^direction or axis: "), (motion.table([], direction=[0, 0, 1]), "no rows"),
                         (motion.table([1, 2], direction=[0, 0, 1]), "^rows: "), (motion.table([(1, 0), (0, 1)], axis=[0, 0, 1]), "must ascend")]:
        with pytest.raises((twirl.Error, TypeError, ValueError), match=words):
            sim.set_wall_motion(wall, wrong)
    with pytest.raises(TypeError, match="either direction or axis"):
        motion.table([(0, 0)])
    assert not sim.walls["driven"].any()


def test_a_wall_goes_and_comes_back(tmp_path):
    sim = scene()
    box = sim.add_wall([0, 0, 2], mesh=(CUBE, FACETS))
    sim.run(2000)
    before = sim.measure().energy.residual
    assert sim.walls["force"][box, 2] < -0.5
    sim.set_wall_present(box, False)
    assert sim.walls["absent"][box] == 1 and len(sim.contacts) == 0 and not sim.walls["force"][box].any()
    assert sim.measure().energy.residual == pytest.approx(before, abs=1e-12)
    sim.save(tmp_path / "away.h5")
    assert twirl.Sim.load(tmp_path / "away.h5").hash == sim.hash
    sim.set_wall_present(box, True)
    assert sim.walls["force"][box, 2] < -0.5 and len(sim.contacts) == 1
    assert sim.measure().energy.residual == pytest.approx(before, abs=1e-12)


def test_platens_are_the_faces_of_the_cell():
    sim = twirl.Sim(cell=[2.0, 2.0, 2.0], law=LAW, density=3 / (4 * np.pi), periodic=[True, True, False], dt=0.004)
    sim.add(x=[1, 1, 1], size=1.01)
    lower = sim.add_platens(2)
    walls = sim.walls
    assert walls["platen"].tolist() == [1, 1] and walls["name"].tolist() == ["z-", "z+"] and lower == 0
    sim.prepare()
    press = -np.einsum("ij,ij->i", sim.walls["force"], walls["normal"])
    assert press == pytest.approx([10.0, 10.0])  # an overlap of 0.01 on each
    assert sim.measure().stress[2, 2] == pytest.approx(10.0 / 4.0)
    sim.velocity_gradient = np.diag([0.0, 0.0, 0.1])
    sim.run(10)
    assert sim.walls["point"][1][2] == sim.cell[2, 2] == pytest.approx(2.0 * np.exp(0.1 * 10 * 0.004), rel=1e-9)
    with pytest.raises(twirl.Error, match="platen"):
        sim.set_wall_velocity(1, [0, 0, 1])
