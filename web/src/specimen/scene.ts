// SPDX-License-Identifier: BSD-3-Clause
// Grains, rods and cell on the graphics card. Lengths are in units of the specimen's size, for single
// precision; drawn when something has changed, never by itself.

import {
    BufferAttribute, BufferGeometry, DataTexture, DoubleSide, FloatType, GLSL3, InstancedBufferAttribute, InstancedBufferGeometry, LineSegments,
    Mesh, RawShaderMaterial, RGBAFormat, Scene, UnsignedByteType, Vector2, Vector3, WebGLRenderer, type Camera, type IUniform,
} from "three";
import type { Viewer } from "./camera.ts";
import type { Rgb } from "./colour_map.ts";
import type { Rods } from "./rods.ts";
import { lineFragment, lineVertex, rodFragment, rodVertex, rowLength, sphereFragment, sphereVertex, wallFragment } from "./shaders.ts";
import { fromCell, type State } from "./state.ts";

const sides = 8; // of a rod

/** A texture with four numbers for each sphere. */
function sheet(list: Float32Array | Uint8Array, count: number): DataTexture {
    const rows = Math.max(1, Math.ceil(count / rowLength)), size = 4 * rowLength * rows;
    const texels = list instanceof Float32Array ? new Float32Array(size) : new Uint8Array(size);
    texels.set(list.subarray(0, 4 * count));
    const texture = new DataTexture(texels, rowLength, rows, RGBAFormat, list instanceof Float32Array ? FloatType : UnsignedByteType);
    texture.needsUpdate = true;
    return texture;
}

/** Vertices have no attributes: the shader takes what it needs from textures. Instances of so few vertices would be slow, the more
 *  so by software. */
type Balls = Mesh<BufferGeometry, RawShaderMaterial>;

function prisms(): InstancedBufferGeometry {
    const geometry = new InstancedBufferGeometry();
    const corners: number[] = [], faces: number[] = [];
    for (let k = 0; k < sides; k++) {
        const angle = (2 * Math.PI * k) / sides, next = (k + 1) % sides;
        corners.push(Math.cos(angle), Math.sin(angle), 0, Math.cos(angle), Math.sin(angle), 1);
        faces.push(2 * k, 2 * next, 2 * k + 1, 2 * next, 2 * next + 1, 2 * k + 1);
    }
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
    geometry.setIndex(faces);
    return geometry;
}

export class SpecimenScene {
    readonly renderer: WebGLRenderer;
    private readonly scene = new Scene();
    private readonly uniforms: Record<string, IUniform> = {
        paper: { value: new Vector3(1, 1, 1) }, ink: { value: new Vector3(0, 0, 0) },
        fog: { value: new Vector2(0, 1) }, parallel: { value: true },
    };
    private readonly grains: Balls;
    private readonly joints: Balls;
    private readonly rods: Mesh<InstancedBufferGeometry, RawShaderMaterial>;
    private readonly cell: LineSegments<BufferGeometry, RawShaderMaterial>;
    private readonly walls: Mesh<BufferGeometry, RawShaderMaterial>;
    private readonly wallEdges: LineSegments<BufferGeometry, RawShaderMaterial>;
    private outer = 0; // grains that can be seen, of all
    private all = 0;
    private scale = 1;
    readonly centre = new Vector3();
    bound = 1;

    /** Throws where there is no WebGL. */
    constructor(canvas: HTMLCanvasElement) {
        this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, powerPreference: "high-performance" });
        this.renderer.sortObjects = false; // of what is seen through there are only walls, which come last
        this.grains = this.balls(0.12);
        this.joints = this.balls(0.55);
        const rods = prisms();
        rods.instanceCount = 0;
        this.rods = this.mesh(rods, this.material(rodVertex, rodFragment, { haze: { value: 0.55 } }, false));
        this.cell = new LineSegments(new BufferGeometry(), this.material(lineVertex, lineFragment, {}, false));
        this.wallEdges = new LineSegments(new BufferGeometry(), this.cell.material);
        this.walls = new Mesh(new BufferGeometry(), this.material(lineVertex, wallFragment, {}, false));
        Object.assign(this.walls.material, { transparent: true, depthWrite: false, side: DoubleSide });
        this.scene.add(this.cell, this.wallEdges, this.walls);
        for (const object of [this.cell, this.wallEdges, this.walls]) object.frustumCulled = false;
    }

    private material(vertexShader: string, fragmentShader: string, own: Record<string, IUniform>, alphaToCoverage: boolean): RawShaderMaterial {
        return new RawShaderMaterial({ glslVersion: GLSL3, vertexShader, fragmentShader, uniforms: { ...this.uniforms, ...own }, alphaToCoverage });
    }

    private mesh<G extends BufferGeometry>(geometry: G, material: RawShaderMaterial): Mesh<G, RawShaderMaterial> {
        const mesh = new Mesh(geometry, material);
        mesh.frustumCulled = false;
        this.scene.add(mesh);
        return mesh;
    }

    private balls(haze: number): Balls {
        const geometry = new BufferGeometry();
        geometry.setDrawRange(0, 0);
        const own = { haze: { value: haze }, places: { value: null }, paints: { value: null } };
        return this.mesh(geometry, this.material(sphereVertex, sphereFragment, own, true));
    }

    /** A new specimen: its cell, and the lengths of everything. `steady`: place and scale stay those of the last one. */
    setState(state: State, steady: boolean): void {
        const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new Vector3(...fromCell(state.cell, [0, 1, 2].map((axis) => (k >> axis & 1 ? state.high : state.low)[axis]!))));
        if (!steady) {
            this.centre.copy(corners[0]!).add(corners[7]!).multiplyScalar(0.5);
            let reach = Math.max(...corners.map((corner) => corner.distanceTo(this.centre)));
            const { x } = state.walls ?? { x: [] }, { centre } = this; // planes go on beyond the grains
            for (let i = 0; i < x.length; i += 3) reach = Math.max(reach, Math.hypot(x[i]! - centre.x, x[i + 1]! - centre.y, x[i + 2]! - centre.z));
            this.scale = 1 / (reach > 0 ? reach : 1);
            this.bound = 0.96;
        }
        const edges: number[] = [];
        for (let k = 0; k < 8; k++)
            for (const [axis, bit] of [1, 2, 4].entries())
                if (!(k & bit) && state.periodic[axis]) for (const corner of [corners[k]!, corners[k | bit]!]) edges.push(...this.inScene(corner).toArray());
        this.draw(this.cell, edges);
        this.setWalls(state);
    }

    private draw(object: LineSegments<BufferGeometry> | Mesh<BufferGeometry>, places: number[] | Float32Array, corners?: Uint32Array): void {
        object.geometry.dispose();
        object.geometry = new BufferGeometry();
        object.geometry.setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
        if (corners) object.geometry.setIndex(new BufferAttribute(corners, 1));
    }

    private setWalls({ walls }: State): void {
        const places = this.points(walls?.x ?? new Float32Array(), (walls?.x.length ?? 0) / 3);
        this.draw(this.walls, places, walls?.triangle ?? new Uint32Array());
        this.draw(this.wallEdges, places, walls?.edge ?? new Uint32Array());
    }

    /** From metres about the origin to units of the scene about the centre of the cell. */
    inScene(x: Vector3): Vector3 {
        return x.clone().sub(this.centre).multiplyScalar(this.scale);
    }

    get metre(): number {
        return this.scale;
    }

    private points(list: Float32Array, count: number): Float32Array {
        const { x, y, z } = this.centre, c = [x, y, z], out = new Float32Array(3 * count);
        for (let i = 0; i < 3 * count; i++) out[i] = (list[i]! - c[i % 3]!) * this.scale;
        return out;
    }

    private fill(balls: Balls, centres: Float32Array, radii: Float32Array, colours: Uint8Array, count: number): void {
        const { places, paints } = balls.material.uniforms as Record<"places" | "paints", IUniform<DataTexture | null>>;
        const points = this.points(centres, count), spheres = new Float32Array(4 * count);
        for (let i = 0; i < count; i++) {
            spheres.set(points.subarray(3 * i, 3 * i + 3), 4 * i);
            spheres[4 * i + 3] = radii[i]! * this.scale;
        }
        places.value?.dispose();
        paints.value?.dispose();
        places.value = sheet(spheres, count);
        paints.value = sheet(colours, count);
        balls.geometry.setDrawRange(0, 3 * count);
    }

    /** The first `outer` of them hide the others. */
    setGrains(centres: Float32Array, radii: Float32Array, colours: Uint8Array, outer: number): void {
        this.outer = outer;
        this.all = radii.length;
        this.fill(this.grains, centres, radii, colours, radii.length);
    }

    setRods(state: State, rods: Rods, colour: (contact: number) => Rgb): void {
        const { geometry } = this.rods, n = rods.count;
        const colours = new Uint8Array(4 * n);
        for (let i = 0; i < n; i++) colours.set(colour(rods.contact[i]!), 4 * i);
        geometry.dispose();
        geometry.setAttribute("a", new InstancedBufferAttribute(this.points(rods.a, n), 3));
        geometry.setAttribute("b", new InstancedBufferAttribute(this.points(rods.b, n), 3));
        geometry.setAttribute("radius", new InstancedBufferAttribute(rods.radius.subarray(0, n).map((r) => r * this.scale), 1));
        geometry.setAttribute("colour", new InstancedBufferAttribute(colours, 4, true)); // graphics cards want attributes at multiples of four bytes
        geometry.instanceCount = n;
        const balls = [
            ...[...rods.joints].map(([body, joint]) => ({ x: state.x, at: body, ...joint })),
            ...rods.free.map((i) => ({ x: rods.b, at: i, radius: rods.radius[i]!, contact: rods.contact[i]! })),
        ];
        const centres = new Float32Array(3 * balls.length), radii = new Float32Array(balls.length), paint = new Uint8Array(4 * balls.length);
        balls.forEach((ball, i) => {
            centres.set(ball.x.subarray(3 * ball.at, 3 * ball.at + 3), 3 * i);
            radii[i] = ball.radius;
            paint.set(colour(ball.contact), 4 * i);
        });
        this.fill(this.joints, centres, radii, paint, balls.length);
    }

    show(grains: boolean, rods: boolean, cell: boolean, walls: boolean): void {
        this.grains.visible = grains;
        this.rods.visible = this.joints.visible = rods;
        this.cell.visible = cell;
        this.walls.visible = this.wallEdges.visible = walls;
    }

    /** `coarse`: without the grains that others hide. */
    render(viewer: Viewer, camera: Camera, paper: Rgb, ink: Rgb, coarse = false): void {
        this.grains.geometry.setDrawRange(0, 3 * (coarse ? this.outer : this.all));
        const distance = camera.position.distanceTo(viewer.target);
        (this.uniforms.paper!.value as Vector3).fromArray(paper).divideScalar(255);
        (this.uniforms.ink!.value as Vector3).fromArray(ink).divideScalar(255);
        (this.uniforms.fog!.value as Vector2).set(distance - 0.8 * this.bound, 1 / (1.8 * this.bound));
        this.uniforms.parallel!.value = viewer.parallel;
        this.renderer.setClearColor((paper[0] << 16) | (paper[1] << 8) | paper[2], 1);
        this.renderer.render(this.scene, camera);
    }
}
