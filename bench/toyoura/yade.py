# SPDX-License-Identifier: BSD-3-Clause
"""The test of bench/toyoura/run with YADE: `yade -n -x yade.py PACKING OUT RATE`, started by it.

Compresses the packing isotropically, then along z at constant lateral stress to 6.2 % of logarithmic strain, at RATE per second, and writes
e_z, e_v (logarithmic, compression positive) and s33/s11 to OUT, one row at rest per 0.2 %."""
import math
import sys

from yade import utils  # the rest is known to scripts of YADE

packing, out, rate = sys.argv[1], sys.argv[2], float(sys.argv[3])
pressure, scale, unbalanced = 5e5, 1000.0, 1e-3  # density times scale
with open(packing) as file:
    edges = [float(word) for word in file.readline().split()[1:4]]
    spheres = [[float(word) for word in line.split()[:4]] for line in file]

O.periodic = True
O.cell.hSize = Matrix3(edges[0], 0, 0, 0, edges[1], 0, 0, 0, edges[2])
O.materials.append(CohFrictMat(young=10**8.8328, poisson=0.1177, frictionAngle=math.radians(29.65), density=2650 * scale,
                               isCohesive=False, alphaKr=0.1097, alphaKtw=0.1097, momentRotationLaw=True, etaRoll=0.739,
                               etaTwist=0.739))
for x, y, z, r in spheres:
    O.bodies.append(utils.sphere((x, y, z), r))

O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb()]),
    InteractionLoop([Ig2_Sphere_Sphere_ScGeom6D()], [Ip2_CohFrictMat_CohFrictMat_CohFrictPhys()],
                    [Law2_ScGeom6D_CohFrictPhys_CohesionMoment(always_use_moment_law=True, useIncrementalForm=True)]),
    GlobalStiffnessTimeStepper(timestepSafetyCoefficient=0.8),
    PeriTriaxController(label="triax", goal=(-pressure, -pressure, -pressure), stressMask=7, dynCell=True,
                        maxStrainRate=(10 * rate, 10 * rate, 10 * rate), maxUnbalanced=unbalanced, relStressTol=1e-3,
                        globUpdate=1, doneHook="compressed()"),
    NewtonIntegrator(damping=0.2),
]
rows = []


def compressed():
    O.cell.trsf = Matrix3.Identity
    triax.stressMask = 3
    triax.maxStrainRate = (10 * rate, 10 * rate, rate)
    triax.goal = Vector3(-pressure, -pressure, 0)
    triax.doneHook = "measured()"


def measured():
    stress, strain = utils.getStress(), [math.log(O.cell.trsf[k, k]) for k in range(3)]
    rows.append((-strain[2], -sum(strain), 2 * stress[2, 2] / (stress[0, 0] + stress[1, 1]), O.iter,
                 utils.avgNumInteractions(), utils.porosity()))
    if rows[-1][0] > 0.0619:
        O.pause()
        return
    triax.goal = Vector3(-pressure, -pressure, -0.002 * len(rows))


O.run(100000000, True)
with open(out, "w") as file:
    file.write("e_z,e_v,s33_over_s11,step,contacts,porosity\n")
    for row in rows:
        file.write(",".join(f"{value:.6g}" for value in row) + "\n")
