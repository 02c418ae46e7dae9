// SPDX-License-Identifier: BSD-3-Clause
// The grain under the pointer.

import { Vector3, type Camera } from "three";
import type { State } from "./state.ts";

/** The nearest body that the ray meets; -1: none. `x`, `y` from -1 to 1, upwards. */
export function pickBody(state: State, camera: Camera, x: number, y: number, inMetres: (v: Vector3) => Vector3, visible: (body: number) => boolean, shrink: number): number {
    const from = inMetres(new Vector3(x, y, -1).unproject(camera)), to = inMetres(new Vector3(x, y, 1).unproject(camera));
    const way = to.sub(from).normalize();
    let best = -1, nearest = Infinity;
    for (let i = 0; i < state.spheres; i++) {
        const body = state.body[i]!;
        const dx = state.centre[3 * i]! - from.x, dy = state.centre[3 * i + 1]! - from.y, dz = state.centre[3 * i + 2]! - from.z;
        const along = dx * way.x + dy * way.y + dz * way.z, r = state.radius[i]! * shrink;
        const beside = dx * dx + dy * dy + dz * dz - along * along;
        if (beside > r * r) continue;
        const t = along - Math.sqrt(r * r - beside);
        if (t > 0 && t < nearest && visible(body)) {
            nearest = t;
            best = body;
        }
    }
    return best;
}
