# SPDX-License-Identifier: BSD-3-Clause
"""Small runs made by the program itself, for the tests of results and figures."""

import os
import subprocess
from pathlib import Path

import pytest
from conftest import program

PATHS = """
title: "Small stages of many paths: \\"quoted\\", \\u00fc"
specimen:
  count: 40
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, friction: 0.1}
material: {stiffness_level: 1000, friction: 0.5}
stages:
  - {name: shear, path: triaxial, inertial_number: 1e-2, end: {strain: 2 %}, save: sheared}
  - {name: undrained, from: specimen, path: undrained, inertial_number: 1e-2, end: {strain: 1 %}}
  - {name: extension, from: specimen, path: constant_p, axis: x, direction: extension, inertial_number: 1e-2,
     end: {strain: 1 %}}
  - {name: simple, from: specimen, path: simple_shear, inertial_number: 1e-2, end: {strain: 1 %}}
  - {name: closed, from: specimen, path: simple_shear, plane: xy, constant: volume, inertial_number: 1e-2,
     end: {strain: 1 %}}
  - {name: cycles, from: specimen, path: cyclic, inertial_number: 1e-2, cycle: {base: constant_p, strain: 0.1 %},
     end: {cycles: 2}}
  - {name: true, from: specimen, path: true_triaxial, inertial_number: 1e-2, lode_angle: 30 deg, end: {strain: 1 %}}
  - {name: load, from: specimen, path: oedometer, inertial_number: 1e-2, end: {stress: 150 kPa, strain: 5 %}}
  - {name: unload, path: oedometer, direction: extension, inertial_number: 1e-2, end: {stress: 120 kPa, strain: 5 %}}
  - {name: compress, from: specimen, path: isotropic, pressure: 200 kPa, inertial_number: 1e-2}
  - {name: rest, path: relax, end: {steps: 200}}
  - {name: again, path: oedometer, inertial_number: 1e-2, end: {stress: 250 kPa, strain: 5 %}}
  - {name: turn, from: sheared, path: rotate, rotation: {axis: [0, 0, 1], angle: 20 deg, increments: 20}}
  - {name: probe, from: sheared, path: probes, probes: {count: 8, strain: 5e-5, steps: 100,
     laws: [exact, conventional], no_slip: yes}}
output: {history: {strain: 5e-4}}
"""

SPACE = """
specimen:
  count: 40
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, friction: 0.1}
material: {stiffness_level: 1000, friction: 0.5}
stages:
  - {name: true, path: true_triaxial, inertial_number: 1e-2, lode_angle: 30 deg, end: {strain: 1 %}}
  - {name: ball, path: probes, probes: {space: sphere, count: 24, stress: 1 kPa, steps: 100, rest: 1e-4, settle: 1e-4}}
  - {name: strained, path: probes, probes: {space: sphere, count: 24, strain: 5e-5, steps: 100, rest: 1e-4,
     settle: 1e-4, no_slip: yes}}
output: {history: {strain: 5e-4}}
"""


def twirl(*arguments, folder, path=None, check=True):
    """Runs the program; its output."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    if path:
        environment["PATH"] = f"{path}:{environment['PATH']}"
    done = subprocess.run([program(), *map(str, arguments)], cwd=folder, env=environment, text=True,
                          capture_output=True)
    assert not check or done.returncode == 0, done.stderr
    return done


def make(folder, name, text, *options):
    """The folder of a run of this scenario."""
    (folder / f"{name}.yaml").write_text(text)
    twirl("run", f"{name}.yaml", "--quiet", "--out", name, *options, folder=folder)
    return folder / name


@pytest.fixture(scope="session")
def paths(tmp_path_factory):
    """A run with a small stage of almost every path. It is not to be changed."""
    return make(tmp_path_factory.mktemp("runs"), "paths", PATHS)


@pytest.fixture(scope="session")
def space(tmp_path_factory):
    """A true triaxial path, and probes in all directions of principal space."""
    return make(tmp_path_factory.mktemp("runs"), "space", SPACE)


@pytest.fixture(scope="session")
def scripts(tmp_path_factory):
    """Makes the gnuplot scripts and the curves.csv of `twirl plot`, without drawing them."""
    fake = tmp_path_factory.mktemp("fake")
    (fake / "gnuplot").write_text("#!/bin/sh\nexit 0\n")
    (fake / "gnuplot").chmod(0o755)

    def make_scripts(*arguments):
        out = Path(tmp_path_factory.mktemp("plots"))
        done = twirl("plot", *arguments, "--pdf", "--out", out, folder=out, path=fake)
        return out, done.stdout

    return make_scripts
