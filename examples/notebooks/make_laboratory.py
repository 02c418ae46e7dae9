# SPDX-License-Identifier: BSD-3-Clause
"""Makes laboratory.csv: a synthetic triaxial test, for the notebook on calibration.

    python3 make_laboratory.py

The data are not measured in a laboratory: they are the mean of four simulated specimens, with noise added.
"""

import tempfile
from pathlib import Path

import numpy as np
import twirl

FRICTION, ROLLING = 0.31, 0.11
SEEDS = (101, 102, 103, 104)

HEADER = """\
# Synthetic: made with twirl by make_laboratory.py, not measured in a laboratory.
# Drained triaxial compression at 100 kPa of a dense specimen; mean of four of 1000 spheres, with noise of measurement.
axial_strain_percent,deviator_stress_kPa,volumetric_strain_percent
"""


def specimen(seed, folder):
    """Deviator stress [kPa] and volumetric strain of one specimen, at the strains of the table."""
    packing = twirl.run({
        "specimen": {"count": 1000, "seed": seed,
                     "sizes": {"distribution": "uniform", "d_min": "0.8 mm", "d_max": "1.2 mm"},
                     "preparation": {"pressure": "100 kPa", "friction": 0.02}},
        "material": {"stiffness_level": 500, "friction": 0.3},
    }, out=folder / f"packing_{seed}", progress=False)
    shear = twirl.run({
        "specimen": {"checkpoint": str(packing.checkpoints()["specimen"])},
        "stages": [{"name": "shear", "path": "triaxial", "friction": FRICTION, "rolling_friction": ROLLING,
                    "inertial_number": 1e-2, "end": {"strain": 0.081}}],
        "output": {"history": {"strain": 5e-4}},
    }, out=folder / f"test_{seed}", progress=False)["shear"]
    return [np.interp(STRAIN, shear["axial_strain"], shear.curve(name) * factor)
            for name, factor in (("q", 1e-3), ("volumetric_strain", 1.0))]


STRAIN = np.concatenate([np.arange(0.0, 0.02, 0.001), np.arange(0.02, 0.0801, 0.0025)])

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        q, volume = np.mean([specimen(seed, Path(folder)) for seed in SEEDS], axis=0)
    noise = np.random.default_rng(1)
    q = q + noise.normal(0.0, 1.0, len(q))                      # of the load cell: 1 kPa
    volume = volume + noise.normal(0.0, 2e-5, len(volume))      # of the burette
    rows = "".join(f"{100 * e:.2f},{a:.1f},{100 * v:.3f}\n" for e, a, v in zip(STRAIN, q, volume))
    Path(__file__).with_name("laboratory.csv").write_text(HEADER + rows)
