# SPDX-License-Identifier: BSD-3-Clause
"""Cases A and B in YADE: yade -x -n yade.py PACKING RATE SKIN WARM STEPS

The viscous contact law (ViscEl) uses the velocity of a periodic image with the wrong sign, so contacts
across the faces of a deforming cell slip too much; the usual friction law (Cundall and Strack) is right.
The integrator damps vibrations, as usual in YADE.
"""
import math
import sys
import time

packing, rate, skin, warm, steps = sys.argv[1], *map(float, sys.argv[2:4]), *map(int, sys.argv[4:6])
bodies, spheres = [], []
for line in open(packing):
    word, *numbers = line.split()
    numbers = [float(n) for n in numbers]
    {"cell": [], "body": bodies, "sphere": spheres}[word].append(numbers)
    if word == "cell":
        cell = numbers
clusters = len(spheres) > len(bodies)

materials = {}


def ball(x, y, z, radius):
    """Stiffness E1 r1 E2 r2 / (E1 r1 + E2 r2) times 2: 1 for any two spheres if E = 1/r."""
    if radius not in materials:
        materials[radius] = O.materials.append(
            FrictMat(young=1 / radius, poisson=1, frictionAngle=math.atan(0.55), density=6 / math.pi))
    return sphere((x, y, z), radius, material=materials[radius])


O.periodic = True
O.cell.hSize = Matrix3(cell[0], 0, 0, 0, cell[1], 0, 0, 0, cell[2])
if clusters:
    members = [[] for _ in bodies]
    for body, *ball_of in spheres:
        members[int(body)].append(ball(*ball_of))
    for body, balls in zip(bodies, members):
        clump, _ = O.bodies.appendClumped(balls, discretization=0)
        O.bodies[clump].state.mass = body[3]
        O.bodies[clump].state.inertia = Vector3(body[4], body[4], body[4])
else:
    O.bodies.append([ball(*ball_of) for _, *ball_of in spheres])

O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb()], verletDist=skin),
    InteractionLoop([Ig2_Sphere_Sphere_ScGeom()], [Ip2_FrictMat_FrictMat_FrictPhys()],
                    [Law2_ScGeom_FrictPhys_CundallStrack()]),
    NewtonIntegrator(damping=0.2, gravity=(0, 0, 0)),
]
O.dt = 0.05
O.cell.velGrad = Matrix3(rate / 2, 0, 0, 0, rate / 2, 0, 0, 0, -rate)
if warm:  # 0 would run for ever
    O.run(warm, True)
start = time.perf_counter()
O.run(steps, True)
seconds = time.perf_counter() - start

contacts, stress = 0, Matrix3.Zero
for i in O.interactions:
    if not i.isReal:
        continue
    p, q = O.bodies[i.id1], O.bodies[i.id2]
    if clusters:
        p, q = O.bodies[p.clumpId], O.bodies[q.clumpId]
    branch = q.state.pos + O.cell.hSize * i.cellDist - p.state.pos
    stress += (i.phys.normalForce + i.phys.shearForce).outer(branch)
    contacts += 1
stress /= O.cell.hSize.determinant()
print("seconds", seconds)
print("work contacts", contacts, "sxx", stress[0, 0], "syy", stress[1, 1], "szz", stress[2, 2])
