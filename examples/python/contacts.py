# SPDX-License-Identifier: BSD-3-Clause
"""A million contacts that stick and slide: how many are advanced per second."""
import time

import numpy as np
from twirl import contact

count = 1_000_000
law = contact.Law(kn=1e6, kt=1e6, mu=0.5)
memory = contact.memories(n=[0, 0, 1], zeta=1e-3, count=count)
moved = np.random.default_rng(1).normal(0, 1e-4, (count, 3)) * [1, 1, 0]
motion = contact.motions(n=[0, 0, 1], zeta=1e-3, du=moved)
load, best = contact.advance(law, motion, memory), float("inf")
for _ in range(10):
    began = time.perf_counter()
    contact.advance(law, motion, memory, load=load)
    best = min(best, time.perf_counter() - began)
print(f"{count / best / 1e6:.0f} million contacts per second, {load['sliding'].mean():.0%} of them sliding")
