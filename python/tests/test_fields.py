# SPDX-License-Identifier: BSD-3-Clause
"""Local fields: totals of the state and a numpy sum. The arithmetic has its closed forms in test/physics/test_fields.c."""

import re

import numpy as np
import pytest
import twirl
from results_runs import paths  # noqa: F401

BINS = (3, 2, 4)


def test_values_are_those_of_a_sum_over_grains(paths):
    state = twirl.Run(paths).checkpoint("shear")
    narrow = 1.0 / np.linalg.norm(np.linalg.inv(state.cell), axis=1).max()
    fields = state.fields(BINS, window=0.4 * narrow)
    assert fields.porosity.shape == BINS and fields.stress.shape == (*BINS, 3, 3) and fields.window == 0.4 * narrow
    images = np.stack(np.meshgrid(*3 * [[-1, 0, 1]]), axis=-1).reshape(-1, 3)
    for index in np.ndindex(BINS):
        middle = (np.array(index) + 0.5) / BINS
        s = np.linalg.solve(state.cell, state.bodies["x"].T).T
        d = (s - np.floor(s) - middle)[:, None, :] + images
        ratio = ((d @ state.cell.T)**2).sum(axis=-1) / fields.window**2
        weight = 105.0 / (32.0 * np.pi * fields.window**3) * np.clip(1.0 - ratio, 0.0, None)**2
        assert fields.grains[index] == (ratio < 1.0).sum()
        assert fields.porosity[index] == pytest.approx(1.0 - (weight * state.volumes[:, None]).sum(), abs=1e-12)


def test_the_means_over_a_fine_grid_are_those_of_the_state(paths, tmp_path):
    state = twirl.Run(paths).checkpoint("shear")
    whole = state.measure()
    fields = state.fields((8, 8, 8), window=0.4 * state.volume**(1 / 3))
    # The window has 3.2 points in its radius: what the sum over the grid leaves is below 105/(2 pi 3.2)^4 for each of six directions.
    assert np.abs(fields.stress.mean(axis=(0, 1, 2)) - whole.stress).max() < 0.01 * whole.p
    assert fields.porosity.mean() == pytest.approx(whole.porosity, abs=0.01)
    assert fields.p.mean() == pytest.approx(whole.p, rel=0.01) and (fields.q > 0.0).all()
    assert fields.strain is None and fields.shear_strain is None and fields.rotation is None
    assert np.allclose(fields.width * 8, np.linalg.norm(state.cell, axis=0))
    fields.write_vtk(tmp_path / "one.vts")
    assert re.findall('Name="([a-z_]+)"', (tmp_path / "one.vts").read_text()) == ["grains", "porosity", "stress", "p", "q", "position"]


def test_nothing_has_moved_since_the_same_state(paths, tmp_path):
    state = twirl.Run(paths).checkpoint("shear")
    same = state.fields((1, 1, 1), before=state, window=0.4 * state.volume**(1 / 3))
    assert np.abs(same.strain).max() < 1e-12 and np.abs(same.rotation).max() < 1e-12
    assert abs(same.volumetric_strain).max() < 1e-12
    same.write_vtk(tmp_path / "two.vts")
    text = (tmp_path / "two.vts").read_text()
    assert re.findall('Name="([a-z_]+)"', text)[5:] == ["strain", "volumetric_strain", "shear_strain", "rotation", "position"]
    with pytest.raises(ValueError, match="bins"):
        state.fields((2, 2))
    with pytest.raises(twirl.Error, match="window"):
        state.fields(BINS, window=-1.0)
