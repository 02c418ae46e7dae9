// SPDX-License-Identifier: BSD-3-Clause
// Plane walls: the part of each that is in the box around cell and grains.

import { Box3, Plane, Vector3 } from "three";
import { fromCell, type State, type Wall } from "./state.ts";

/** Around the cell and all spheres, in metres, a little larger so that walls at its faces are in it. */
export function boxOf(state: State): Box3 {
    const box = new Box3(), point = new Vector3();
    for (let k = 0; k < 8; k++) box.expandByPoint(point.fromArray(fromCell(state.cell, [k & 1, (k >> 1) & 1, (k >> 2) & 1])));
    for (let i = 0; i < state.spheres; i++) {
        const radius = state.radius[i]!;
        box.expandByPoint(point.fromArray(state.centre, 3 * i).addScalar(radius)).expandByPoint(point.addScalar(-2 * radius));
    }
    return box.expandByScalar(0.01 * Math.max(...box.getSize(point).toArray()));
}

/** Corners of the plane in the box, in turn around it; none if it does not meet the box. */
export function polygonOf(wall: Wall, box: Box3): Vector3[] {
    const normal = new Vector3(...wall.normal), plane = new Plane().setFromNormalAndCoplanarPoint(normal, new Vector3(...wall.point));
    const corner = (k: number) => new Vector3(k & 1 ? box.max.x : box.min.x, (k >> 1) & 1 ? box.max.y : box.min.y, (k >> 2) & 1 ? box.max.z : box.min.z);
    const corners: Vector3[] = [];
    for (let k = 0; k < 8; k++) {
        for (const bit of [1, 2, 4]) {
            const from = corner(k), to = corner(k | bit), a = plane.distanceToPoint(from), b = plane.distanceToPoint(to);
            if (!(k & bit) && a > 0 !== b > 0) corners.push(from.lerp(to, a / (a - b)));
        }
    }
    if (corners.length === 0) return [];
    const middle = corners.reduce((sum, x) => sum.add(x), new Vector3()).divideScalar(corners.length);
    const side = corners[0]!.clone().sub(middle), other = new Vector3().crossVectors(normal, side);
    const angle = (x: Vector3) => Math.atan2(x.clone().sub(middle).dot(other), x.clone().sub(middle).dot(side));
    return corners.sort((x, y) => angle(x) - angle(y));
}
