# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios from Python."""

import io
import json
import os
import signal
import subprocess
import sys
import types

import pytest

import twirl
import conftest
from twirl import progress

TEXT = """
specimen:
  count: 100
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, friction: 0.1}
material: {stiffness_level: 500, friction: 0.5}
stages:
  - {name: shear, path: triaxial, inertial_number: 5e-3, end: {strain: 2 %}}
"""

DICT = {
    "specimen": {"count": 100, "sizes": {"distribution": "uniform", "d_min": "0.8 mm", "d_max": 1.2e-3},
                 "preparation": {"pressure": "100 kPa", "friction": 0.1}},
    "material": {"stiffness_level": 500, "friction": 0.5},
    "stages": [{"name": "shear", "path": "triaxial", "inertial_number": 5e-3, "end": {"strain": 0.02}}],
}

#: What a run leaves behind that does not name the program that wrote it.
FILES = ("history.csv", "stages/shear.h5", "scenario.yaml")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The files of a run of the program."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "small.yaml").write_text(TEXT, encoding="utf-8")
    subprocess.run([conftest.program(), "run", "small.yaml", "--quiet"], cwd=folder, check=True, stderr=subprocess.PIPE)
    return {name: (folder / "small" / name).read_bytes() for name in FILES}


def files(folder):
    return {name: (folder / name).read_bytes() for name in FILES}


def test_the_files_are_those_of_the_program(tmp_path, program, monkeypatch, capsys):
    (tmp_path / "small.yaml").write_text(TEXT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    result = twirl.run("small.yaml")
    assert files(tmp_path / "small") == program
    assert isinstance(result, twirl.Run)
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("100 grains, 1 stage")
    assert any(line.startswith("shear: ended at axial strain 0.02") for line in said)
    assert " steps in " in said[-1] and "contact-steps/s" in said[-1]


def test_a_dict_is_a_scenario(tmp_path, program, capsys):
    twirl.run(DICT, out=tmp_path / "a", progress=False, threads=2)
    assert files(tmp_path / "a") == program
    assert capsys.readouterr().err == ""


def test_numbers_of_threads_that_are_none(tmp_path):
    for threads, error in ((-1, ValueError), (10**9, ValueError), ("2", TypeError)):
        with pytest.raises(error, match="^threads"):
            twirl.run(DICT, out=tmp_path / "a", progress=False, threads=threads)


def test_an_interrupted_run_is_resumed(tmp_path, program, monkeypatch):
    def on_message(_self, line):
        if "compression" in line:
            os.kill(os.getpid(), signal.SIGINT)  # Ctrl-C, when the first steps are taken
    with monkeypatch.context() as patch:
        patch.setattr("twirl.scenario._Running.on_message", on_message)
        with pytest.raises(KeyboardInterrupt, match="resume=True"):
            twirl.run(DICT, out=tmp_path / "a", progress=False)
    assert not (tmp_path / "a" / "stages" / "shear.h5").exists()
    twirl.run(DICT, out=tmp_path / "a", progress=False, resume=True, device="emulated")
    assert files(tmp_path / "a") == program


def test_settings():
    scenario = twirl.Scenario(DICT, set={"material.friction": 0.3, "stages[shear].end.strain": "1 %", "title": "A: b"})
    assert "friction: 0.3" in scenario.text and "strain: 0.01" in scenario.text and scenario.title == "A: b"
    again = twirl.Scenario(json.loads(json.dumps(DICT)), set={"material.friction": 0.3})
    assert "friction: 0.3" in again.text and again.title is None
    assert "friction: 0.5" in twirl.Scenario(DICT).text
    assert twirl.Scenario(DICT).plan.startswith("100 grains, 1 stage")
    assert [one.key for one in twirl.Scenario(DICT).warnings] == ["specimen.count"]


def test_all_errors_of_a_file_with_their_places(tmp_path):
    file = tmp_path / "bad: 1.yaml"
    file.write_text(TEXT.replace("count: 100", "count: -5").replace("0.8 mm", "0.8 kPa").replace("pressure", "presure"),
                    encoding="utf-8")
    with pytest.raises(twirl.ScenarioError) as caught:
        twirl.run(file, set={"material.density": "heavy", "colour": 3}, out=tmp_path / "a")
    error = caught.value
    places = [(one.file, one.line, one.column, one.key) for one in error.errors]
    lines = file.read_text(encoding="utf-8").splitlines()
    for key, line, word in (("specimen.count", 3, "-5"), ("specimen.sizes.d_min", 4, "0.8 kPa"),
                            ("specimen.preparation.presure", 5, "presure")):
        assert (str(file), line, lines[line - 1].index(word) + 1, key) in places
    assert (None, None, None, "material.density") in places and (None, None, None, "colour") in places
    assert all(one.text and one.text in str(error) for one in error.errors)
    assert str(error).splitlines()[0] == f"{len(error.errors)} errors in {file}:"
    assert error.status == twirl.Status.INPUT
    assert not (tmp_path / "a").exists()


def test_other_errors(tmp_path):
    with pytest.raises(twirl.ScenarioError) as caught:
        twirl.Scenario(tmp_path / "missing.yaml")
    assert [one.key for one in caught.value.errors] == [None] and "cannot be read" in caught.value.errors[0].text
    (tmp_path / "open.yaml").write_text("a: [\n", encoding="utf-8")
    with pytest.raises(twirl.ScenarioError) as caught:
        twirl.Scenario(tmp_path / "open.yaml")
    assert (caught.value.errors[0].line, caught.value.errors[0].key) == (2, None)
    with pytest.raises(twirl.ScenarioError) as caught:
        twirl.Scenario({**DICT, "stages": [{"path": "triaxia"}]})
    assert ("stages[1].path", None) in [(one.key, one.line) for one in caught.value.errors]
    assert "\nstages[1].path: " in str(caught.value)  # a dict has no lines
    with pytest.raises(twirl.ScenarioError, match=r"\nset 'specimen.count=0': specimen.count: '0' is out of range"):
        twirl.Scenario(DICT, set={"specimen.count": 0})
    with pytest.raises(TypeError, match="out: the folder"):
        twirl.run(DICT)
    (tmp_path / "small.yaml").write_text(TEXT, encoding="utf-8")
    said = subprocess.run([conftest.program(), "run", "small.yaml", "--out", "none/b"], cwd=tmp_path, text=True, capture_output=True)
    with pytest.raises(twirl.Error) as caught:  # no parent folders are made, as by the program
        twirl.run(DICT, out=tmp_path / "none" / "b", progress=False)
    assert said.returncode == 1 and said.stderr.splitlines()[-1].endswith(
        str(caught.value).replace(f"{tmp_path}{os.sep}", "")) and not (tmp_path / "none").exists()
    twirl.run({**DICT, "stages": [{"name": "rest", "path": "relax", "end": {"steps": 2}}]}, out=tmp_path / "a", progress=False)
    with pytest.raises(twirl.Error, match=r"add resume=True to continue it, extend=True to .* restart=True to .* another folder with out"):
        twirl.run(DICT, out=tmp_path / "a", progress=False)
    longer = twirl.run({**DICT, "stages": [{"name": "rest", "path": "relax", "end": {"steps": 5}}]}, out=tmp_path / "a", extend=True,
                       progress=False)
    assert list(longer.history["stage_step"][-6:]) == [0, 1, 2, 3, 4, 5]
    with pytest.raises(twirl.Error, match="^specimen .*none: "):
        twirl.run(DICT, out=tmp_path / "b", specimen=tmp_path / "none", progress=False)


def test_a_file_called_scenario_is_a_file(tmp_path, monkeypatch):
    """And not a dict, which has no default for the folder."""
    (tmp_path / "scenario").write_text(TEXT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for source in ("scenario", twirl.Scenario("scenario")):
        with pytest.raises(twirl.Error, match="scenario"):  # as by the program, there is a file where the folder goes
            twirl.run(source, progress=False)
    with pytest.raises(TypeError, match="out: the folder"):
        twirl.run(twirl.Scenario(DICT), progress=False)


def test_bars(monkeypatch):
    assert progress.bar(0.5, 10) == "[#####.....]" and progress.bar(float("nan"), 4) == "[....]"
    assert progress.bar(1.0, 4) == "[####]" == progress.bar(1.2, 4)
    screen = io.StringIO()
    terminal = progress.Terminal(screen)
    monkeypatch.setenv("COLUMNS", "40")
    terminal.show(0.25, "[1/1] shear 25.0 %  0:12 left  strain 0.0100")
    terminal.message("a line that stays")
    assert screen.getvalue() == "\r[#####...............] [1/1] shear 25.0\033[K\ra line that stays\033[K\n"
    assert isinstance(progress.choose(False), progress.Silent) and not progress.in_notebook()


def test_a_bar_in_a_notebook(monkeypatch):
    shown = []

    class Handle:
        @staticmethod
        def update(text):
            shown.append(text)

    page = types.ModuleType("IPython.display")
    page.display = lambda _text, display_id: Handle
    monkeypatch.setitem(sys.modules, "IPython.display", page)
    bar = progress.Notebook()
    bar.show(float("nan"), "[1/1] <b> 50.0 %")
    bar.show(0.5, "[1/1] shear 50.0 %")
    bar.end("7 steps")
    html = [one._repr_html_() for one in shown]
    assert "value" not in html[0] and "&lt;b&gt;" in html[0]
    assert 'value="0.5000"' in html[1] and "shear 50.0 %" in html[1] and repr(shown[1]) == "[1/1] shear 50.0 %"
    assert 'value="1.0000"' in html[2] and "7 steps" in html[2]
