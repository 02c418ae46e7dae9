// SPDX-License-Identifier: BSD-3-Clause
// A snapshot unpacked: bodies, their spheres, and contacts.

import { Matrix3 } from "three";
import { WALL, type CompleteSnapshot, type Rates, type Walls } from "../data/contract.ts";
import { f32, i8, u32, u8 } from "../data/unpack.ts";

export type Vec = [number, number, number];

export interface Surfaces {
    x: Float32Array;
    triangle: Uint32Array;
    edge: Uint32Array;
    leftOut: number;
}

export interface State {
    cell: number[]; // edges as columns, row by row
    periodic: boolean[];
    low: Vec; // what is shown, along the edges: all of a periodic one, otherwise the extent of grains and walls
    high: Vec;
    bodies: number;
    total: number;
    x: Float32Array;
    size: Float32Array;
    id: Uint32Array;
    shape: Uint32Array;
    diameter: Float32Array; // of the sphere about the centre of mass that holds the body
    spheres: number;
    centre: Float32Array; // of each sphere
    radius: Float32Array;
    body: Uint32Array; // that the sphere belongs to
    contacts: number;
    p: Uint32Array;
    q: Uint32Array; // WALL: a wall
    shift: Int8Array;
    f: Float32Array;
    force: Float32Array; // magnitude
    normal: Float32Array; // normal part; the magnitude where the program does not give it
    point: Float32Array;
    sliding: Uint8Array;
    first: Uint32Array; // contacts of body b: list[first[b]] ... list[first[b + 1] - 1]
    list: Uint32Array;
    meanForce: Float32Array; // over the contacts of a body
    speed: Float32Array; // relative to the mean motion
    walls: Surfaces | null;
    certified: Uint8Array; // bodies by which the response is not unique
    certifiedContact: Uint8Array;
}

function rotate(q: Float32Array, b: number, v: number[]): Vec {
    const w = q[4 * b]!, x = q[4 * b + 1]!, y = q[4 * b + 2]!, z = q[4 * b + 3]!;
    const [vx, vy, vz] = v as Vec;
    const tx = 2 * (y * vz - z * vy), ty = 2 * (z * vx - x * vz), tz = 2 * (x * vy - y * vx);
    return [vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, vz + w * tz + x * ty - y * tx];
}

function spheresOf(snapshot: CompleteSnapshot, n: number, x: Float32Array, size: Float32Array, shape: Uint32Array) {
    const { shapes, bodies } = snapshot;
    const q = bodies.q ? f32(bodies.q, 4 * n, "bodies.q") : null;
    let count = 0;
    for (let b = 0; b < n; b++) count += shapes[shape[b]!]?.length ?? 0;
    const centre = new Float32Array(3 * count), radius = new Float32Array(count), body = new Uint32Array(count);
    const diameter = new Float32Array(n);
    let k = 0;
    for (let b = 0; b < n; b++) {
        let bound = 0;
        for (const sphere of shapes[shape[b]!] ?? []) {
            const place = q ? rotate(q, b, sphere) : sphere;
            for (let a = 0; a < 3; a++) centre[3 * k + a] = x[3 * b + a]! + size[b]! * place[a]!;
            radius[k] = size[b]! * sphere[3]!;
            body[k] = b;
            bound = Math.max(bound, Math.hypot(sphere[0]!, sphere[1]!, sphere[2]!) + sphere[3]!);
            k++;
        }
        diameter[b] = 2 * size[b]! * bound;
    }
    return { spheres: count, centre, radius, body, diameter };
}

/** Contacts of each body, by counting. */
function index(n: number, p: Uint32Array, q: Uint32Array) {
    const first = new Uint32Array(n + 1);
    const ends = (k: number) => (q[k]! < n ? [p[k]!, q[k]!] : [p[k]!]);
    for (let k = 0; k < p.length; k++) for (const b of ends(k)) first[b + 1]!++;
    for (let b = 0; b < n; b++) first[b + 1]! += first[b]!;
    const at = first.slice(), list = new Uint32Array(first[n]!);
    for (let k = 0; k < p.length; k++) for (const b of ends(k)) list[at[b]!++] = k;
    return { first, list };
}

/** Bodies and contacts of a certificate: all contacts between two bodies that it names together. */
function certifiedOf(certificate: Pair[], id: Uint32Array, p: Uint32Array, q: Uint32Array) {
    const name = (a: number, b: number) => `${Math.min(a, b)} ${Math.max(a, b)}`;
    const bodies = new Set(certificate.flatMap((pair) => [pair.body_p, pair.body_q])), pairs = new Set(certificate.map((pair) => name(pair.body_p, pair.body_q)));
    return {
        certified: Uint8Array.from(id, (body) => (bodies.has(body) ? 1 : 0)),
        certifiedContact: Uint8Array.from(p, (body, k) => (pairs.has(name(id[body]!, q[k] === WALL ? WALL : id[q[k]!]!)) ? 1 : 0)),
    };
}

function surfacesOf(walls: Walls | undefined): Surfaces | null {
    if (!walls) return null;
    const { vertices, triangles, edges } = walls;
    const x = f32(walls.x, 3 * vertices, "walls.x"), triangle = u32(walls.triangle, 3 * triangles, "walls.triangle"), edge = u32(walls.edge, 2 * edges, "walls.edge");
    if ([triangle, edge].some((list) => list.some((vertex) => vertex >= vertices))) throw new Error("a wall has a corner that is not there");
    return { x, triangle, edge, leftOut: walls.left_out };
}

function rangeOf({ cell, periodic = [true, true, true], extent }: CompleteSnapshot): Pick<State, "periodic" | "low" | "high"> {
    const low: Vec = [0, 0, 0], high: Vec = [1, 1, 1], inverse = toCell(cell);
    const corners = extent ? [0, 1, 2, 3, 4, 5, 6, 7].map((k) => inverse(extent[k & 1 ? 3 : 0]!, extent[k & 2 ? 4 : 1]!, extent[k & 4 ? 5 : 2]!)) : [];
    for (let k = 0; k < 3; k++) {
        if (periodic[k] || corners.length === 0) continue;
        low[k] = Math.min(...corners.map((corner) => corner[k]!));
        high[k] = Math.max(...corners.map((corner) => corner[k]!));
    }
    return { periodic, low, high };
}

export type Pair = Pick<Rates["certificate"][number], "body_p" | "body_q">;

export function unpackState(snapshot: CompleteSnapshot, certificate: Pair[] = []): State {
    const { bodies, contacts } = snapshot;
    const n = bodies.count, m = contacts?.count ?? 0;
    const x = f32(bodies.x, 3 * n, "bodies.x"), size = f32(bodies.size, n, "bodies.size");
    const shape = bodies.shape ? u32(bodies.shape, n, "bodies.shape") : new Uint32Array(n);
    const id = bodies.id ? u32(bodies.id, n, "bodies.id") : Uint32Array.from({ length: n }, (_, i) => i);
    const none = { p: "", q: "", shift: "", f: "", point: "", sliding: "", fn: null }, c = contacts ?? none;
    const p = u32(c.p, m, "contacts.p"), q = u32(c.q, m, "contacts.q"), f = f32(c.f, 3 * m, "contacts.f");
    if (p.some((b) => b >= n) || q.some((b) => b >= n && b !== WALL)) throw new Error("a contact names a body that is not there");
    const force = Float32Array.from({ length: m }, (_, k) => Math.hypot(f[3 * k]!, f[3 * k + 1]!, f[3 * k + 2]!));
    const { first, list } = index(n, p, q);
    const meanForce = Float32Array.from({ length: n }, (_, b) => {
        const own = list.subarray(first[b]!, first[b + 1]!);
        return own.length > 0 ? own.reduce((sum, k) => sum + force[k]!, 0) / own.length : 0;
    });
    return {
        cell: snapshot.cell, bodies: n, total: bodies.total ?? n, x, size, id, shape,
        ...spheresOf(snapshot, n, x, size, shape),
        contacts: m, p, q, f, force,
        normal: c.fn ? f32(c.fn, m, "contacts.fn") : force,
        shift: i8(c.shift, 3 * m, "contacts.shift"), point: f32(c.point, 3 * m, "contacts.point"), sliding: u8(c.sliding, m, "contacts.sliding"),
        first, list, meanForce,
        speed: bodies.speed ? f32(bodies.speed, n, "bodies.speed") : new Float32Array(n),
        ...rangeOf(snapshot),
        walls: surfacesOf(snapshot.walls),
        ...certifiedOf(certificate, id, p, q),
    };
}

export function contactsOf(state: State, body: number): Uint32Array {
    return state.list.subarray(state.first[body]!, state.first[body + 1]!);
}

/** H s: a point in fractions of the edges, or a number of edges, as a vector. */
export function fromCell(cell: number[], s: ArrayLike<number>, offset = 0): Vec {
    const [a, b, c] = [s[offset]!, s[offset + 1]!, s[offset + 2]!];
    return [cell[0]! * a + cell[1]! * b + cell[2]! * c, cell[3]! * a + cell[4]! * b + cell[5]! * c, cell[6]! * a + cell[7]! * b + cell[8]! * c];
}

const matrixOf = (cell: number[]) => new Matrix3().fromArray(cell).transpose();

/** The inverse: place in fractions of the edges. */
export function toCell(cell: number[]): (x: number, y: number, z: number) => Vec {
    const [a, b, c, d, e, f, g, h, i] = matrixOf(cell).invert().transpose().elements;
    return (x, y, z) => [a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z];
}

export function volumeOf(cell: number[]): number {
    return Math.abs(matrixOf(cell).determinant());
}
