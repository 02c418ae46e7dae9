# SPDX-License-Identifier: BSD-3-Clause
"""The code on the page docs/guide/python-results.md runs."""

import re

import pytest
import twirl  # noqa: F401
from conftest import source_text
from results_runs import make, twirl as program

TEST = """
specimen: {count: 40, sizes: {d: 1 mm}, preparation: {pressure: 100 kPa, friction: 0.05}}
material: {stiffness_level: 1000, friction: 0.5}
stages: [{name: shear, path: triaxial, inertial_number: 2e-2, end: {strain: 3 %}}]
output: {history: {strain: 5e-4}}
"""


def test_the_page_runs(tmp_path, monkeypatch, capsys):
    for name in ("h5py", "pandas"):
        pytest.importorskip(name)
    pyplot = pytest.importorskip("matplotlib.pyplot")
    page = source_text("docs/guide/python-results.md")
    make(tmp_path, "dense", TEST)
    make(tmp_path, "loose", TEST, "--set", "specimen.preparation.friction=0.5")
    program("sweep", "dense.yaml", "--vary", "material.friction=0.2,0.4", "--vary", "specimen.seed=1,2", "--out",
            "friction", "--quiet", "--no-figures", folder=tmp_path)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    assert len(blocks) == 7
    names = {}
    for block in blocks:
        exec(compile(block, "python-results.md", "exec"), names)
    pyplot.close("all")
    assert (tmp_path / "stress_ratio.pdf").exists() and (tmp_path / "two.pdf").exists()
    assert "finished strain " in capsys.readouterr().out
    with pytest.raises(twirl.RunError):
        twirl.Run("nothing")
