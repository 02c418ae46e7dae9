# SPDX-License-Identifier: BSD-3-Clause
"""twirl: discrete-element simulation of granular materials, with exact frictional contacts.

    import twirl
    result = twirl.run("triaxial.yaml")         # a scenario; result is a twirl.Run
    twirl.Run("triaxial").history               # the results in a folder
    sim = twirl.Sim(cell=0.01, law=twirl.Law(kn=1e5, kt=1e5, mu=0.5))    # the engine
    load = twirl.contact.advance(law, motion, memory)                    # the contact law alone

The guide is docs/guide/python.md. All units are SI.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

if _TYPE_CHECKING:
    from . import contact, derived, motion, plot
    from .contact import Law, Material
    from .control import ControlStatus, fluid, rate, stress
    from .errors import Error, Problem, ScenarioError, Status
    from .results import Run, RunError, Stage, read_history
    from .results_checkpoint import Checkpoint
    from .scenario import Scenario, run
    from .sim import Sim, check_device
    from .sweep import Sweep, read_sweep

# Modules are loaded when one of their names, or they themselves, are first used.
_HOMES = {
    "contact": ["Law", "Material"],
    "control": ["ControlStatus", "fluid", "rate", "stress"],
    "errors": ["Error", "Problem", "ScenarioError", "Status"],
    "results": ["Run", "RunError", "Stage", "read_history"],
    "results_checkpoint": ["Checkpoint"],
    "scenario": ["Scenario", "run"],
    "sim": ["Sim", "check_device"],
    "sweep": ["Sweep", "read_sweep"],
}
_LAZY = {**{name: home for home, names in _HOMES.items() for name in names}, "contact": None, "derived": None, "motion": None, "plot": None}

__all__ = sorted(_LAZY)


def __getattr__(name):
    if name == "__version__":  # that of the library
        from ._core import ffi, lib
        return ffi.string(lib.tw_version()).decode()
    if name not in _LAZY:
        raise AttributeError(f"module 'twirl' has no attribute '{name}'")
    home = _LAZY[name]
    value = _import_module(f".{home or name}", __name__)
    if home:
        value = getattr(value, name)
    globals()[name] = value
    return value


def __dir__():
    return sorted([*globals(), *_LAZY])
