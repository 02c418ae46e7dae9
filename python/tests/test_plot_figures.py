# SPDX-License-Identifier: BSD-3-Clause
"""Figures in matplotlib against the scripts of `twirl plot`: the same numbers, axes, names and colours."""

import csv
import re

import numpy as np
import pytest
import twirl
from results_runs import paths, scripts  # noqa: F401

matplotlib = pytest.importorskip("matplotlib")
pyplot = pytest.importorskip("matplotlib.pyplot")

STAGES = ["shear", "undrained", "extension", "simple", "closed", "cycles", "true", "load", "compress", "rest", "probe"]
PLACES = {"top right": "upper right", "top left": "upper left", "bottom right": "lower right",
          "bottom left": "lower left"}
LEGEND_PLACES = {1: "upper right", 2: "upper left", 3: "lower left", 4: "lower right"}
GREEK = {r"\varepsilon": "ε", r"\gamma": "γ", r"\tau": "τ", r"\sigma": "σ"}


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    pyplot.close("all")


def plain(text):
    """Words and symbols of a label, without what makes them italic."""
    text = re.sub(r"\{/:Italic ([^}]*)\}", r"\1", text).replace("_{", "_").replace("^{−", "^-").replace("}", "")
    for name, letter in GREEK.items():
        text = text.replace(name, letter)
    text = re.sub(r"_\\mathrm{(.)", r"_\1", text.replace("}", ""))
    return text.replace("$", "").replace("{", "").replace("\u00a0", " ")


def setting(script, pattern):
    found = re.search(pattern, script, re.M)
    return found.groups() if found else None


def tics_of(axis):
    low, high = sorted(axis.get_view_interval())
    slack = 1e-9 * (high - low)
    return [t for t in axis.get_majorticklocs() if low - slack <= t <= high + slack]


def check_axis(ax, script, name):
    axis = ax.xaxis if name == "x" else ax.yaxis
    limits = [float(end) for end in setting(script, rf"^set {name}range \[(.*):(.*)\]")]
    assert axis.get_view_interval() == pytest.approx(limits, rel=1e-8, abs=1e-300)
    log = re.search(rf"^set logscale {name}$", script, re.M)
    assert axis.get_scale() == ("log" if log else "linear")
    step = setting(script, rf"^set {name}tics ([0-9.e+-]+)$")
    if step and not log:
        assert np.diff(tics_of(axis)) == pytest.approx(float(step[0]), rel=1e-6)
        decimals = int(setting(script, rf"^set format {name} '%\.(\d+)f'")[0])
        for tic in tics_of(axis):
            text = axis.get_major_formatter()(tic).replace("\u2212", "-")
            assert float(text) == pytest.approx(tic, abs=0.5 * 10.0**-decimals)
            assert len(text.partition(".")[2]) == decimals
    given = setting(script, rf"^set {name}tics \((.*)\)$")
    if given:
        major = [float(v) for v in re.findall(r"'[^']+' ([0-9.e+-]+)", given[0])]
        assert tics_of(axis) == pytest.approx(major, rel=1e-8)
    label = setting(script, rf"^set label {101 if name == 'x' else 102} '(.*)' at")[0]
    assert plain(axis.get_label_text()) == plain(label)


def check_figure(ax, out, name):
    script = (out / f"{name}.gp").read_text()
    for which in "xy":
        check_axis(ax, script, which)
    # Blocks of rows are separated by blank lines.
    header, _, text = (out / "curves.csv").read_text().partition("\n")
    blocks = [list(csv.DictReader(block.splitlines(), header.split(","))) for block in text.split("\n\n")]
    drawn = re.findall(r"every :::(\d+)::\d+ using \((?:([\d.e+-]+)\*)?column\('(\w+)'\)\):"
                       r"\((?:([\d.e+-]+)\*)?column\('(\w+)'\)\) with lines linetype (\d+) linewidth ([\d.]+) "
                       r"(?:title '([^']*)'|notitle)", script)
    lines = [line for line in ax.lines if line.get_label() != "_zero"]
    assert len(lines) == len(drawn) > 0
    for line, (block, x_factor, x, y_factor, y, number, width, title) in zip(lines, drawn):
        for data, factor, column in zip(line.get_data(), (x_factor, y_factor), (x, y)):
            expected = float(factor or 1) * np.array([float(row[column]) for row in blocks[int(block)]])
            assert np.allclose(data, expected, rtol=1e-15, atol=0, equal_nan=True)
        colour = setting(script, rf"^set linetype {number} .* rgb '(#\w+)'")[0]
        assert matplotlib.colors.to_hex(line.get_color()) == colour
        assert line.get_linewidth() == pytest.approx(float(width) / 2)
        assert not title or line.get_label() == title
    corner = setting(script, r"^set key ((?:top|bottom) (?:left|right)) vertical")
    legend = ax.get_legend()
    assert (legend is not None) == (len(drawn) > 1)
    if corner:
        assert LEGEND_PLACES[legend._loc] == PLACES[corner[0]]


@pytest.mark.parametrize("stage", STAGES)
def test_figures_of_a_stage_are_those_of_twirl_plot(stage, paths, scripts):
    run = twirl.Run(paths)
    out, said = scripts(paths, "--stage", stage)
    expected = [name for name in said.partition(": ")[2].partition(";")[0].split(", ")
                if not name.startswith("probe_")]
    assert sorted(twirl.plot.figures(run, stage=stage)) == sorted(expected)
    assert ("pi_plane" in expected) == (stage == "true")
    for name in expected:
        if name != "pi_plane":  # test_plot_space.py
            check_figure(twirl.plot.figure(name, run, stage=stage), out, name)


def test_one_run_shows_all_its_loading_stages(paths, scripts):
    out, _ = scripts(paths)
    run = twirl.Run(paths)
    for name in ("stress_ratio", "void_ratio", "stress_path", "compression_curve", "k0", "coordination"):
        check_figure(twirl.plot.figure(name, run), out, name)
    labels = [line.get_label() for line in twirl.plot.compression_curve(run).lines]
    assert labels == ["load, unload", "again"]  # other stages are between them
    assert [line.get_label() for line in twirl.plot.stress_ratio(run).lines[:3]] == ["shear", "undrained", "extension"]


def test_runs_are_laid_over_each_other(paths, scripts):
    out, said = scripts(paths, paths, paths, "--stage", "shear,undrained,extension", "--labels", "one,two,three",
                        "--percent", "--width", "8.5cm")
    options = {"stage": ["shear", "undrained", "extension"], "labels": ["one", "two", "three"]}
    assert twirl.plot.figures(paths, paths, paths, stage=options["stage"]) == \
        said.partition(": ")[2].partition(";")[0].split(", ")
    for name in ("stress_ratio", "stress_path", "coordination"):
        ax = twirl.plot.figure(name, paths, str(paths), twirl.Run(paths), percent=True, width=8.5, **options)
        check_figure(ax, out, name)
        assert ax.figure.get_size_inches() == pytest.approx([8.5 / 2.54, 0.72 * 8.5 / 2.54])
        assert ax.xaxis.label.get_fontsize() == 8.0
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["one", "two", "three"]


def test_greys_and_names_of_folders(paths, scripts):
    out, _ = scripts(paths, paths, "--stage", "shear,undrained", "--grey")
    run = twirl.Run(paths)
    ax = twirl.plot.stress_ratio(run["shear"], run["undrained"], grey=True)
    script = (out / "stress_ratio.gp").read_text()
    for number, line in enumerate(ax.lines, 1):
        assert matplotlib.colors.to_hex(line.get_color()) == setting(
            script, rf"^set linetype {number} .* rgb '(#\w+)'")[0]
    assert [line.get_label() for line in ax.lines] == ["paths, shear", "paths, undrained"]


def test_circles_are_those_of_twirl_plot(paths, scripts):
    out, said = scripts(paths, "--stage", "probe")
    assert "probe_circles" in said and "probe_splits" in said
    stage = twirl.Run(paths)["probe"]
    number = r"(-?[\d.e+-]+)"
    for name, ax in (("probe_circles", twirl.plot.circles(stage)), ("probe_splits", twirl.plot.splits(paths))):
        script = (out / f"{name}.gp").read_text()
        expected = re.findall(rf"using \({number} \+ {number}\*cos\(\$1\)\):\({number} \+ {number}\*sin", script)
        lines = [line for line in ax.lines if len(line.get_xdata()) == 181]
        assert len(lines) == len(expected) > 1
        for line, numbers in zip(lines, expected):
            x, r, y, _ = map(float, numbers)
            assert np.hypot(line.get_xdata() - x, line.get_ydata() - y) == pytest.approx(r, rel=1e-7)
        for which, label in ((101, ax.get_xlabel()), (102, ax.get_ylabel())):
            assert plain(label) == plain(setting(script, rf"^set label {which} '(.*)' at")[0])
        points = [line for line in ax.lines if len(line.get_xdata()) == 8]
        factor = float(setting(script, r"\? ([\d.e+]+)\*column")[0])
        probes = stage.probes[stage.probes["law"] == "exact"]
        assert np.allclose(points[0].get_xdata(), factor * probes["x"], rtol=1e-15)
        titles = re.findall(r"title '(?:\{/\*0.85 )?([^'}]*)", script)
        assert [text.get_text() for text in ax.get_legend().get_texts()] == titles
        low = float(setting(script, rf"^x1 = low\(STATS_min_x - {number}, ({number})\)")[1])
        assert ax.get_xlim()[0] <= low * (1 - 1e-8) + 1e-8 * abs(low)
        assert ax.get_aspect() == 1.0


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


def test_distributions_are_counts_of_contacts(paths):
    state = twirl.Run(paths).checkpoint("shear")
    ax = twirl.plot.force_distribution(state, bins=10)
    fn = state.contacts["fn"]
    width = fn.max() / fn.mean() / 10
    density = np.nan_to_num(ax.lines[0].get_ydata())
    assert density.sum() * width == pytest.approx(1.0)
    assert np.nan_to_num(ax.lines[1].get_ydata()).sum() * width == pytest.approx(state.contacts["sliding"].mean())
    # Compressed along z, the normals are: more of them, with larger forces.
    for force in (False, True):
        ax = twirl.plot.normals_rose(state, bins=4, force=force)
        heights = [bar.get_height() for bar in ax.patches]
        assert heights[0] == pytest.approx(heights[2]) and heights[1] == pytest.approx(heights[3])
        if not force:
            assert np.mean(heights) == pytest.approx(1.0)


@pytest.mark.parametrize("call, message", [
    (lambda run: twirl.plot.figure("nothing", run), "no figure 'nothing'; there is: stress_ratio"),
    (lambda run: twirl.plot.loops(run, stage="shear"), r"no figure 'loops' of shear \(triaxial\)"),
    (lambda run: twirl.plot.stress_ratio(run, run, stage=["shear", "load"]), "no figure 'stress_ratio' of paths, load"),
    (lambda run: twirl.plot.stress_ratio(run, labels=["one"]), "labels: give one for each of the 3 curves: shear, undrained, extension"),
    (lambda run: twirl.plot.stress_ratio(run, run, stage=["a", "b", "c"]), "3 stages for 2 runs"),
    (lambda run: twirl.plot.stress_ratio(run, width=1), "width: 1 is not between 3 and 100 cm"),
])
def test_what_cannot_be_drawn_is_told(paths, call, message):
    with pytest.raises(ValueError, match=message):
        call(twirl.Run(paths))


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
