# SPDX-License-Identifier: BSD-3-Clause
"""Figures in the space of principal stresses against those of `twirl plot`: the deviatoric plane, and the response
surface of probes on a sphere with its sections."""

import csv
import re

import numpy as np
import pytest
import twirl
from results_runs import scripts, space  # noqa: F401
from twirl import envelope

matplotlib = pytest.importorskip("matplotlib")
pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    pyplot.close("all")


def block(script, name):
    """Numbers of a block of data in a script of gnuplot."""
    text = re.search(rf"^\${name} << END\nx,y\n(.*?)\nEND", script, re.M | re.S).group(1)
    return np.array([[float(v) for v in line.split(",")] for line in text.splitlines() if line])


def drawn(ax, label):
    line, = [line for line in ax.lines if line.get_label() == label]
    return np.column_stack(line.get_data())


@pytest.mark.parametrize("times", [1, 2])
def test_the_deviatoric_plane_is_that_of_twirl_plot(times, space, scripts):
    labels = ["one", "two"][:times]
    out, said = scripts(*times * [space], "--stage", ",".join(times * ["true"]), "--labels", ",".join(labels))
    assert "pi_plane" in said and "pi_plane" in twirl.plot.figures(*times * [space], stage="true")
    script = (out / "pi_plane.gp").read_text()
    ax = twirl.plot.figure("pi_plane", *times * [space], stage="true", labels=labels)
    header, _, text = (out / "curves.csv").read_text().partition("\n")
    for label, rows in zip(labels, text.split("\n\n")):
        rows = list(csv.DictReader(rows.splitlines(), header.split(",")))
        assert len(rows) > 10
        assert drawn(ax, label).tolist() == [[float(row["pi_x"]), float(row["pi_y"])] for row in rows]
    assert drawn(ax, "peaks") == pytest.approx(block(script, "peaks"), rel=1e-8)
    circles = [np.column_stack(line.get_data()) for line in ax.lines if line.get_label() == "_circle"]
    assert np.vstack(circles) == pytest.approx(block(script, "circles"), abs=6e-6)  # five decimals
    for which, limits in (("x", ax.get_xlim()), ("y", ax.get_ylim())):
        expected = re.search(rf"^set {which}range \[(.*):(.*)\]", script, re.M).groups()
        assert limits == pytest.approx([float(end) for end in expected], abs=6e-6)
    keys = [text.get_text() for text in ax.get_legend().get_texts()]
    if times == 1:
        assert keys == ["one", "peaks"] and "$strength" not in script
    else:
        assert drawn(ax, "_strength") == pytest.approx(block(script, "strength"), abs=6e-6)
        value = re.search(r"title '.*I\}_3 = ([\d.]+)'", script).group(1)
        assert keys == [f"$I_1^3$/$I_3$ = {value}", "one", "two", "peaks"]
    names = re.findall(r"σ\}_(.)/", script)
    assert [text.get_text() for text in ax.texts if "sigma" in text.get_text()] == [
        rf"$\sigma_{name}$/$p$" for name in names]


@pytest.mark.parametrize("stage", ["ball", "strained"])
def test_sections_of_the_response_surface_are_those_of_twirl_plot(stage, space, scripts):
    out, said = scripts(space, "--stage", stage)
    assert f"{stage}_envelope" in said
    with open(out / f"{stage}_envelope.csv", encoding="ascii") as file:
        rows = [{name: float(v) for name, v in row.items()} for row in csv.DictReader(file) if row["axis"]]
    run = twirl.Run(space)
    surface = envelope.surface_of(run[stage].probes)
    parts = ["total", "reversible" if stage == "ball" else "no slip"]
    assert surface.is_strain == (stage == "ball")
    size = 10.0 ** np.floor(np.log10(surface.reach / 10.0)) if surface.is_strain else 1e3 if surface.reach >= 2e3 else 1.0
    for axis, plane in enumerate(("yz", "xz", "xy")):
        ax = twirl.plot.envelope_section(run, plane, stage=stage)
        for part, label in enumerate(parts):
            expected = [[row[plane[0]] / size, row[plane[1]] / size] for row in rows
                        if (row["axis"], row["part"]) == (axis, part)]
            assert len(expected) > 8
            assert drawn(ax, label) == pytest.approx(np.array(expected), rel=1e-7, abs=1e-7)
    assert ("irreversible" in [line.get_label() for line in ax.lines]) == surface.is_strain


def test_the_surface_has_the_facets_of_twirl_plot(space, scripts):
    out, _ = scripts(space, "--stage", "ball")
    expected = re.findall(r"fillcolor rgb '(#\w+)'", (out / "ball_envelope.gp").read_text())
    ax = twirl.plot.envelope(space, stage="ball")
    faces = ax.collections[0]
    surface = envelope.surface_of(twirl.Run(space)["ball"].probes)
    assert len(surface.triangles) == 2 * 24 - 4 == len(expected)
    assert sorted(matplotlib.colors.to_hex(colour) for colour in faces.get_facecolor()) == sorted(expected)
    assert len(set(expected)) > 20 and (ax.azim, ax.elev) == (35.0, 25.0)
    ax.figure.canvas.draw()


def ellipsoid(count=80):
    """Stress probes of a linear material: the response is an ellipsoid."""
    k = np.arange(count)
    z, turn = 1.0 - (2.0 * k + 1.0) / count, k * np.pi * (3.0 - np.sqrt(5.0))
    ways = np.column_stack([np.sqrt(1.0 - z * z) * np.cos(turn), np.sqrt(1.0 - z * z) * np.sin(turn), z])
    compliance = np.array([[3e-9, -1e-9, -0.5e-9], [-1e-9, 2e-9, -0.2e-9], [-0.5e-9, -0.2e-9, 4e-9]])
    table = {"direction": ways, "stress": 1e3 * ways, "strain": 1e3 * ways @ compliance, "irreversible": 0.0 * ways}
    probes = np.zeros(count, [("law", "U8")] + [(f"{name}_{a}{a}", float) for name in table for a in "xyz"])
    for name, values in table.items():
        for a, column in zip("xyz", values.T):
            probes[f"{name}_{a}{a}"] = column
    return probes, compliance


def test_the_deviatoric_section_of_an_ellipsoid():
    probes, compliance = ellipsoid()
    surface = envelope.surface_of(probes)
    curve, = envelope.sections(surface, surface.ends, envelope.PLANES["deviatoric"])
    assert (curve[0] == curve[-1]).all() and len(curve) > 15
    assert np.abs(curve.sum(axis=1)).max() < 1e-15  # no change of volume
    # Between neighbours a point is inside, by the sagitta of triangles: as for the sections of twirl plot.
    stress = envelope.norms(curve @ np.linalg.inv(compliance))
    assert stress.max() < 1e3 * (1 + 1e-8) and stress.min() > 0.94e3
    x, y = envelope.flat(curve, "deviatoric")
    assert np.hypot(x, y) == pytest.approx(envelope.norms(curve), rel=1e-12)
    for k in range(3):  # the response along an axis, as far as flat triangles reach it
        way = np.linalg.solve(compliance, np.eye(3)[k])
        assert 0.94 < envelope.radius(surface, k) * np.linalg.norm(way) / 1e3 < 1.0 + 1e-12


def test_what_is_no_surface_is_told(space):
    with pytest.raises(twirl.RunError, match="no stage with probes in the Rendulic plane"):
        twirl.plot.circles(space)
    with pytest.raises(ValueError, match="the directions of the probes are not all around: set probes.space to sphere"):
        envelope.surface_of(ellipsoid()[0][:30])  # those above a plane
    with pytest.raises(ValueError, match="plane: 'zz' is none of xy, xz, yz, deviatoric"):
        twirl.plot.envelope_section(space, "zz", stage="ball")
    with pytest.raises(ValueError, match=r"no figure 'pi_plane' of ball \(probes\)"):
        twirl.plot.pi_plane(space, stage="ball")
