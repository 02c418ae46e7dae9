// SPDX-License-Identifier: BSD-3-Clause
// Plane walls: the part of each that is in the box around cell and grains.

import { fromCell, type State, type Vec, type Wall } from "./state.ts";

export interface Box {
    low: Vec;
    high: Vec;
}

/** Around the cell and all spheres, in metres, a little larger so that walls at its faces are in it. */
export function boxOf(state: State): Box {
    const low: Vec = [Infinity, Infinity, Infinity], high: Vec = [-Infinity, -Infinity, -Infinity];
    const take = (a: number, least: number, most: number) => {
        low[a] = Math.min(low[a]!, least);
        high[a] = Math.max(high[a]!, most);
    };
    for (let k = 0; k < 8; k++) fromCell(state.cell, [k & 1, (k >> 1) & 1, (k >> 2) & 1]).forEach((value, a) => take(a, value, value));
    for (let i = 0; i < state.spheres; i++)
        for (let a = 0; a < 3; a++) take(a, state.centre[3 * i + a]! - state.radius[i]!, state.centre[3 * i + a]! + state.radius[i]!);
    const margin = 0.01 * Math.max(...high.map((value, a) => value - low[a]!));
    return { low: low.map((value) => value - margin) as Vec, high: high.map((value) => value + margin) as Vec };
}

/** Corners of the plane in the box, in turn around it; none if it does not meet the box. */
export function polygonOf(wall: Wall, box: Box): Vec[] {
    const corner = (k: number): Vec => [0, 1, 2].map((a) => ((k >> a) & 1 ? box.high : box.low)[a]!) as Vec;
    const height = (x: Vec) => x.reduce((sum, value, a) => sum + (value - wall.point[a]!) * wall.normal[a]!, 0);
    const corners: Vec[] = [];
    for (let k = 0; k < 8; k++) {
        for (const bit of [1, 2, 4]) {
            if (k & bit) continue;
            const from = corner(k), to = corner(k | bit), a = height(from), b = height(to);
            if (a > 0 === b > 0) continue;
            const t = a / (a - b);
            corners.push(from.map((value, axis) => value + t * (to[axis]! - value)) as Vec);
        }
    }
    const middle = [0, 1, 2].map((a) => corners.reduce((sum, x) => sum + x[a]!, 0) / corners.length) as Vec;
    const [n0, n1, n2] = wall.normal, least = wall.normal.map(Math.abs).indexOf(Math.min(...wall.normal.map(Math.abs)));
    const side: Vec = least === 0 ? [0, -n2, n1] : least === 1 ? [n2, 0, -n0] : [-n1, n0, 0];
    const other: Vec = [n1 * side[2] - n2 * side[1], n2 * side[0] - n0 * side[2], n0 * side[1] - n1 * side[0]];
    const along = (x: Vec, way: Vec) => x.reduce((sum, value, a) => sum + (value - middle[a]!) * way[a]!, 0);
    const angle = (x: Vec) => Math.atan2(along(x, other), along(x, side));
    return corners.sort((x, y) => angle(x) - angle(y));
}
