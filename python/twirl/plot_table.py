# SPDX-License-Identifier: BSD-3-Clause
"""Which figures belong to which path, and how quantities are called: the tables of ``twirl plot``
(apps/twirl/plot/figure_table.c, curve_label.c)."""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, List, NamedTuple, Tuple


class Label(NamedTuple):
    text: str
    dimension: str = "ratio"
    zero: bool = True
    """The range of the axis includes 0."""


LABELS: Dict[str, Label] = {
    "time": Label("Time $t$", "time", False),
    "axial_strain": Label(r"Axial strain $\varepsilon_\mathrm{a}$", "strain"),
    "shear_strain": Label(r"Shear strain $\gamma$", "strain"),
    "major_strain": Label(r"Major principal strain $\varepsilon_\mathrm{1}$", "strain"),
    "strain": Label(r"Strain $\varepsilon$", "strain"),
    "cycle": Label("Number of cycles $N$"),
    "stress_ratio": Label("Stress ratio $q$/$p$"),
    "p": Label("Mean stress $p$", "stress"),
    "q": Label("Deviator stress $q$", "stress"),
    "volumetric_strain": Label(r"Volumetric strain $\varepsilon_\mathrm{v}$", "strain"),
    "void_ratio": Label("Void ratio $e$", zero=False),
    "ru": Label(r"Pore-pressure ratio $r_\mathrm{u}$"),
    "shear_stress": Label(r"Shear stress $\tau$", "stress"),
    "normal_stress": Label(r"Normal stress $\sigma_\mathrm{n}$", "stress"),
    "shear_ratio": Label(r"Stress ratio $\tau$/$\sigma_\mathrm{n}$"),
    "axial_stress": Label(r"Axial stress $\sigma_\mathrm{a}$", "stress"),
    "k0": Label(r"Lateral stress ratio $K_\mathrm{0}$"),
    "b": Label("Intermediate stress ratio $b$"),
    "unbalanced": Label("Unbalanced force ratio", zero=False),
    "coordination": Label("Coordination number $Z$", zero=False),
    "sliding_fraction": Label("Fraction of sliding contacts"),
    "fabric_deviator": Label(r"Fabric deviator $F_\mathrm{q}$"),
    "work": Label("Energy since the start", "energy"),
}

ALL = frozenset(["time", "plain", "triaxial", "constant_p", "undrained", "shear", "shear_undrained",
                 "cyclic", "cyclic_undrained", "cyclic_shear", "cyclic_shear_undrained", "oedometer",
                 "isotropic", "true_triaxial", "general", "rotate", "rest", "probes"])
AXIAL = frozenset(["plain", "triaxial", "constant_p", "undrained"])
SHEAR = frozenset(["shear", "shear_undrained"])
CYCLIC_AXIAL = frozenset(["cyclic", "cyclic_undrained"])
CYCLIC_SHEAR = frozenset(["cyclic_shear", "cyclic_shear_undrained"])
OTHER = frozenset(["time", "true_triaxial", "general"])
DRAINED = OTHER | frozenset(["plain", "triaxial", "constant_p", "shear"])
CLOSED = frozenset(["undrained", "shear_undrained", "cyclic_undrained", "cyclic_shear_undrained"])
COMPRESSION = frozenset(["oedometer", "isotropic"])
MOVING = ALL - {"rotate"}

#: Kinds of paths that share figures: (kinds, abscissa, logarithmic).
GROUPS: List[Tuple[FrozenSet[str], str, bool]] = [
    (AXIAL, "axial_strain", False),
    (SHEAR, "shear_strain", False),
    (frozenset(["true_triaxial"]), "major_strain", False),
    (frozenset(["general"]), "strain", False),
    (CYCLIC_AXIAL, "cycle", False),
    (CYCLIC_SHEAR, "cycle", False),
    (frozenset(["oedometer"]), "axial_stress", True),
    (frozenset(["isotropic"]), "p", True),
    (frozenset(["rest", "probes"]), "time", False),
    (frozenset(["time"]), "time", False),
]


class Entry(NamedTuple):
    kinds: FrozenSet[str]
    lines: Tuple[Tuple[str, str], ...]
    """Quantities and their titles in the key; '': the label of the series."""
    x: str = ""
    """Abscissa; '': that of the group."""
    log: bool = False
    needs: FrozenSet[str] = ALL
    """Listed if one of these kinds is shown: left out is what the path keeps constant."""
    driven: str = ""
    """Listed only for cycles of this amplitude, ``stress`` or ``strain``."""


def one(kinds: FrozenSet[str], quantity: str, x: str = "", **others: Any) -> Entry:
    return Entry(kinds, ((quantity, ""),), x, **others)


BALANCE = (("work", "work"), ("friction", "friction"), ("stored", "stored"), ("damping", "damping"),
           ("kinetic", "kinetic"), ("residual", "residual"), ("micro_slip", "micro-slip"),
           ("rolling", "rolling"), ("twisting", "twisting"))

FIGURES: Dict[str, List[Entry]] = {
    "stress_ratio": [one(AXIAL | OTHER, "stress_ratio"), one(SHEAR, "shear_ratio")],
    "deviator_stress": [one(AXIAL, "q", needs=frozenset(["triaxial", "undrained"]))],
    "shear_stress": [one(SHEAR, "shear_stress")],
    "loops": [one(CYCLIC_AXIAL, "q", "axial_strain"), one(CYCLIC_SHEAR, "shear_stress", "shear_strain")],
    "strain_cycles": [one(CYCLIC_AXIAL, "axial_strain", driven="stress"),
                      one(CYCLIC_SHEAR, "shear_strain", driven="stress")],
    "stress_cycles": [one(CYCLIC_AXIAL, "q", driven="strain"),
                      one(CYCLIC_SHEAR, "shear_stress", driven="strain")],
    "volumetric_strain": [one(DRAINED | {"cyclic", "cyclic_shear"}, "volumetric_strain")],
    "void_ratio": [one(DRAINED, "void_ratio")],
    "pore_pressure": [one(CLOSED, "ru")],
    "normal_stress": [one(frozenset(["shear_undrained"]), "normal_stress")],
    "stress_path": [one(AXIAL | CYCLIC_AXIAL | {"time", "general"}, "q", "p", needs=ALL - {"constant_p"}),
                    one(SHEAR | CYCLIC_SHEAR, "shear_stress", "normal_stress", needs=CLOSED)],
    "compression_curve": [one(COMPRESSION, "void_ratio")],
    "k0": [one(frozenset(["oedometer"]), "k0")],
    "intermediate_stress": [one(frozenset(["true_triaxial"]), "b")],
    "unbalanced": [one(frozenset(["rest"]), "unbalanced", log=True)],
    "coordination": [one(MOVING, "coordination")],
    "sliding": [one(MOVING, "sliding_fraction")],
    "fabric": [one(MOVING, "fabric_deviator")],
    "energies": [Entry(MOVING - COMPRESSION, BALANCE), Entry(COMPRESSION, BALANCE, "time")],
}
