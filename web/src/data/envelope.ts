// SPDX-License-Identifier: BSD-3-Clause
// The response envelope of probes in all directions of principal space: the surface through the ends of
// their responses, and its sections, as `twirl plot` has them (apps/twirl/plot/envelope.c).

import type { Table } from "./table.ts";

export type Vec = readonly [number, number, number];

export interface Envelope {
    rows: number[]; // of the table
    ways: Vec[]; // unit directions of loading
    ends: Vec[]; // response: strain to stress probes, stress to strain probes
    others: Vec[] | null; // reversible strain; stress without slip
    irreversible: Vec[];
    shares: number[]; // irreversible over largest irreversible strain; NaN: not known
    isStrain: boolean; // the response is a strain
    triangles: Vec[]; // neighbouring probes, counterclockwise from outside
}

export const dot = (a: Vec, b: Vec) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const minus = (a: Vec, b: Vec): Vec => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const cross = (a: Vec, b: Vec): Vec => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a: Vec) => Math.sqrt(dot(a, a));
const next = (k: number) => (k + 1) % 3;

/** Normal of the plane of three points, outwards if they are counterclockwise; its length is twice their area. */
export const normalOf = (a: Vec, b: Vec, c: Vec): Vec => cross(minus(b, a), minus(c, a));

/** The point with which the edge from i to j makes a triangle that no point is beyond. */
function wrap(points: Vec[], i: number, j: number): number {
    let best = -1, normal: Vec = [0, 0, 0];
    for (let k = 0; k < points.length; k++) {
        if (k === i || k === j) continue;
        if (best >= 0 && !(dot(normal, minus(points[k]!, points[i]!)) > 0)) continue;
        best = k;
        normal = normalOf(points[i]!, points[j]!, points[k]!);
    }
    return best;
}

/** The convex hull of the directions, by gift wrapping: 2n - 4 triangles. Null: they do not surround the origin. */
export function triangulate(ways: Vec[]): Vec[] | null {
    const most = 2 * ways.length - 4;
    let near = 1; // an edge of the hull: the point nearest to the first is its neighbour on a sphere
    for (let k = 2; k < ways.length; k++) if (dot(ways[0]!, ways[k]!) > dot(ways[0]!, ways[near]!)) near = k;
    const triangles: Vec[] = [], edges = new Set<number>();
    const add = (t: Vec) => {
        triangles.push(t);
        for (let k = 0; k < 3; k++) edges.add(t[k]! * ways.length + t[next(k)]!);
    };
    add([0, near, wrap(ways, 0, near)]);
    for (let n = 0; n < triangles.length; n++) {
        for (let k = 0; k < 3; k++) {
            const i = triangles[n]![next(k)]!, j = triangles[n]![k]!;
            if (edges.has(i * ways.length + j)) continue;
            if (triangles.length === most) return null;
            add([i, j, wrap(ways, i, j)]);
        }
    }
    const around = triangles.every(([a, b, c]) => dot(normalOf(ways[a]!, ways[b]!, ways[c]!), ways[a]!) > 0);
    return triangles.length === most && around ? triangles : null;
}

/** Of the probes of a law; null if their directions are not all around. */
export function envelopeOf(probes: Table, law: string): Envelope | null {
    const rows = Array.from({ length: probes.count }, (_, row) => row).filter((row) => probes.text("law", row) === law);
    const read = (name: string) => rows.map((row): Vec => [probes.value(`${name}_xx`, row), probes.value(`${name}_yy`, row), probes.value(`${name}_zz`, row)]);
    const ways = read("direction"), stress = read("stress"), irreversible = read("irreversible");
    if (rows.length < 4 || ways.some((way) => !Number.isFinite(norm(way)))) return null;
    const triangles = triangulate(ways);
    if (!triangles) return null;
    const sizes = stress.map(norm);
    const isStrain = Math.max(...sizes) < 1.02 * Math.min(...sizes); // what was prescribed is the same in all probes
    const others = read(isStrain ? "reversible" : "no_slip_stress");
    const largest = Math.max(0, ...irreversible.map(norm).filter(Number.isFinite));
    return {
        rows, ways, irreversible, isStrain, triangles,
        ends: isStrain ? read("strain") : stress,
        others: others.every((other) => Number.isFinite(norm(other))) ? others : null,
        shares: irreversible.map((vector) => (largest > 0 ? norm(vector) / largest : 0)),
    };
}

/** Largest coordinate of any end, in absolute value. */
export function reachOf(envelope: Envelope): number {
    return Math.max(...envelope.ends.flatMap((end) => end.map(Math.abs)));
}

/** Closed curves in which the plane through the origin cuts the surface through `points`. A triangle that it cuts has one edge
 *  on which it goes upwards: the way out, to the triangle of which it is the way in. */
export function sections(envelope: Envelope, points: Vec[], normal: Vec): Vec[][] {
    const height = points.map((point) => dot(point, normal)), n = points.length;
    const owner = new Map<number, number>(), out = new Map<number, [number, number]>();
    envelope.triangles.forEach((t, at) => {
        for (let k = 0; k < 3; k++) {
            const i = t[k]!, j = t[next(k)]!;
            owner.set(i * n + j, at);
            if (height[i]! < 0 && height[j]! >= 0) out.set(at, [i, j]);
        }
    });
    const curves: Vec[][] = [];
    for (const first of [...out.keys()]) {
        const curve: Vec[] = [];
        for (let at = first, edge = out.get(at); edge; edge = out.get(at)) {
            const [i, j] = edge, a = points[i]!, b = points[j]!, t = height[i]! / (height[i]! - height[j]!);
            out.delete(at);
            curve.push([a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])]);
            at = owner.get(j * n + i)!;
        }
        if (curve.length > 0) curves.push([...curve, curve[0]!]);
    }
    return curves;
}

/** Distance from the origin to the surface along an axis; 0 if the axis does not meet it. */
export function radiusOf(envelope: Envelope, axis: number): number {
    const x = (axis + 1) % 3, y = (axis + 2) % 3;
    for (const triangle of envelope.triangles) {
        const p = triangle.map((k) => envelope.ends[k]!);
        const weight = [0, 1, 2].map((k) => p[next(k)]![x]! * p[next(k + 1)]![y]! - p[next(k)]![y]! * p[next(k + 1)]![x]!); // of the shadow of the triangle
        const sum = weight[0]! + weight[1]! + weight[2]!;
        const height = weight.reduce((total, w, k) => total + w * p[k]![axis]!, 0) / sum;
        if ((weight.every((w) => w >= 0) || weight.every((w) => w <= 0)) && height > 0) return height;
    }
    return 0;
}

export interface Plane {
    name: string;
    normal: Vec;
    across: Vec; // unit vectors of the coordinates in it
    up: Vec;
}

const [r2, r6] = [Math.SQRT1_2, 1 / Math.sqrt(6)];

/** Planes of sections; in the deviatoric one, of equal volume, z points upwards. */
export const planes: readonly Plane[] = [
    { name: "x, y", normal: [0, 0, 1], across: [1, 0, 0], up: [0, 1, 0] },
    { name: "x, z", normal: [0, 1, 0], across: [1, 0, 0], up: [0, 0, 1] },
    { name: "y, z", normal: [1, 0, 0], across: [0, 1, 0], up: [0, 0, 1] },
    { name: "deviatoric", normal: [1, 1, 1], across: [r2, -r2, 0], up: [-r6, -r6, 2 * r6] },
];
