# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of the package.

TWIRL is the program, by default that in PATH; TWIRL_SOURCE the folder of the project, by default that of the tests. What
is not there, like packages that only some tests need, leads to tests that are skipped.
"""

import os
import shutil
import signal
import threading
from pathlib import Path

import numpy as np
import pytest

import twirl

SOURCE = Path(os.environ.get("TWIRL_SOURCE", Path(__file__).resolve().parents[2]))


def program():
    """The path of the program."""
    name = os.environ.get("TWIRL", "twirl")
    found = shutil.which(name)
    if not found:
        pytest.skip(f"no program '{name}': TWIRL is to be its path")
    return os.path.abspath(found)


def source_text(name):
    """The text of a file of the project."""
    path = SOURCE / name
    if not path.exists():
        pytest.skip(f"no {path}: TWIRL_SOURCE is to be the folder of the project")
    return path.read_text(encoding="utf-8")


def grains(count=216, **settings):
    """Spheres on a disturbed lattice in a periodic cell that is being compressed."""
    side = round(count ** (1 / 3))
    i = np.arange(side**3)
    place = np.transpose([i % side, i // side % side, i // side**2]) + 0.02 * np.random.default_rng(5).random((len(i), 3))
    sim = twirl.Sim(cell=side * 1e-3, law=twirl.Law(kn=1e5, kt=1e5, mu=0.5), damping_local=0.3, **settings)
    sim.add(x=place * 1e-3, size=0.45e-3 + 0.04e-3 * (i * 7 % 11) / 10)
    sim.velocity_gradient = -20.0
    return sim


@pytest.fixture
def packed():
    """A packing with some hundred contacts."""
    sim = grains()
    sim.run(3000)
    assert sim.measure().contacts > 200
    return sim


@pytest.fixture(autouse=True)
def interrupts():
    """Ctrl-C raises KeyboardInterrupt. Processes in the background of a script would ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt_after(seconds):
    """Ctrl-C, after a while."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer
