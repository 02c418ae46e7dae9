# SPDX-License-Identifier: BSD-3-Clause
"""Figures in matplotlib are what the descriptions of the library say."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
import twirl
from results_runs import paths, space  # noqa: F401
from twirl.figure import describe, numbers
from twirl.plot_paint import math_of

matplotlib = pytest.importorskip("matplotlib")
pyplot = pytest.importorskip("matplotlib.pyplot")

STAGES = ["shear", "undrained", "extension", "simple", "closed", "cycles", "true", "load", "compress", "rest", "turn"]
CORNERS = {1: "top right", 2: "top left", 3: "bottom left", 4: "bottom right"}


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    pyplot.close("all")


def check_axis(axis, described):
    assert axis.get_view_interval() == pytest.approx([described["low"], described["high"]])
    assert axis.get_scale() == ("log" if described["log"] else "linear")
    assert axis.get_majorticklocs() == pytest.approx([tick for tick, _ in described["ticks"]])
    assert [text.get_text() for text in axis.get_ticklabels()] == [math_of(text) for _, text in described["ticks"]]
    unit = f"\u00a0[{described['unit']}]" if described["unit"] else ""
    assert axis.get_label_text() == math_of(described["label"] + unit)


def check_figure(ax, figure, document):
    """Axes, lines, shapes and key."""
    for axis, which in ((ax.xaxis, "x"), (ax.yaxis, "y")):
        check_axis(axis, figure[which])
    second = [other for other in ax.figure.axes if other is not ax]
    assert len(second) == bool(figure["second"])
    for other in second:
        check_axis(other.yaxis, figure["second"])
    lines = [line for line in ax.lines if line.get_label() != "_zero"]
    shapes = [shape for shape in figure["shapes"] if shape["kind"] in ("curve", "points")]
    for place, described in enumerate(figure["lines"], len(shapes)):
        if described["second"]:
            lines.insert(place, second[0].lines[sum(one["second"] for one in figure["lines"][:place - len(shapes)])])
    assert len(lines) == len(shapes) + len(figure["lines"])
    for line, shape in zip(lines, shapes):
        assert np.array_equal(line.get_data(), [numbers(shape["x"]), numbers(shape["y"])], equal_nan=True)
    for line, described in zip(lines[len(shapes):], figure["lines"]):
        values = document["series"][described["series"]]["values"]
        for data, which in zip(line.get_data(), "xy"):
            axis = figure["second" if which == "y" and described["second"] else which]
            assert np.array_equal(data, axis["factor"] * numbers(values[described[which]]), equal_nan=True)
        title = described["title"] if described["plain"] else math_of(described["title"])
        assert line.get_label() == (title or "_second")
    notes = [shape["title"] if shape["plain"] else math_of(shape["title"]) for shape in figure["shapes"] if shape["kind"] == "note"]
    assert [text.get_text() for text in ax.texts if text.get_text()] == notes
    legend = ax.get_legend()
    assert (legend is not None) == (figure["key"] != "none")
    if figure["key"] in CORNERS.values():
        assert CORNERS[legend._loc] == figure["key"]


@pytest.mark.parametrize("stage", STAGES)
def test_every_figure_of_a_stage_is_drawn_as_described(stage, paths):
    document = describe([paths], [stage])
    assert twirl.plot.figures(paths, stage=stage) == list(dict.fromkeys(f["kind"] for f in document["figures"]))
    assert len(document["figures"]) >= 1
    for figure in document["figures"]:
        ax = twirl.plot.figure(figure["name"], paths, stage=stage)
        check_figure(ax, figure, document)
        ax.figure.canvas.draw()


def test_probes_and_planes_are_drawn_as_described(paths, space):
    for run, stage, kinds in ((paths, "probe", ["circles", "splits"]), (space, "true", ["pi_plane"]),
                              (space, "ball", ["envelope_section"]), (space, "strained", ["envelope_section"])):
        document = describe([run], [stage])
        for kind in kinds:
            for figure in document["figures"]:
                if figure["kind"] == kind:
                    ax = twirl.plot.figure(figure["name"], run, stage=stage)
                    check_figure(ax, figure, document)
                    assert ax.get_aspect() == 1.0
                    ax.figure.canvas.draw()
        assert set(kinds) <= {figure["kind"] for figure in document["figures"]}
    for plane in ("xy", "xz", "yz", "deviatoric"):
        assert twirl.plot.envelope_section(space, plane, stage="ball").lines


def test_the_surface_has_the_facets_of_its_description(space):
    surface = next(figure["surface"] for figure in describe([space], ["ball"])["figures"] if figure["surface"])
    ax = twirl.plot.envelope(space, stage="ball")
    faces = ax.collections[0]
    assert len(surface["triangles"]) == 2 * 24 - 4 == len(faces.get_facecolor())
    assert len({matplotlib.colors.to_hex(colour) for colour in faces.get_facecolor()}) > 20
    assert (ax.azim, ax.elev) == (35.0, 25.0)
    assert [text.get_text() for text in ax.texts] == [math_of(label) for label in surface["labels"]]
    ax.figure.canvas.draw()


def test_a_test_of_several_stages_is_drawn_as_described(paths):
    document = describe([paths])
    figure = next(figure for figure in document["figures"] if figure["kind"] == "compression_curve")
    assert [shape["texts"] for shape in figure["shapes"] if shape["kind"] == "points"] == [["load", "unload"]]
    check_figure(twirl.plot.figure(figure["name"], paths), figure, document)


def test_one_run_shows_all_its_loading_stages(paths):
    labels = [line.get_label() for line in twirl.plot.compression_curve(paths).lines]
    assert labels == ["_shape", "load, unload", "again"]  # other stages are between them; the first has marks of its stages
    apart = [line.get_label() for line in twirl.plot.compression_curve(paths, apart=True).lines]
    assert apart == ["load", "unload", "again"]
    assert [line.get_label() for line in twirl.plot.stress_ratio(twirl.Run(paths)).lines[:3]] == ["shear", "undrained", "extension"]
    names = ["one", "two", "three"]
    ax = twirl.plot.stress_ratio(paths, labels=names)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == names


def test_runs_are_laid_over_each_other(paths):
    options = {"stage": ["shear", "undrained", "extension"], "labels": ["one", "two", "three"]}
    document = describe([paths] * 3, options["stage"], options["labels"], percent=1, width=8.5, height=0.72 * 8.5, font_size=8.0)
    for figure in document["figures"]:
        if figure["kind"] in ("stress_ratio", "stress_path", "coordination"):
            ax = twirl.plot.figure(figure["kind"], paths, str(paths), twirl.Run(paths), percent=True, width=8.5, **options)
            check_figure(ax, figure, document)
            assert ax.figure.get_size_inches() == pytest.approx([8.5 / 2.54, 0.72 * 8.5 / 2.54])
            assert ax.xaxis.label.get_fontsize() == 8.0
            assert [text.get_text() for text in ax.get_legend().get_texts()] == options["labels"]
    assert ax.get_xlabel().endswith("[%]") or figure["x"]["unit"] != "%"
    run = twirl.Run(paths)
    grey = twirl.plot.stress_ratio(run["shear"], run["undrained"], grey=True)
    assert [matplotlib.colors.to_hex(line.get_color()) for line in grey.lines] == ["#000000", "#888888"]
    assert all("shear" in line.get_label() or "undrained" in line.get_label() for line in grey.lines)


def test_any_column_over_any_quantity(paths):
    run = twirl.Run(paths)
    ax = twirl.plot.curve(run, y="rattlers", x="axial_strain", stage="shear")
    assert np.array_equal(ax.lines[0].get_ydata(), run["shear"]["rattlers"])
    assert np.array_equal(ax.lines[0].get_xdata(), run["shear"].curve("axial_strain"))
    assert len(twirl.plot.curve(run, y="q", stage="shear").lines) == 1
    with pytest.raises(ValueError, match="^y: "):
        twirl.plot.curve(run, y="nothing", stage="shear")


def test_markup_becomes_that_of_matplotlib():
    assert math_of("Axial strain\u00a0{ε}_a [%]") == "Axial strain\u00a0$ε_\\mathrm{a}$ [%]"
    assert math_of("10^{−3}") == "10$^{−3}$"
    assert math_of("{q}/{p}, 5 $") == "$q$/$p$, 5 \\$"
    assert math_of("{f}_n/⟨{f}_n⟩") == "$f_\\mathrm{n}$/$\\langle$$f_\\mathrm{n}$$\\rangle$"


def test_figures_go_into_given_axes_and_leave_the_settings_alone(paths, tmp_path):
    before = dict(matplotlib.rcParams)
    run = twirl.Run(paths)
    fig, axes = pyplot.subplots(1, 3)
    assert twirl.plot.stress_ratio(run, ax=axes[0]) is axes[0]
    twirl.plot.volumetric_strain(run, stage="shear", ax=axes[1])
    twirl.plot.energies(run, stage="shear", ax=axes[2])
    fig.savefig(tmp_path / "three.png")
    for ax in (twirl.plot.energies(run, stage="shear"), twirl.plot.circles(run), twirl.plot.splits(run, stage="probe"),
               twirl.plot.force_distribution(run.checkpoint("shear")),
               twirl.plot.normals_rose(run.checkpoint("shear"), width=8.5),
               twirl.plot.curve(run, y="rattlers", x="strain", stage="shear")):
        for ending in ("png", "pdf", "svg"):
            ax.figure.savefig(tmp_path / f"figure.{ending}")
            assert (tmp_path / f"figure.{ending}").stat().st_size > 4000
    assert dict(matplotlib.rcParams) == before


def test_a_png_has_the_size_on_paper(paths, tmp_path):
    ax = twirl.plot.stress_ratio(paths, stage="shear", width=8.5)
    ax.figure.savefig(tmp_path / "figure.png")
    image = pyplot.imread(tmp_path / "figure.png")
    assert image.shape[:2] == (612, 850)


def test_axes_of_the_user(paths):
    ax = twirl.plot.curve(paths, y="stress_xx", x="p", stage="shear", log="xy", yrange=(50.0, None))
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_ylim()[0]) == ("log", "log", 50.0)
    assert ax.get_ylabel() == "Stress xx\u00a0[kPa]"


def test_distributions_are_counts_of_contacts(paths):
    state = twirl.Run(paths).checkpoint("shear")
    ax = twirl.plot.force_distribution(state)
    share = state.contacts["fn"] / state.contacts["fn"].mean()
    for line, keep in zip(ax.lines, (slice(None), state.contacts["sliding"])):  # in bins of a quarter of the mean
        density, edges = np.nan_to_num(line.get_ydata()), 0.25 * np.arange(len(line.get_ydata()) + 1)
        assert line.get_xdata() == pytest.approx(edges[1:] - 0.125)
        assert density == pytest.approx(np.histogram(share[keep], edges)[0] / (0.25 * len(share)), abs=1e-12)
    # Compressed along z, the normals are: more of them, with larger forces.
    for force in (False, True):
        ax = twirl.plot.normals_rose(state, bins=4, force=force)
        heights = [bar.get_height() for bar in ax.patches]
        assert heights[0] == pytest.approx(heights[2]) and heights[1] == pytest.approx(heights[3])
        if not force:
            assert np.mean(heights) == pytest.approx(1.0)


@pytest.mark.parametrize("call, message", [
    (lambda run: twirl.plot.figure("nothing", run, stage="shear"), r"no figure 'nothing' of shear \(triaxial\); there is: stress_ratio"),
    (lambda run: twirl.plot.loops(run, stage="shear"), r"no figure 'loops' of shear \(triaxial\)"),
    (lambda run: twirl.plot.stress_ratio(run, run, stage=["shear", "load"]), "no figure 'stress_ratio' of .*load"),
    (lambda run: twirl.plot.stress_ratio(run, labels=["one"]), "labels: give one for each of the 3 curves: shear, undrained, extension"),
    (lambda run: twirl.plot.stress_ratio(run, run, stage=["a", "b", "c"]), "3 stages for 2 runs"),
    (lambda run: twirl.plot.stress_ratio(run, stage="nothing"), "stage: .*no row of stage 'nothing'; there is: specimen, shear"),
    (lambda run: twirl.plot.stress_ratio(run, width=1), "width: 1 is not between 3 and 100 cm"),
    (lambda run: twirl.plot.envelope_section(run, "zz"), "plane: 'zz' is none of xy, xz, yz, deviatoric"),
    (lambda run: twirl.plot.envelope(run), "no figure 'envelope' of "),
])
def test_what_cannot_be_drawn_is_told(paths, call, message):
    with pytest.raises(ValueError, match=message):
        call(twirl.Run(paths))


def test_a_folder_that_is_no_run_is_told(tmp_path):
    with pytest.raises(twirl.RunError, match=re.escape(str(tmp_path))):
        twirl.plot.stress_ratio(tmp_path)


def test_hostile_labels_are_texts(paths, tmp_path):
    labels = ["$\\frac{", "<script>alert(1)</script>"]
    ax = twirl.plot.stress_ratio(paths, paths, stage=["shear", "undrained"], labels=labels)
    ax.figure.savefig(tmp_path / "figure.png")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == labels


def test_names_of_folders_are_not_formulas(paths, tmp_path):
    for name in ("$\\frac$", "_hidden"):
        (tmp_path / name).symlink_to(paths)
    runs = [tmp_path / "$\\frac$", tmp_path / "_hidden"]
    ax = twirl.plot.stress_ratio(*runs, stage="shear")
    ax.figure.savefig(tmp_path / "figure.png")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["$\\frac$", "_hidden"]


def test_young_by_direction(tmp_path):
    """Chords of 0.2 at most deviate by half a per cent where the surface is a sphere; along the axes of a cubic stiffness E is 1/S11."""
    lame = np.diag([3.0, 3.0, 3.0, 1.5, 1.5, 1.5]) + np.pad(np.ones((3, 3)), (0, 3))
    found = SimpleNamespace(stiffness=1e8 * lame, young=1e8 / np.linalg.inv(lame)[0, 0], definite=True)
    lines = {line.get_label(): np.hypot(*line.get_data()) for line in twirl.plot.young(found, "xz").lines}
    assert len(lines) >= 2
    for radius in (radius for radius in lines.values() if len(radius) > 10):
        np.testing.assert_allclose(radius, 1e-6 * found.young, rtol=5e-3)
    twirl.plot.young(found).figure.savefig(tmp_path / "young.png")
    assert (tmp_path / "young.png").stat().st_size > 4000
    with pytest.raises(ValueError, match="is not one of xy, xz, yz"):
        twirl.plot.young(found, "zz")
    with pytest.raises(ValueError, match="not positive definite"):
        twirl.plot.young(SimpleNamespace(stiffness=-1e8 * lame, young=0.0, definite=False))
