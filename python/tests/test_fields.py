# SPDX-License-Identifier: BSD-3-Clause
"""Local fields: closed forms of planted motions, and sums over the bins."""

import re

import numpy as np
import pytest
import twirl
from results_runs import paths  # noqa: F401
from twirl.fields import gradients

BINS = (3, 2, 4)


def lattice(n=12, seed=1):
    """Points near a cubic lattice in a cell that is not a cube."""
    cell = np.array([[1.0, 0.2, 0.0], [0.0, 1.5, 0.1], [0.0, 0.0, 0.8]])
    grid = np.stack(np.meshgrid(*3 * [(np.arange(n) + 0.5) / n], indexing="ij"), axis=-1).reshape(-1, 3)
    grid = grid + np.random.default_rng(seed).uniform(-0.3, 0.3, grid.shape) / n
    return grid @ cell.T, cell


def test_an_affine_motion_is_uniform():
    x, cell = lattice()
    f = np.array([[1.01, 0.02, 0.0], [-0.005, 0.98, 0.01], [0.003, 0.0, 1.02]])
    assert np.abs(gradients(x, cell, x @ f.T, f @ cell, BINS) - (f - np.eye(3))).max() < 1e-13


def test_points_that_leave_through_a_side_are_followed():
    x, cell = lattice()
    small = x + 0.03 * (cell @ [1.0, 0.0, 0.0])  # some leave
    inside = np.linalg.solve(cell, small.T).T
    assert (inside >= 1.0).any()
    assert np.abs(gradients(x, cell, (inside - np.floor(inside)) @ cell.T, cell, BINS)).max() < 1e-12


def test_a_band_is_seen_in_its_bins():
    x, cell = np.random.default_rng(3).uniform(0.0, 1.0, (8000, 3)), np.eye(3)
    z = x[:, 2]
    # Simple shear of 0.2 between z = 0.4 and 0.6, rigid blocks above and below.
    slip = 0.2 * np.clip(z - 0.4, 0.0, 0.2)
    found = gradients(x, cell, x + np.outer(slip, [1.0, 0.0, 0.0]), cell, (2, 2, 5))
    assert np.abs(found[:, :, 2, 0, 2] - 0.2).max() < 1e-12
    found[:, :, 2, 0, 2] = 0.0
    assert np.abs(found).max() < 1e-12


def test_bins_with_too_few_points_have_none():
    x, cell = np.array([[0.1, 0.1, 0.1], [0.2, 0.1, 0.1], [0.1, 0.2, 0.1]]), np.eye(3)
    assert np.isnan(gradients(x, cell, x, cell, (1, 1, 1))).all()


def test_sums_over_the_bins_are_those_of_the_state(paths, tmp_path):
    run = twirl.Run(paths)
    state = run.checkpoint("shear")
    whole, fields = state.measure(), state.fields(BINS)
    assert fields.porosity.shape == BINS and fields.count.sum() == state.count
    assert fields.porosity.mean() == pytest.approx(whole.porosity, abs=1e-12)
    assert np.abs(fields.stress.mean(axis=(0, 1, 2)) - whole.stress).max() < 1e-10 * whole.p
    assert fields.strain is None and fields.shear is None
    assert np.allclose(fields.width * BINS, np.linalg.norm(state.cell, axis=0))
    same = state.fields((1, 1, 1), before=state)
    assert np.abs(same.strain).max() < 1e-12 and np.abs(same.rotation).max() < 1e-12
    same.write_vtk(tmp_path / "fields.vts")
    text = (tmp_path / "fields.vts").read_text()
    assert re.findall('Name="([a-z]+)"', text) == ["count", "porosity", "stress", "strain", "rotation", "shear", "points"]
    with pytest.raises(ValueError, match="bins"):
        state.fields((2, 2))


def test_a_picture_has_the_means_across_its_plane(paths):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    fields = twirl.Run(paths).checkpoint("shear").fields(BINS)
    mesh = twirl.plot.field(fields, "porosity", plane="zx").collections[0]
    assert np.allclose(np.ravel(mesh.get_array()), fields.porosity.mean(axis=1).ravel())
    with pytest.raises(ValueError, match="of two states"):
        twirl.plot.field(fields, "shear")
    pyplot.close("all")
