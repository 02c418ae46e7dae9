# SPDX-License-Identifier: BSD-3-Clause
"""Runs read in Python have the numbers of their files, to the last digit."""

import csv
import io
import json
import math
import re

import numpy as np
import pytest
import twirl
from results_runs import make, paths, scripts, twirl as program  # noqa: F401

SEED = """
specimen: {count: 30, sizes: {d: 1 mm}, preparation: {pressure: 100 kPa, friction: 0.1}}
material: {stiffness_level: 1000, friction: 0.5}
stages: [{name: shear, path: triaxial, inertial_number: 2e-2, end: {strain: 2 %}}]
"""


def texts_of(path):
    """Columns as texts, by another reader."""
    rows = list(csv.reader(io.StringIO(path.read_text())))
    return {name: [row[k] for row in rows[1:]] for k, name in enumerate(rows[0])}


def same(text, value):
    number = float(text)
    return number == value or (math.isnan(number) and math.isnan(value))


def test_the_history_has_every_number_of_the_file(paths):
    run = twirl.Run(paths)
    texts = texts_of(paths / "history.csv")
    assert run.history.dtype.names == tuple(texts)
    for name, column in texts.items():
        if name == "stage":
            assert run.history[name].tolist() == column
        else:
            assert all(same(text, value) for text, value in zip(column, run.history[name].tolist())), name
    assert len(run.history) == len(texts["step"]) > 100
    # The text is read as the nearest double: writing it again gives the same text.
    assert [f"{value:.17g}" for value in run.history["stress_zz"]] == texts["stress_zz"]


def test_the_frame_has_the_columns_of_the_history(paths):
    pytest.importorskip("pandas")
    run = twirl.Run(paths)
    frame = run.frame()
    assert list(frame.columns) == list(run.history.dtype.names) and len(frame) == len(run.history)
    assert frame["stress_zz"].to_numpy().tobytes() == np.ascontiguousarray(run.history["stress_zz"]).tobytes()
    assert run["shear"].frame()["stage"].unique().tolist() == ["shear"]


def test_stages_have_their_rows_and_how_they_ended(paths):
    run = twirl.Run(paths)
    texts = texts_of(paths / "history.csv")
    assert list(run.stages) == ["specimen", "shear", "undrained", "extension", "simple", "closed", "cycles", "true",
                                "load", "unload", "compress", "rest", "again", "turn", "probe"]
    for stage in run:
        assert len(stage.history) == texts["stage"].count(stage.name) > 1
        assert set(stage.history["stage"]) == {stage.name}
        assert stage.state == "finished"
        expected = next(s for s in run.summary["stages"] if s["name"] == stage.name)
        assert stage.summary == expected
        assert stage.end == expected.get("end")
    assert run["shear"].end == "strain" and run["load"].end == "stress" and run["specimen"].end is None
    assert run["shear"].path == "triaxial" and run["specimen"].path == "preparation"
    assert run["shear"].summary["stress_ratio"] == run["shear"].history["stress_ratio"][-1]
    with pytest.raises(KeyError, match="no stage 'nothing'; there is: specimen, shear"):
        run["nothing"]


def test_scenario_summary_and_log(paths):
    run = twirl.Run(paths)
    assert run.state == "finished" and run.name == "paths" and len(run) == 15
    assert run.scenario["title"] == run.summary["title"] == 'Small stages of many paths: "quoted", ü'
    assert run.scenario["specimen"]["sizes"] == {"distribution": "uniform", "d_min": 0.0008, "d_max": 0.0012,
                                                 "by": "number"}
    assert run.scenario_text == (paths / "scenario.yaml").read_text()
    assert run.scenario["stages"][0]["end"] == {"strain": 0.02}
    assert run.scenario["stages"][-1]["probes"]["laws"] == ["exact", "conventional"]
    assert run.identity == run.summary["run"] and len(run.identity) == 16
    assert run.log == (paths / "run.log").read_text().splitlines()
    assert run["shear"].end_text == "ended at axial strain 0.02 (end.strain)"


# What a stage has at its start and its end: energies in J, p in Pa; others are 0. Then what is to be said of it.
JUDGED = {
    # Nothing happens: ratios of what little there is are noise.
    "settle": ({"normal": 1e-3}, {"normal": 1e-3, "cell": 1e-9, "residual": 5e-10, "friction": 1e-10, "body_damping": 3e-10}, []),
    "unload": ({"normal": 1e-3}, {"normal": 5e-4, "cell": -5e-4, "friction": 1e-6, "body_damping": 2e-7}, []),
    "good": ({"normal": 1e-4}, {"normal": 2e-4, "cell": 1e-3, "residual": 9e-7, "friction": 5e-4, "body_damping": 4e-5}, []),
    "coarse": ({"normal": 1e-4}, {"normal": 2e-4, "cell": 1e-3, "residual": -2e-6, "friction": 5e-4},
               ["the residual of the energy balance is 0.002 of the energy put in or stored: the time step is too large"]),
    "fast": ({"normal": 1e-4}, {"normal": 2e-4, "cell": 1e-3, "friction": 4e-4, "body_damping": 1e-4},
             ["damping of bodies dissipates 0.25 of what friction does, which makes q/p in shear about 7.5 % too high: load more slowly"]),
    # Without a pressure there is no inertial number to speak of.
    "loose": ({"p": 9e3, "inertial_number": 1.6}, {"inertial_number": 1e-3, "normal": 1e-4, "cell": 1e-4}, []),
    "rushed": ({"inertial_number": 0.02}, {"inertial_number": 1e-3, "normal": 1e-4, "cell": 1e-4},
               ["the inertial number reaches 0.02: not quasi-static; load more slowly"]),
}


def test_warnings_are_about_what_matters(tmp_path):
    folder = tmp_path / "judged"
    folder.mkdir()
    (tmp_path / "judged.yaml").write_text(
        "specimen: {count: 500, preparation: {pressure: 100 kPa, friction: 0.3}}\n"
        "material: {stiffness_level: 1000, friction: 0.5}\nstages:\n" + "".join(
            f"  - {{name: {name}, path: isotropic, pressure: 100 kPa}}\n" for name in JUDGED))
    (folder / "scenario.yaml").write_text(program("check", "--resolved", "judged.yaml", folder=tmp_path).stdout)
    names = ["p", "inertial_number", "cell", "residual", "friction", "rolling", "twisting", "body_damping", "normal", "tangential",
             "stored_rolling", "stored_twisting"]
    lines = [",".join(["step", "time", "stage", *names])]
    for name, (first, last, _) in JUDGED.items():
        for row in (first, last):
            values = [repr(row.get(column, 1e5 if column == "p" else 0.0)) for column in names]
            lines.append(",".join([str(len(lines)), "0", name, *values]))
    (folder / "history.csv").write_text("\n".join(lines) + "\n")
    want = [f"{name}: {text}" for name, (_, _, texts) in JUDGED.items() for text in texts]
    program("report", folder, "--json", tmp_path / "report.json", "--snapshots", "none", folder=tmp_path)
    told = json.loads((tmp_path / "report.json").read_text())["runs"][0]["warnings"]
    assert [line for line in told if line.split(":")[0] in JUDGED] == want
    assert [line for stage in twirl.Run(folder) for line in stage.warnings] == want


def test_state_stages_and_warnings_are_those_of_the_report(paths, tmp_path):
    program("report", paths, "--json", tmp_path / "report.json", folder=tmp_path)
    told = json.loads((tmp_path / "report.json").read_text())["runs"][0]
    run = twirl.Run(paths)
    assert run.state == told["state"] and run.scenario_text == told["scenario"] and run.failure == told["failure"]
    # The report also has the warnings of `twirl check`, which begin with a key.
    of_scenario = [line for line in told["warnings"] if re.match(r"(specimen|stages|output)[.\[]", line)]
    assert of_scenario and run.warnings == [line for line in told["warnings"] if line not in of_scenario]
    # Some of the inertial number, some of damping. This log has none of its own.
    assert all(any(part in line for line in run.warnings) for part in ("not quasi-static", "damping"))
    assert [s.name for s in run] == [s["name"] for s in told["stages"]]
    for mine, stage in zip(run, told["stages"]):
        assert (mine.rows.start, mine.rows.stop - mine.rows.start) == (stage["first_row"], stage["rows"])
        assert (mine.path, mine.end, mine.end_text) == (stage["path"], stage["end"], stage["end_text"])


def test_a_folder_without_json_has_the_same_scenario(paths, tmp_path):
    """As earlier versions have left them: the library converts scenario.yaml."""
    (tmp_path / "run").mkdir()
    for name in ("scenario.yaml", "history.csv"):
        (tmp_path / "run" / name).write_bytes((paths / name).read_bytes())
    assert twirl.Run(tmp_path / "run").scenario == twirl.Run(paths).scenario


def test_both_forms_of_the_scenario_say_the_same(paths):
    yaml = pytest.importorskip("yaml")
    # PyYAML takes 1e-05 for a text, since YAML 1.1 wants a point. Angles have a unit.
    def numbers(value):
        if isinstance(value, dict):
            return {key: numbers(v) for key, v in value.items()}
        if isinstance(value, list):
            return [numbers(v) for v in value]
        try:
            return float(value.removesuffix(" rad")) if isinstance(value, str) else value
        except ValueError:
            return value

    run = twirl.Run(paths)
    assert numbers(run.scenario) == numbers(yaml.safe_load(run.scenario_text))


def test_probes_and_fits(paths):
    stage = twirl.Run(paths)["probe"]
    for table, name in ((stage.probes, "probes.csv"), (stage.fits, "fits.csv")):
        texts = texts_of(paths / "stages" / "probe" / name)
        assert table.dtype.names == tuple(texts)
        for column in texts:
            if table[column].dtype.kind == "U":
                assert table[column].tolist() == texts[column]
            else:
                assert all(same(t, v) for t, v in zip(texts[column], table[column].tolist())), column
    assert len(stage.probes) == 16 and set(stage.fits["law"]) == {"exact", "conventional"}
    assert stage.probes_summary["directions"] == 8
    with pytest.raises(twirl.RunError, match="stage 'shear' has no fits.csv: it is a stage of path triaxial"):
        twirl.Run(paths)["shear"].fits


def test_quantities_have_the_bits_of_curves_csv(paths, scripts):
    run = twirl.Run(paths)
    compared = set()
    for name in list(run.stages)[1:]:
        out, _ = scripts(paths, "--stage", name)
        texts = texts_of(out / "curves.csv")
        mine = run[name].curves()
        for column in set(texts) - {"label"}:
            expected = [float(text) for text in texts[column]]
            assert np.array_equal(mine[column] + 0.0, expected, equal_nan=True), (name, column)
            compared.add(column)
    # Every quantity was compared in some stage, but losses that these contacts do not have, and those that no figure draws.
    missing = set(twirl.derived.quantity_names()) - compared
    assert missing <= {"strain", "micro_slip", "rolling", "twisting", "coordination_mechanical", "second_order_work"}, missing


def test_the_friction_angle_is_that_of_the_sweep_table(tmp_path):
    make_sweep(tmp_path)
    sweep = twirl.read_sweep(tmp_path / "sweep")
    for row in sweep.table:
        stage = sweep[row["case"]]["shear"]
        peak = np.argmax(stage["stress_ratio"])
        assert stage["stress_ratio"][peak] == row["peak_ratio"] and stage["strain"][peak] == row["peak_strain"]
        # Another way to the principal stresses: some roundings.
        angle = twirl.derived.mobilised_friction_angle(stage.history)
        assert angle[peak] == pytest.approx(row["peak_angle"], rel=1e-12)
        dilation = twirl.derived.dilation_angle(stage.history, stage.loading)
        # Sum of integrated strains, and logarithm of the volume: 1e-12 apart, over a window of 0.01 and in degrees.
        assert np.nanmax(dilation) == pytest.approx(row["dilation_angle"], abs=1e-8)
        assert stage["void_ratio"][-1] == row["void_ratio_end"]


def make_sweep(folder):
    (folder / "seed.yaml").write_text(SEED)
    program("sweep", "seed.yaml", "--vary", "material.friction=0.2,0.5", "--vary", "specimen.seed=1..2", "--vary",
            "stages[shear].lateral_stress=100 kPa,hold", "--out", "sweep", "--quiet", "--no-figures", folder=folder)


def test_a_sweep_is_a_table_and_its_runs(tmp_path):
    make_sweep(tmp_path)
    sweep = twirl.read_sweep(tmp_path / "sweep")
    texts = texts_of(tmp_path / "sweep" / "table.csv")
    assert sweep.table.dtype.names == tuple(texts)
    assert sweep.varied == ["material.friction", "specimen.seed", "stages[shear].lateral_stress"]
    assert sweep.table["material.friction"].tolist() == [float(t) for t in texts["material.friction"]]
    assert sweep.table["stages[shear].lateral_stress"].tolist() == texts["stages[shear].lateral_stress"]
    for name in ("peak_ratio", "modulus", "critical_void_ratio"):
        assert all(same(t, v) for t, v in zip(texts[name], sweep.table[name]))
    assert list(sweep.cases) == texts["case"] and all(run.state == "finished" for run in sweep.cases.values())
    assert sweep[texts["case"][0]].scenario["material"]["friction"] == 0.2
    means = sweep.means
    assert means["count"].tolist() == [2.0] * 4
    one = sweep.table[(sweep.table["material.friction"] == 0.2)
                      & (sweep.table["stages[shear].lateral_stress"] == "hold")]
    row = means[(means["material.friction"] == 0.2) & (means["stages[shear].lateral_stress"] == "hold")]
    assert row["peak_ratio"][0] == pytest.approx(one["peak_ratio"].mean(), rel=1e-14)
    assert row["peak_ratio_sd"][0] == pytest.approx(one["peak_ratio"].std(ddof=1), rel=1e-9)
    with pytest.raises(twirl.RunError, match="is the folder of a sweep; use twirl.read_sweep"):
        twirl.Run(tmp_path / "sweep")
    with pytest.raises(twirl.RunError, match="not the folder of a sweep.*use twirl.Run"):
        twirl.read_sweep(sweep.cases[texts["case"][0]].folder)
    pytest.importorskip("pandas")
    assert len(sweep.frame()) == 8


def test_definitions_by_hand(paths):
    """Against numbers worked out from single rows, without the module under test."""
    rows = twirl.Run(paths)["shear"].history
    row = {name: float(rows[name][-1]) for name in rows.dtype.names if name != "stage"}
    d = twirl.derived
    path = twirl.Run(paths)["shear"].loading
    q = row["stress_zz"] - (row["stress_xx"] + row["stress_yy"]) / 2
    assert d.deviator_stress(rows, path)[-1] == pytest.approx(q, rel=1e-14)
    assert d.stress_ratio(rows, path)[-1] == pytest.approx(3 * q / (row["stress_xx"] + row["stress_yy"] + row["stress_zz"]))
    s = d.principal_stresses(rows)[-1]
    assert s.sum() == pytest.approx(3 * row["p"]) and s[0] >= s[1] >= s[2]
    assert math.sqrt(((s[0] - s[1])**2 + (s[1] - s[2])**2 + (s[2] - s[0])**2) / 2) == pytest.approx(row["stress_deviator"], rel=1e-12)
    assert d.volumetric_strain(rows)[-1] == pytest.approx(math.log(rows["volume"][0] / row["volume"]), rel=1e-6)
    grains = row["volume"] / (1 + row["void_ratio"])
    assert grains == pytest.approx(rows["volume"][0] / (1 + rows["void_ratio"][0]), rel=1e-12)
    # The work is the integral of stress times strain rate times volume: within the error of the rule.
    names = ["xx", "yy", "zz", "yz", "xz", "xy"]
    power = sum(0.5 * (rows["stress_" + n][1:] + rows["stress_" + n][:-1]) * np.diff(rows["strain_" + n]) for n in names)
    integral = np.sum(power * 0.5 * (rows["volume"][1:] + rows["volume"][:-1]))
    assert d.work(rows)[-1] == pytest.approx(integral, rel=2e-2)
    assert d.energy_balance_error(rows)[-1] < 1e-3
    assert np.isnan(d.curve(rows[["step", "time"]], "q", path)).all()
    with pytest.raises(KeyError, match="neither a quantity nor a column"):
        d.curve(rows, "no_such_thing")


MIXED = SEED.replace("material: {stiffness_level: 1000, friction: 0.5}",
                     "materials: [{name: hard, kn: 1e5, friction: 0.5}, {name: soft, kn: 5e4, friction: 0.4}]").replace(
                         "specimen: {", "specimen: {shapes: [{material: hard}, {material: soft}], ")


def test_a_series_has_every_number_of_its_file_and_a_row_for_each_of_the_history(tmp_path, paths):
    run = twirl.Run(make(tmp_path, "mixed", MIXED))
    texts, rows = texts_of(run.folder / "materials.csv"), run.series("materials")
    assert rows.dtype.names == tuple(texts) and "share_p:hard:soft" in texts
    for name, column in texts.items():
        assert name == "stage" or all(same(text, value) for text, value in zip(column, rows[name].tolist())), name
    for name in ("step", "time", "stage", "stage_step"):
        assert rows[name].tolist() == run.history[name].tolist()
    assert rows["contacts:hard:soft"][-1] > 0
    with pytest.raises(twirl.RunError, match="no series 'region'; there is: materials"):
        run.series("region")
    with pytest.raises(twirl.RunError, match="no series 'materials'; there is: none"):
        twirl.Run(paths).series("materials")
