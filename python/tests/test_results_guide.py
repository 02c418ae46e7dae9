# SPDX-License-Identifier: BSD-3-Clause
"""The code on the page docs/guide/python-results.md runs."""

import os
import re
from pathlib import Path

import pytest
import twirl  # noqa: F401
from matplotlib import pyplot
from results_runs import make, twirl as program

TEST = """
specimen: {count: 40, sizes: {d: 1 mm}, preparation: {pressure: 100 kPa, friction: 0.05}}
material: {stiffness_level: 1000, friction: 0.5}
stages: [{name: shear, path: triaxial, inertial_number: 2e-2, end: {strain: 3 %}}]
output: {history: {strain: 5e-4}}
"""
PAGE = Path(os.environ.get("TWIRL_SOURCE", Path(__file__).parents[2])) / "docs" / "guide" / "python-results.md"


def test_the_page_runs(tmp_path, monkeypatch, capsys):
    make(tmp_path, "dense", TEST)
    make(tmp_path, "loose", TEST, "--set", "specimen.preparation.friction=0.5")
    program("sweep", "dense.yaml", "--vary", "material.friction=0.2,0.4", "--vary", "specimen.seed=1,2", "--out",
            "friction", "--quiet", "--no-figures", folder=tmp_path)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    assert len(blocks) == 7
    names = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    pyplot.close("all")
    assert (tmp_path / "stress_ratio.pdf").exists() and (tmp_path / "two.pdf").exists()
    assert "finished strain " in capsys.readouterr().out
    with pytest.raises(twirl.RunError):
        twirl.Run("nothing")
