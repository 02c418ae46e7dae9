// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import test from "node:test";
import { WALL, type CompleteSnapshot } from "../src/data/contract.ts";
import { Viewer } from "../src/specimen/camera.ts";
import { colourAt, rangeOf } from "../src/specimen/colour_map.ts";
import { scaleLength } from "../src/specimen/overlay.ts";
import { outerOf } from "../src/specimen/outer.ts";
import { Pace } from "../src/specimen/pace.ts";
import { pickBody } from "../src/specimen/pick.ts";
import { makeRods } from "../src/specimen/rods.ts";
import { contactsOf, fromCell, toCell, unpackState } from "../src/specimen/state.ts";

function b64(list: Float32Array | Uint32Array | Int8Array | Uint8Array): string {
    return btoa(Array.from(new Uint8Array(list.buffer), (byte) => String.fromCharCode(byte)).join(""));
}

/** Two spheres, one cluster of two spheres turned by 90 degrees about z, a wall, a contact across a face. */
function sample(): CompleteSnapshot {
    const half = Math.SQRT1_2;
    return {
        stage: "s", step: 1, time: 0, cell: [2, 0.5, 0, 0, 2, 0, 0, 0, 2],
        shapes: [[[0, 0, 0, 0.5]], [[-0.3, 0, 0, 0.2], [0.3, 0, 0, 0.2]]],
        bodies: {
            count: 3, x: b64(Float32Array.of(0.2, 1, 1, 1.8, 1, 1, 1, 1, 0.5)), size: b64(Float32Array.of(0.4, 0.4, 1)),
            q: b64(Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, half, 0, 0, half)), shape: b64(Uint32Array.of(0, 0, 1)), id: b64(Uint32Array.of(7, 3, 5)),
        },
        contacts: {
            count: 2, p: b64(Uint32Array.of(0, 2)), q: b64(Uint32Array.of(1, WALL)), shift: b64(Int8Array.of(-1, 0, 0, 0, 0, 0)),
            f: b64(Float32Array.of(3, 4, 0, 0, 0, 1)), point: b64(Float32Array.of(0, 1, 1, 1, 1, 0)), sliding: b64(Uint8Array.of(1, 0)), fn: b64(Float32Array.of(4, 1)),
        },
    };
}

const near = (a: ArrayLike<number>, b: number[]) => b.forEach((value, i) => assert.ok(Math.abs(a[i]! - value) < 1e-6, `${a[i]} is not ${value}`));

test("spheres of a cluster turn with it", () => {
    const state = unpackState(sample());
    assert.equal(state.spheres, 4);
    near(state.centre.subarray(6, 12), [1, 0.7, 0.5, 1, 1.3, 0.5]);
    near(state.radius, [0.2, 0.2, 0.2, 0.2]);
    near(state.diameter, [0.4, 0.4, 1]);
});

test("a body knows its contacts and their mean force", () => {
    const state = unpackState(sample());
    assert.deepEqual([...contactsOf(state, 0)], [0]);
    assert.deepEqual([...contactsOf(state, 1)], [0]);
    assert.deepEqual([...contactsOf(state, 2)], [1]);
    near(state.meanForce, [5, 5, 1]);
});

test("a certificate marks bodies by id, and the contacts between them", () => {
    const none = unpackState(sample());
    assert.deepEqual([[...none.certified], [...none.certifiedContact]], [[0, 0, 0], [0, 0]]);
    const pair = unpackState(sample(), [{ body_p: 3, body_q: 7 }]);
    assert.deepEqual([[...pair.certified], [...pair.certifiedContact]], [[1, 1, 0], [1, 0]]);
    const wall = unpackState(sample(), [{ body_p: 5, body_q: WALL }, { body_p: 5, body_q: 7 }]); // 5 and 7 do not touch
    assert.deepEqual([[...wall.certified], [...wall.certifiedContact]], [[1, 0, 1], [0, 1]]);
});

test("walls are triangles and lines between vertices that are there", () => {
    const walls = { vertices: 4, triangles: 2, edges: 1, left_out: 1, x: b64(Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0)),
        triangle: b64(Uint32Array.of(0, 1, 2, 0, 2, 3)), edge: b64(Uint32Array.of(0, 3)) };
    assert.equal(unpackState(sample()).walls, null);
    const found = unpackState({ ...sample(), walls }).walls!;
    assert.deepEqual([[...found.triangle], [...found.edge], found.leftOut], [[0, 1, 2, 0, 2, 3], [0, 3], 1]);
    near(found.x.subarray(6, 9), [1, 1, 0]);
    assert.throws(() => unpackState({ ...sample(), walls: { ...walls, vertices: 3, x: b64(new Float32Array(9)) } }), /corner that is not there/);
});

test("what is shown goes along open edges from the lowest to the highest place", () => {
    const { low, high } = unpackState({ ...sample(), periodic: [false, true, false], extent: [-1, 0, 0.5, 3, 2, 1] });
    near(low, [-0.75, 0, 0.25]); // edge b is tilted: its end, at y = 2, is at x = 0.5
    near(high, [1.5, 1, 0.5]);
    const whole = unpackState(sample());
    assert.deepEqual([whole.low, whole.high], [[0, 0, 0], [1, 1, 1]]);
});

test("speeds are zero where the program gives none", () => {
    assert.deepEqual([...unpackState(sample()).speed], [0, 0, 0]);
    const moving = sample();
    moving.bodies.speed = b64(Float32Array.of(1, 2, 3));
    assert.deepEqual([...unpackState(moving).speed], [1, 2, 3]);
});

test("a contact with a body that is not there is refused", () => {
    const bad = sample();
    bad.contacts!.q = b64(Uint32Array.of(9, 1));
    assert.throws(() => unpackState(bad), /names a body/);
});

test("a contact across a periodic face is two halves, one at a wall ends there", () => {
    const rods = makeRods(unpackState(sample()), () => true, () => true);
    assert.equal(rods.count, 3);
    near(rods.b.subarray(0, 3), [0, 1, 1]); // half way to the image at -0.2
    near(rods.b.subarray(3, 6), [2, 1, 1]);
    near(rods.b.subarray(6, 9), [1, 1, 0]);
    assert.ok(rods.radius[0]! > rods.radius[2]!);
});

test("rods of hidden bodies and weak contacts are left out", () => {
    const state = unpackState(sample());
    assert.equal(makeRods(state, (k) => k === 0, (body) => body === 0).count, 1);
});

test("places in the cell and back", () => {
    const { cell } = sample();
    const place = fromCell(cell, [0.2, 0.6, 0.9]);
    near(place, [0.7, 1.2, 1.8]);
    near(toCell(cell)(...place), [0.2, 0.6, 0.9]);
});

test("the pointer meets the nearest sphere that is shown", () => {
    const state = unpackState(sample()), viewer = new Viewer();
    viewer.aim(viewer.target.set(1, 1, 1), 2);
    viewer.look("x"); // from x: body 1 hides body 0
    const pick = (x: number, y: number, shown: (body: number) => boolean) => pickBody(state, viewer.camera(1), x, y, (v) => v, (body) => (shown(body) ? 1 : 0));
    for (const parallel of [true, false]) {
        viewer.parallel = parallel;
        assert.equal(pick(0, 0, () => true), 1);
        assert.equal(pick(0, 0, (body) => body !== 1), 0);
        assert.equal(pick(0.95, 0.95, () => true), -1);
    }
});

test("the views are those of twirl render", () => {
    const viewer = new Viewer();
    const axes = (view: string) => {
        viewer.look(view);
        const { u, v, w } = viewer.axes();
        return [u, v, w].map((axis) => axis.toArray().map((value) => Math.round(value) + 0));
    };
    assert.deepEqual(axes("x"), [[0, 1, 0], [0, 0, 1], [1, 0, 0]]);
    assert.deepEqual(axes("y"), [[1, 0, 0], [0, 0, 1], [0, -1, 0]]);
    assert.deepEqual(axes("z"), [[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
});

test("colours end at percentiles, and equal values have a range too", () => {
    const values = Float64Array.from({ length: 1001 }, (_, i) => (i === 1000 ? 1e9 : i));
    assert.deepEqual(rangeOf(values, false), [10, 990]);
    const [low, high] = rangeOf([3, 3, 3], false);
    assert.ok(low < 3 && high > 3);
    assert.deepEqual(colourAt("viridis", 0).map(Math.round), [0x44, 0x01, 0x54]);
    assert.deepEqual(colourAt("viridis", 5).map(Math.round), [0xfd, 0xe7, 0x25]);
});

test("a scale bar is 1, 2 or 5 times a power of ten", () => {
    for (const [given, expected] of [[3.7e-3, 2e-3], [9.9, 5], [0.1, 0.1]] as const) assert.ok(Math.abs(scaleLength(given) / expected - 1) < 1e-12);
});

test("a slow card gets fewer pixels, a fast one all of them again", () => {
    const pace = new Pace();
    pace.took(20, 1);
    assert.equal(pace.share, 1);
    pace.took(100, 1); // 25 ms at half the resolution
    assert.equal(pace.share, 0.5);
    pace.took(3000, 1); // the fine frame at rest, slow as ever: what moves is as it was
    assert.equal(pace.share, 0.5);
    pace.took(40, 0.5);
    assert.equal(pace.share, 0.35);
    for (let i = 0; i < 9; i++) pace.took(4, pace.share);
    assert.equal(pace.share, 1);
});

test("grains that lines of sight do not reach are told from those at the faces", () => {
    const side = 30, n = side ** 3, x = new Float32Array(3 * n);
    for (let i = 0; i < n; i++) x.set([(i % side) + 0.5, (Math.floor(i / side) % side) + 0.5, Math.floor(i / side / side) + 0.5], 3 * i);
    const state = unpackState({ ...sample(), cell: [side, 0, 0, 0, side, 0, 0, 0, side], shapes: [[[0, 0, 0, 0.5]]], contacts: null,
        bodies: { count: n, x: b64(x), size: b64(new Float32Array(n).fill(1)) } });
    // Solid fraction pi/6: one line of sight in a hundred reaches 5.86 diameters.
    const outer = outerOf(state, -1, 0, 1), at = (i: number, j: number, k: number) => outer(i + side * (j + side * k));
    assert.deepEqual([0, 5, 6, 15, 23, 24, 29].map((i) => at(i, 15, 15)), [true, true, false, false, false, true, true]);
    assert.ok(at(15, 15, 2) && at(15, 27, 15));
    assert.ok(outerOf(state, 0, 0.4, 1)(13 + side * (15 + side * 15)), "near the face of a slice");
});
