// SPDX-License-Identifier: BSD-3-Clause
// Force chains: a rod between the centres of two bodies for each contact, as thick as its normal
// force; two halves where the contact is across a periodic face; as in `twirl render`.

import { WALL } from "../data/contract.ts";
import { fromCell, volumeOf, type State, type Vec } from "./state.ts";

export interface Rods {
    count: number;
    a: Float32Array;
    b: Float32Array;
    radius: Float32Array;
    contact: Uint32Array;
    joints: Map<number, { radius: number; contact: number }>; // the thickest rod at each body
    free: number[]; // rods whose end b is at no body: they get a round end
}

/** Thickness: the 99th percentile of the force has a rod of 0.36 times the mean distance of bodies, or diameter in an open cell. */
function rodScale(state: State): number {
    if (state.contacts === 0) return 0;
    const sorted = Float64Array.from(state.normal).sort();
    const strong = sorted[Math.floor(0.99 * (sorted.length - 1))]!;
    const bodies = Math.max(1, state.bodies);
    const distance = state.periodic.includes(false) ? state.diameter.reduce((sum, d) => sum + d, 0) / bodies : Math.cbrt(volumeOf(state.cell) / bodies);
    return strong > 0 ? (0.5 * 0.36 * distance) / strong : 0;
}

export function meanNormal(state: State): number {
    return state.contacts > 0 ? state.normal.reduce((sum, value) => sum + value, 0) / state.contacts : 0;
}

/** Rods of the contacts for which `shown` holds, at the bodies for which `visible` holds. */
export function makeRods(state: State, shown: (contact: number) => boolean, visible: (body: number) => boolean): Rods {
    const room = 2 * state.contacts;
    const rods: Rods = { count: 0, a: new Float32Array(3 * room), b: new Float32Array(3 * room), radius: new Float32Array(room), contact: new Uint32Array(room), joints: new Map(), free: [] };
    const scale = rodScale(state), { x, point } = state;
    const least = 0.02 * scale * (state.normal.reduce((most, value) => Math.max(most, value), 0) || 1);
    const add = (body: number, from: Vec, to: Vec, k: number, free: boolean) => {
        if (!visible(body)) return;
        const radius = Math.max(scale * state.normal[k]!, 0.2 * least);
        rods.a.set(from, 3 * rods.count);
        rods.b.set(to, 3 * rods.count);
        rods.radius[rods.count] = radius;
        if (free) rods.free.push(rods.count);
        rods.contact[rods.count++] = k;
        const joint = rods.joints.get(body);
        if (!joint || joint.radius < radius) rods.joints.set(body, { radius, contact: k });
    };
    const place = (list: Float32Array, i: number): Vec => [list[3 * i]!, list[3 * i + 1]!, list[3 * i + 2]!];
    const middle = (u: Vec, v: Vec): Vec => [0.5 * (u[0] + v[0]), 0.5 * (u[1] + v[1]), 0.5 * (u[2] + v[2])];
    for (let k = 0; k < state.contacts; k++) {
        if (!shown(k)) continue;
        const p = state.p[k]!, q = state.q[k]!, xp = place(x, p);
        if (q === WALL) {
            add(p, xp, place(point, k), k, true);
            continue;
        }
        const xq = place(x, q), move = fromCell(state.cell, state.shift, 3 * k);
        const image: Vec = [xq[0] + move[0], xq[1] + move[1], xq[2] + move[2]];
        const back: Vec = [xp[0] - move[0], xp[1] - move[1], xp[2] - move[2]];
        const across = move.some((part) => part !== 0) || !visible(p) || !visible(q);
        add(p, xp, middle(xp, image), k, across);
        add(q, xq, middle(xq, back), k, across);
    }
    return rods;
}
