// SPDX-License-Identifier: BSD-3-Clause
// The picture of the specimen with the pointer and the keys: what is drawn, how, and from where.

import { Vector3 } from "three";
import { el, fileName, save } from "../page/dom.ts";
import { isDark } from "../page/theme.ts";
import { Viewer } from "./camera.ts";
import { certified, chosenColour, colourAt, rangeOf, sliding, sticking, type Rgb } from "./colour_map.ts";
import { drawOverlay, type Bar, type Classes, type Overlay } from "./overlay.ts";
import { outerOf } from "./outer.ts";
import { Pace } from "./pace.ts";
import { pickBody } from "./pick.ts";
import { makeRods, meanNormal } from "./rods.ts";
import { SpecimenScene } from "./scene.ts";
import { contactsOf, toCell, type State } from "./state.ts";

export type Quantity = "size" | "coordination" | "force" | "speed" | "certificate" | "none";

export interface Drawing {
    grains: boolean;
    chains: boolean;
    cell: boolean;
    walls: boolean;
    colour: Quantity;
    chainColour: "sliding" | "force" | "certificate";
    above: number; // chains: least normal force over the mean
    edge: number; // of the slice; -1: none
    from: number;
    to: number;
}

export const startDrawing: Drawing = { grains: true, chains: false, cell: true, walls: true, colour: "size", chainColour: "sliding", above: 1, edge: -1, from: 0, to: 1 };

const rest = 160; // milliseconds without a move after which the picture is fine again

interface ColourScale {
    label: string;
    dimension: string;
    value(state: State, body: number): number;
    zero: boolean;
}

const scales: Record<Exclude<Quantity, "certificate" | "none">, ColourScale> = {
    size: { label: "diameter", dimension: "length", zero: false, value: (state, b) => state.diameter[b]! },
    coordination: { label: "contacts per grain", dimension: "ratio", zero: true, value: (state, b) => contactsOf(state, b).length },
    force: { label: "mean contact force", dimension: "force", zero: true, value: (state, b) => state.meanForce[b]! },
    speed: { label: "speed", dimension: "speed", zero: true, value: (state, b) => state.speed[b]! },
};

const plain: Rgb = [0x9a, 0xa8, 0xb5];
const light = { paper: [255, 255, 255] as Rgb, ink: [40, 48, 56] as Rgb }, dark = { paper: [18, 22, 27] as Rgb, ink: [200, 208, 216] as Rgb };

export class SpecimenView {
    readonly viewer = new Viewer();
    private readonly canvas = el("canvas", { "aria-hidden": "true" });
    private readonly overlay = el("canvas", { class: "overlay", "aria-hidden": "true" });
    private readonly scene: SpecimenScene;
    private state: State | null = null;
    private drawing: Drawing = startDrawing;
    private chosen = -1;
    private bars: (Bar | Classes)[] = [];
    private ranges: Map<string, [number, number]> | null = null; // of colours, over all states since `steady`
    private visible: (body: number) => boolean = () => true;
    private share: (body: number) => number = () => 1; // of the size of a body that is drawn
    private waiting = false; // for the next tick of the screen
    private wanted: "fine" | "any" | null = null; // a picture; any: the viewer moved
    private moved = -Infinity; // when the viewer moved last
    private readonly pace = new Pace();
    private drawn = { share: 1, at: 0, sync: null as WebGLSync | null }; // the last frame
    private pressed: { x: number; y: number; button: number; moved: boolean; other: number | null } | null = null;
    private readonly touches = new Map<number, { x: number; y: number }>();
    frames = 0; // drawn so far

    /** Throws where there is no WebGL. */
    constructor(private readonly host: HTMLElement, private readonly picked: (body: number) => void) {
        this.scene = new SpecimenScene(this.canvas);
        host.append(this.canvas, this.overlay);
        new ResizeObserver(() => this.redraw()).observe(host);
        this.listen();
    }

    // ---- What is drawn ----

    /** From now on scale and place stay as they are, and colours stand for the values of all states that are shown; or no longer. */
    steady(on: boolean): void {
        if (on !== (this.ranges !== null)) this.ranges = on ? new Map() : null;
    }

    private rangeOver(name: string, [low, high]: [number, number]): [number, number] {
        const before = this.ranges?.get(name), range: [number, number] = before ? [Math.min(low, before[0]), Math.max(high, before[1])] : [low, high];
        this.ranges?.set(name, range);
        return range;
    }

    /** Takes part in the colours of the film without being shown. */
    survey(state: State): void {
        for (const [name, scale] of Object.entries(scales)) this.rangeOver(name, rangeOf(Float64Array.from({ length: state.bodies }, (_, b) => scale.value(state, b)), scale.zero));
        this.rangeOver("normal", rangeOf(state.normal, true));
    }

    set(state: State, drawing: Drawing, chosen: number): void {
        if (state !== this.state) {
            const first = this.state === null;
            this.state = state;
            this.scene.setState(state, this.ranges !== null && !first);
            if (first) this.viewer.aim(new Vector3(), this.scene.bound);
        }
        this.drawing = drawing;
        this.chosen = chosen;
        this.fill();
        this.redraw();
    }

    private fill(): void {
        const { state, drawing } = this;
        if (!state) return;
        this.visible = this.slice(state, drawing);
        this.share = this.shares(state, drawing);
        this.bars = [];
        if (drawing.grains) this.fillGrains(state, drawing);
        this.fillRods(state, drawing);
        this.scene.show(drawing.grains, drawing.chains || this.chosen >= 0, drawing.cell, drawing.walls);
    }

    /** Smaller grains let chains be seen, the grains of a certificate, and the neighbours of the chosen grain. */
    private shares(state: State, drawing: Drawing): (body: number) => number {
        if (this.chosen < 0 && drawing.colour === "certificate" && state.certified.includes(1)) return (body) => (state.certified[body] ? (drawing.chains ? 0.6 : 1) : 0.3);
        if (this.chosen < 0) return () => (drawing.chains ? 0.45 : 1);
        const near = new Set([this.chosen, ...[...contactsOf(state, this.chosen)].flatMap((k) => [state.p[k]!, state.q[k]!])]);
        return (body) => (near.has(body) ? 0.7 : 0.3);
    }

    private slice(state: State, drawing: Drawing): (body: number) => boolean {
        if (drawing.edge < 0) return () => true;
        const inverse = toCell(state.cell);
        return (b) => {
            const place = inverse(state.x[3 * b]!, state.x[3 * b + 1]!, state.x[3 * b + 2]!)[drawing.edge]!;
            const low = state.low[drawing.edge]!, along = (place - low) / (state.high[drawing.edge]! - low);
            return along >= drawing.from && along <= drawing.to;
        };
    }

    private fillGrains(state: State, drawing: Drawing): void {
        const scale = drawing.colour === "none" || drawing.colour === "certificate" ? null : scales[drawing.colour];
        const values = scale ? Float64Array.from({ length: state.bodies }, (_, b) => scale.value(state, b)) : null;
        const range = values && scale ? this.rangeOver(drawing.colour, rangeOf(values, scale.zero)) : ([0, 1] as [number, number]);
        const clusters = state.spheres > state.bodies; // their diameter is that of the sphere around them
        if (scale) this.bars.push({ label: drawing.colour === "size" && clusters ? "outer diameter" : scale.label, dimension: scale.dimension, range, map: "viridis" });
        const byCertificate = drawing.colour === "certificate";
        if (byCertificate) this.bars.push({ entries: [{ label: "in the certificate", colour: certified }, { label: "other grain", colour: plain }] });
        const paint = Array.from({ length: state.bodies }, (_, b): Rgb => {
            if (b === this.chosen) return chosenColour;
            if (values) return colourAt("viridis", (values[b]! - range[0]) / (range[1] - range[0]));
            return byCertificate && state.certified[b] ? certified : plain;
        });
        const isOuter = outerOf(state, drawing.edge, drawing.from, drawing.to);
        const outer = Uint8Array.from({ length: state.bodies }, (_, b) => (this.share(b) < 1 || isOuter(b) ? 1 : 0));
        const share = Float32Array.from({ length: state.bodies }, (_, b) => (this.visible(b) ? this.share(b) : 0));
        let n = 0;
        const centres = new Float32Array(3 * state.spheres), radii = new Float32Array(state.spheres), colours = new Uint8Array(4 * state.spheres);
        let split = 0;
        for (let k = 0; k < 2 * state.spheres; k++) { // the outer ones first
            if (k === state.spheres) split = n;
            const i = k % state.spheres, b = state.body[i]!;
            if (share[b] === 0 || outer[b] === (k < state.spheres ? 0 : 1)) continue;
            for (let a = 0; a < 3; a++) centres[3 * n + a] = state.x[3 * b + a]! + share[b]! * (state.centre[3 * i + a]! - state.x[3 * b + a]!);
            radii[n] = share[b]! * state.radius[i]!;
            colours.set(paint[b]!, 4 * n);
            n++;
        }
        this.scene.setGrains(centres, radii.subarray(0, n), colours.subarray(0, 4 * n), split);
    }

    private fillRods(state: State, drawing: Drawing): void {
        const own = new Set(this.chosen >= 0 ? contactsOf(state, this.chosen) : []);
        const least = drawing.above * meanNormal(state);
        const bySliding = drawing.chainColour === "sliding", byCertificate = drawing.chainColour === "certificate";
        const range = this.rangeOver("normal", rangeOf(state.normal, true));
        const rods = makeRods(state, (k) => own.has(k) || (drawing.chains && (state.normal[k]! >= least || (byCertificate && state.certifiedContact[k] === 1))), (b) => this.visible(b) || b === this.chosen);
        this.scene.setRods(state, rods, (k) => {
            if (own.has(k) && !drawing.chains) return chosenColour;
            if (byCertificate) return state.certifiedContact[k] ? certified : plain;
            return bySliding ? (state.sliding[k] ? sliding : sticking) : colourAt("reds", (state.normal[k]! - range[0]) / (range[1] - range[0]));
        });
        if (!drawing.chains) return;
        if (bySliding) this.bars.push({ entries: [{ label: "sliding", colour: sliding }, { label: "sticking", colour: sticking }] });
        else if (byCertificate) this.bars.push({ entries: [{ label: "in the certificate", colour: certified }, { label: "other contact", colour: plain }] });
        else this.bars.push({ label: "normal force", dimension: "force", range, map: "reds" });
    }

    // ---- Drawing ----

    redraw(): void {
        this.wanted = "fine";
        this.wait();
    }

    /** After the viewer has moved: coarse if the graphics card is slow, and fine as soon as it rests. */
    private move(): void {
        this.moved = performance.now();
        this.wanted = "any";
        this.wait();
    }

    private wait(): void {
        if (this.waiting) return;
        this.waiting = true;
        requestAnimationFrame(() => {
            this.waiting = false;
            this.tick();
        });
    }

    /** One frame at a time: none is begun before the card has finished the last one. */
    private tick(): void {
        const gl = this.scene.renderer.getContext() as WebGL2RenderingContext, now = performance.now(), { drawn } = this;
        if (drawn.sync) {
            if (gl.getSyncParameter(drawn.sync, gl.SYNC_STATUS) !== gl.SIGNALED && !gl.isContextLost()) {
                this.wait();
                return;
            }
            this.pace.took(now - drawn.at, drawn.share);
            gl.deleteSync(drawn.sync);
            drawn.sync = null;
        }
        if (this.wanted || (drawn.share < 1 && now - this.moved > rest)) {
            this.draw(this.wanted === "any" ? this.pace.share : 1);
            this.wanted = null;
            drawn.at = now;
            drawn.sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
            gl.flush();
        }
        if (drawn.sync || drawn.share < 1) this.wait();
    }

    /** At a share of the resolution along each edge. */
    draw(share = 1): void {
        const width = this.host.clientWidth, height = this.host.clientHeight;
        if (width < 10 || height < 10 || !this.state) return;
        const full = Math.min(devicePixelRatio || 1, 2), ratio = full * share, colours = isDark() ? dark : light;
        const { renderer } = this.scene;
        if (this.canvas.width !== Math.floor(width * ratio) || this.canvas.height !== Math.floor(height * ratio)) {
            renderer.setPixelRatio(ratio);
            renderer.setSize(width, height, false);
        }
        this.scene.render(this.viewer, this.viewer.camera(width / height), colours.paper, colours.ink, share < 1);
        this.drawn.share = share;
        this.frames++;
        this.overlay.width = width * full;
        this.overlay.height = height * full;
        const ctx = this.overlay.getContext("2d")!;
        drawOverlay(ctx, this.written(this.overlay.width, this.overlay.height, 13 * full, colours.ink), this.viewer, this.overlay.width, this.overlay.height);
    }

    private written(width: number, height: number, em: number, ink: Rgb): Overlay {
        const metres = (2 * this.viewer.halfHeight(width / height)) / this.scene.metre;
        return { bars: this.bars, ink: `rgb(${ink.join(" ")})`, em, pixelsPerMetre: height / metres, exact: this.viewer.parallel };
    }

    /** Milliseconds for a frame of the turning specimen, of our program alone and until the card has finished: the least of several. */
    async measure(frames: number, share = 1): Promise<{ script: number; frame: number }> {
        const gl = this.scene.renderer.getContext(), pixel = new Uint8Array(4), before = this.viewer.azimuth;
        const finish = () => gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
        const least = { script: Infinity, frame: Infinity };
        for (let k = 0; k < frames; k++) {
            this.viewer.azimuth = before + (360 * (k + 1)) / (frames + 1);
            finish();
            const start = performance.now();
            this.draw(share);
            least.script = Math.min(least.script, performance.now() - start);
            finish();
            least.frame = Math.min(least.frame, performance.now() - start);
            await new Promise((done) => setTimeout(done));
        }
        this.viewer.azimuth = before;
        this.redraw();
        return least;
    }

    /** The picture as it is shown; `twirl render` draws for print. */
    savePicture(name: string): void {
        this.draw();
        const { width, height } = this.canvas, sheet = el("canvas", { width, height }), ctx = sheet.getContext("2d")!;
        ctx.drawImage(this.canvas, 0, 0);
        ctx.drawImage(this.overlay, 0, 0, width, height);
        sheet.toBlob((blob) => blob && save(blob, fileName(name, "png"), "image/png"));
    }

    // ---- Pointer and keys ----

    private get aspect(): number {
        return this.host.clientWidth / this.host.clientHeight;
    }

    private listen(): void {
        const { host } = this;
        host.addEventListener("pointerdown", (event) => this.press(event));
        host.addEventListener("pointermove", (event) => this.drag(event));
        for (const name of ["pointerup", "pointercancel"] as const) host.addEventListener(name, (event) => this.release(event));
        host.addEventListener("contextmenu", (event) => event.preventDefault());
        host.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
        host.addEventListener("keydown", (event) => this.key(event));
        this.canvas.addEventListener("webglcontextrestored", () => this.redraw());
    }

    private press(event: PointerEvent): void {
        this.touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
        this.pressed = { x: event.clientX, y: event.clientY, button: event.button, moved: this.touches.size > 1, other: null };
        this.host.setPointerCapture(event.pointerId);
    }

    private drag(event: PointerEvent): void {
        const last = this.touches.get(event.pointerId);
        if (!last || !this.pressed) return;
        const dx = event.clientX - last.x, dy = event.clientY - last.y;
        if (Math.hypot(event.clientX - this.pressed.x, event.clientY - this.pressed.y) > 4) this.pressed.moved = true;
        const others = [...this.touches].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
        this.touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
        if (!this.pressed.moved) return;
        const size = this.host.clientHeight;
        if (others[0]) {
            const before = Math.hypot(last.x - others[0].x, last.y - others[0].y), now = Math.hypot(event.clientX - others[0].x, event.clientY - others[0].y);
            if (before > 0) this.viewer.nearer(now / before);
            this.viewer.move((0.5 * dx) / size, (-0.5 * dy) / size, this.aspect);
        } else if (event.shiftKey || this.pressed.button === 2) this.viewer.move(dx / size, -dy / size, this.aspect);
        else this.viewer.turn((200 * dx) / size, (200 * dy) / size);
        this.move();
    }

    private release(event: PointerEvent): void {
        this.touches.delete(event.pointerId);
        if (event.type === "pointerup" && this.pressed && !this.pressed.moved && this.pressed.button === 0) this.pick(event);
        if (this.touches.size === 0) this.pressed = null;
    }

    private pick(event: PointerEvent): void {
        if (!this.state || !this.drawing.grains) return;
        const box = this.host.getBoundingClientRect();
        const x = (2 * (event.clientX - box.left)) / box.width - 1, y = 1 - (2 * (event.clientY - box.top)) / box.height;
        const inMetres = (v: Vector3) => v.multiplyScalar(1 / this.scene.metre).add(this.scene.centre);
        this.picked(pickBody(this.state, this.viewer.camera(this.aspect), x, y, inMetres, (body) => (this.visible(body) ? this.share(body) : 0)));
    }

    private wheel(event: WheelEvent): void {
        if (!(event.ctrlKey || document.activeElement === this.host)) return; // the page scrolls
        event.preventDefault();
        this.viewer.nearer(Math.exp(Math.max(-0.4, Math.min(-0.0015 * event.deltaY, 0.4))));
        this.move();
    }

    private key(event: KeyboardEvent): void {
        if (event.target !== this.host || event.ctrlKey || event.metaKey || event.altKey) return;
        const step = 5, actions: Record<string, () => void> = {
            ArrowLeft: () => (event.shiftKey ? this.viewer.move(-0.04, 0, this.aspect) : this.viewer.turn(-step, 0)),
            ArrowRight: () => (event.shiftKey ? this.viewer.move(0.04, 0, this.aspect) : this.viewer.turn(step, 0)),
            ArrowUp: () => (event.shiftKey ? this.viewer.move(0, 0.04, this.aspect) : this.viewer.turn(0, -step)),
            ArrowDown: () => (event.shiftKey ? this.viewer.move(0, -0.04, this.aspect) : this.viewer.turn(0, step)),
            "+": () => this.viewer.nearer(1.2),
            "=": () => this.viewer.nearer(1.2),
            "-": () => this.viewer.nearer(1 / 1.2),
            "0": () => this.reset(),
            Escape: () => this.picked(-1),
        };
        const action = actions[event.key];
        if (!action) return;
        event.preventDefault();
        action();
        this.move();
    }

    reset(): void {
        this.viewer.look("iso");
        this.viewer.zoom = 1;
        this.viewer.aim(new Vector3(), this.scene.bound);
        this.redraw();
    }
}
