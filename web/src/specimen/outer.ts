// SPDX-License-Identifier: BSD-3-Clause
// The grains that can be seen from outside: while the specimen turns, a slow graphics card draws no others.

import { toCell, volumeOf, type State } from "./state.ts";

/** A line of sight through spheres of solid fraction f is blocked within t diameters with the probability 1 - exp(-1.5 f t). */
function sightOf(state: State): number {
    const solid = state.radius.reduce((sum, radius) => sum + (4 / 3) * Math.PI * radius ** 3, 0) / volumeOf(state.cell);
    const diameter = (2 * state.radius.reduce((sum, radius) => sum + radius, 0)) / Math.max(1, state.spheres);
    return (Math.log(100) / (1.5 * Math.min(solid, 0.7))) * diameter;
}

/** Whether a body is so near to a face of the cell, or of the slice, that one line of sight in a hundred reaches deeper. */
export function outerOf(state: State, edge: number, from: number, to: number): (body: number) => boolean {
    if (state.periodic.includes(false)) return () => true; // faces may be anywhere
    const inverse = toCell(state.cell), sight = sightOf(state);
    // Of the inverse, row a is the normal of the faces that edge a joins, over their distance.
    const columns = [inverse(1, 0, 0), inverse(0, 1, 0), inverse(0, 0, 1)];
    const near = [0, 1, 2].map((a) => sight * Math.hypot(columns[0]![a]!, columns[1]![a]!, columns[2]![a]!));
    return (b) => inverse(state.x[3 * b]!, state.x[3 * b + 1]!, state.x[3 * b + 2]!).some((place, a) =>
        place < (a === edge ? from : 0) + near[a]! || place > (a === edge ? to : 1) - near[a]!);
}
