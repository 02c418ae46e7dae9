// SPDX-License-Identifier: BSD-3-Clause
// The grain under the pointer.

import { Vector3, type Camera } from "three";
import type { State } from "./state.ts";

/** The nearest body that the ray meets; -1: none. `x`, `y` from -1 to 1, upwards. A body is drawn at `share` of its size. */
export function pickBody(state: State, camera: Camera, x: number, y: number, inMetres: (v: Vector3) => Vector3, share: (body: number) => number): number {
    const from = inMetres(new Vector3(x, y, -1).unproject(camera)), to = inMetres(new Vector3(x, y, 1).unproject(camera));
    const way = to.sub(from).normalize();
    const start = from.toArray();
    let best = -1, nearest = Infinity;
    for (let i = 0; i < state.spheres; i++) {
        const body = state.body[i]!, part = share(body);
        const [dx, dy, dz] = [0, 1, 2].map((a) => {
            const middle = state.x[3 * body + a]!;
            return middle + part * (state.centre[3 * i + a]! - middle) - start[a]!;
        }) as [number, number, number];
        const along = dx * way.x + dy * way.y + dz * way.z, r = part * state.radius[i]!;
        const beside = dx * dx + dy * dy + dz * dz - along * along;
        if (r === 0 || beside > r * r) continue;
        const t = along - Math.sqrt(r * r - beside);
        if (t > 0 && t < nearest) {
            nearest = t;
            best = body;
        }
    }
    return best;
}
