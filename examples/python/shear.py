# SPDX-License-Identifier: BSD-3-Clause
"""500 spheres, compressed isotropically to 100 kPa and sheared in drained triaxial compression: examples/shear.c."""
import numpy as np
import twirl
from twirl import rate, stress

def noise(i):  # 0 to 100
    return i * 7919 % 101

law = twirl.Law(kn=1e5, kt=1e5, mu=0.1)  # [N/m]; low friction: a dense packing
sim = twirl.Sim(cell=9e-3, law=law, damping_local=0.3)  # periodic cube of 9 mm
i = np.arange(500)  # on a disturbed lattice, not touching
sim.add(size=(400 + noise(i)) / 1e6, x=np.transpose([
    1120 * (i % 8) + noise(3 * i + 1), 1120 * (i // 8 % 8) + noise(5 * i + 2), 1120 * (i // 64) + noise(7 * i + 3)]) / 1e6)

still = dict(yz=stress(0), xz=stress(0), xy=stress(0))  # isotropic compression to 100 kPa, without shear stresses
sim.set_control(xx=stress(1e5), yy=stress(1e5), zz=stress(1e5), **still)
while sim.run(100) and (sim.control.status.name != "HOLDING" or sim.measure().unbalanced > 0.01):
    pass

sim.set_law(law.replace(mu=0.5))  # shear: compression along z at constant lateral stress, quasi-static
sim.set_control(xx=stress(1e5), yy=stress(1e5), zz=rate(10), **still)
height = sim.cell[2, 2]
for percent in range(6):
    while sim.cell[2, 2] > height * (1 - 0.01 * percent):
        sim.run(10)
    m = sim.measure()
    print(f"strain {percent} %: q/p = {m.q / m.p:.3f}, porosity {m.porosity:.4f}")
