// SPDX-License-Identifier: BSD-3-Clause
// The response surface of probes in all directions: in 3D, to be turned, and cut by planes. Facets, colours and
// first view are those of `twirl plot` (apps/twirl/plot/plot_envelope.c).

import { ChartCard } from "../chart/chart_card.ts";
import type { ChartSpec, Curve } from "../chart/curve.ts";
import { dot, envelopeOf, normalOf, planes, radiusOf, reachOf, sections, type Envelope, type Plane, type Vec } from "../data/envelope.ts";
import type { Table } from "../data/table.ts";
import { superscript } from "../data/unit.ts";
import { Viewer } from "../specimen/camera.ts";
import { button, el, fileName, save, selectField } from "./dom.ts";
import { say } from "./live_region.ts";
import { isDark, onTheme } from "./theme.ts";

const names = ["x", "y", "z"];
const light: Vec = [0.35, 0.75, 0.56];
const full: Vec = [213, 94, 0]; // colour of the largest irreversible strain
const wide = 1.6; // half the width of the picture over the reach
const diagonal = (Math.atan(Math.SQRT1_2) * 180) / Math.PI; // elevation of the line of equal stresses
const looks: [string, string, number, number][] = [["iso", "iso", 35, 25], ["x", "x", 0, 0], ["y", "y", -90, 0], ["z", "z", -90, 90], ["p", "along the hydrostatic axis", 45, diagonal]];

interface Unit {
    size: number;
    name: string;
    symbol: string;
}

function unitOf(envelope: Envelope): Unit {
    const reach = reachOf(envelope);
    if (!envelope.isStrain) return reach >= 2e3 ? { size: 1e3, name: "kPa", symbol: "Δσ" } : { size: 1, name: "Pa", symbol: "Δσ" };
    const exponent = Math.max(-15, Math.min(0, Math.floor(Math.log10(reach) + 1e-9) - 1));
    return { size: 10 ** exponent, name: `10${superscript(exponent)}`, symbol: "Δε" };
}

// ---- The picture ----

interface Facet {
    corners: [number, number][]; // right and upwards, over the reach
    depth: number;
    colour: string;
}

interface Arrow {
    from: [number, number];
    to: [number, number];
    text: string;
    behind: boolean;
}

interface Sight {
    facets: Facet[]; // from the back to the front
    arrows: Arrow[];
}

function colourOf(envelope: Envelope, triangle: Vec): string {
    const [a, b, c] = triangle.map((k) => envelope.ends[k]!) as [Vec, Vec, Vec];
    const normal = normalOf(a, b, c), size = Math.sqrt(dot(normal, normal));
    const shade = 0.72 + 0.28 * (size > 0 ? Math.max(0, dot(normal, light) / size) : 0);
    const mean = triangle.reduce((sum, k) => sum + envelope.shares[k]! / 3, 0);
    const share = Number.isFinite(mean) ? Math.min(1, mean) : 0;
    return `rgb(${full.map((part) => Math.floor(shade * (255 + share * (part - 255)))).join(" ")})`;
}

function sightOf(envelope: Envelope, symbol: string, viewer: Viewer): Sight {
    const { u, v, w } = viewer.axes(), reach = reachOf(envelope);
    const [right, up, towards] = [u, v, w].map((axis): Vec => [axis.x, axis.y, axis.z]) as [Vec, Vec, Vec];
    const flat = (p: Vec): [number, number] => [dot(right, p) / reach, dot(up, p) / reach];
    const facets = envelope.triangles.map((triangle): Facet => {
        const p = triangle.map((k) => envelope.ends[k]!);
        return { corners: p.map(flat), depth: p.reduce((sum, point) => sum + dot(towards, point), 0), colour: colourOf(envelope, triangle) };
    }).sort((a, b) => a.depth - b.depth);
    const arrows = names.map((name, k): Arrow => {
        const way = (length: number): Vec => [k === 0 ? length : 0, k === 1 ? length : 0, k === 2 ? length : 0];
        return { from: flat(way(radiusOf(envelope, k))), to: flat(way(1.35 * reach)), text: `${symbol}${name}`, behind: towards[k]! < 0 };
    });
    return { facets, arrows };
}

/** Corners of the head, at the end of an arrow in pixels; none of one that points at the viewer. */
function headOf(from: [number, number], to: [number, number], size: number): [number, number][] {
    const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
    if (Math.hypot(to[0] - from[0], to[1] - from[1]) < size) return [];
    return [to, ...[2.83, -2.83].map((side): [number, number] => [to[0] + size * Math.cos(angle + side), to[1] + size * Math.sin(angle + side)])];
}

function draw(ctx: CanvasRenderingContext2D, sight: Sight, size: number, ratio: number, dark: boolean): void {
    const [ink, edge] = dark ? ["#d0d8e0", "#2a3038"] : ["#000000", "#ffffff"];
    const place = ([x, y]: [number, number]): [number, number] => [0.5 * size * (1 + x / wide), 0.5 * size * (1 - y / wide)];
    const path = (corners: [number, number][]) => {
        ctx.beginPath();
        corners.forEach(([x, y], i) => (i === 0 ? ctx.moveTo(x, y) : ctx.lineTo(x, y)));
    };
    const arrow = ({ from, to, text }: Arrow) => {
        const a = place(from), b = place(to), [x, y] = place([1.16 * to[0], 1.16 * to[1]]);
        for (const [colour, width] of [[edge, 2.2], [ink, 0.9]] as const) { // seen on facets and on the ground
            ctx.strokeStyle = colour;
            ctx.lineWidth = width * ratio;
            path([a, b]);
            ctx.stroke();
        }
        ctx.fillStyle = ink;
        path(headOf(a, b, 9 * ratio));
        ctx.fill();
        ctx.fillText(text, x, y);
    };
    ctx.clearRect(0, 0, size, size);
    ctx.lineJoin = "round";
    ctx.font = `${13 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    sight.arrows.filter((one) => one.behind).forEach(arrow);
    ctx.lineWidth = 0.7 * ratio;
    for (const facet of sight.facets) {
        path(facet.corners.map(place));
        ctx.closePath();
        ctx.fillStyle = facet.colour;
        ctx.strokeStyle = "#666666";
        ctx.fill();
        ctx.stroke();
    }
    sight.arrows.filter((one) => !one.behind).forEach(arrow);
}

function svgOf(sight: Sight): string {
    const size = 432, place = ([x, y]: [number, number]): [number, number] => [0.5 * size * (1 + x / wide), 0.5 * size * (1 - y / wide)];
    const list = (corners: [number, number][]) => corners.map((corner) => corner.map((value) => value.toFixed(2)).join(",")).join(" ");
    const arrow = ({ from, to, text }: Arrow) => {
        const a = place(from), b = place(to), [x, y] = place([1.16 * to[0], 1.16 * to[1]]);
        return `<polyline points="${list([a, b])}" stroke="black"/><polygon points="${list(headOf(a, b, 10))}"/><text x="${x.toFixed(2)}" y="${(y + 5).toFixed(2)}" text-anchor="middle">${text}</text>`;
    };
    return [
        `<svg xmlns="http://www.w3.org/2000/svg" width="8.64cm" height="8.64cm" viewBox="0 0 ${size} ${size}" font-family="Helvetica, Arial, sans-serif" font-size="16">`,
        `<rect width="${size}" height="${size}" fill="white"/>`,
        ...sight.arrows.filter((one) => one.behind).map(arrow),
        ...sight.facets.map((facet) => `<polygon points="${list(facet.corners.map(place))}" fill="${facet.colour}" stroke="#666666" stroke-width="0.4" stroke-linejoin="round"/>`),
        ...sight.arrows.filter((one) => !one.behind).map(arrow),
        "</svg>", "",
    ].join("\n");
}

class SurfacePicture {
    readonly element: HTMLElement;
    private readonly canvas = el("canvas", { "aria-hidden": "true" });
    private readonly frame: HTMLElement;
    private readonly viewer = new Viewer();
    private grip: { x: number; y: number } | null = null;

    constructor(private envelope: Envelope, private readonly stage: string, heading: HTMLElement) {
        this.frame = el("div", {
            class: "surface", tabindex: 0, role: "application", "aria-roledescription": "picture that can be turned",
            onkeydown: (event: KeyboardEvent) => this.key(event), onpointerdown: (event: PointerEvent) => this.press(event),
            onpointermove: (event: PointerEvent) => this.drag(event), onpointerup: () => (this.grip = null), onpointercancel: () => (this.grip = null),
        }, this.canvas);
        const tools = el("div", { class: "tools", role: "group", "aria-label": "View and file" },
            ...looks.map(([name, text, ...angles]) => button(name, () => this.look(...angles), { "aria-label": `Look ${text === "iso" ? "from between the axes" : text.length > 1 ? text : `along ${text}`}` })),
            el("span", { class: "gap" }),
            button("SVG", () => save(svgOf(this.sight()), fileName(`${this.stage} envelope`, "svg"), "image/svg+xml"), { "aria-label": "Save the surface as SVG" }));
        const key = el("p", { class: "hint" }, el("span", { class: "surface-key", "aria-hidden": "true" }), "from elastic (white) to the largest irreversible strain (orange)");
        this.element = el("section", { class: "card surface-card", "aria-label": `Response surface of ${stage}` }, heading, this.frame, key, tools);
        this.set(envelope);
        this.look(35, 25);
        new ResizeObserver(() => this.redraw()).observe(this.frame);
        onTheme(() => this.redraw());
    }

    set(envelope: Envelope): void {
        const unit = unitOf(envelope), ends = names.map((name, k) => `${name} ${Number((radiusOf(envelope, k) / unit.size).toPrecision(3))}`).join(", ");
        this.envelope = envelope;
        this.frame.setAttribute("aria-label", `Response surface: ${envelope.isStrain ? "strain" : "stress"} increments of ${envelope.rows.length} probes. Distance to the surface along ${ends}, in ${unit.name}. Arrow keys turn it, 0 is the first view.`);
        this.redraw();
    }

    private sight(): Sight {
        return sightOf(this.envelope, unitOf(this.envelope).symbol, this.viewer);
    }

    private redraw(): void {
        const width = Math.min(this.frame.clientWidth, 560), ratio = devicePixelRatio || 1;
        if (width < 50) return;
        this.canvas.style.width = this.canvas.style.height = `${width}px`;
        this.canvas.width = this.canvas.height = Math.round(width * ratio);
        draw(this.canvas.getContext("2d")!, this.sight(), this.canvas.width, ratio, isDark());
    }

    private look(azimuth: number, elevation: number): void {
        [this.viewer.azimuth, this.viewer.elevation] = [azimuth, elevation];
        this.redraw();
    }

    private press(event: PointerEvent): void {
        this.grip = { x: event.clientX, y: event.clientY };
        this.frame.setPointerCapture(event.pointerId);
    }

    private drag(event: PointerEvent): void {
        if (!this.grip) return;
        const scale = 200 / this.frame.clientHeight;
        this.viewer.turn(scale * (event.clientX - this.grip.x), scale * (event.clientY - this.grip.y));
        this.grip = { x: event.clientX, y: event.clientY };
        this.redraw();
    }

    private key(event: KeyboardEvent): void {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const turns: Record<string, [number, number]> = { ArrowLeft: [-5, 0], ArrowRight: [5, 0], ArrowUp: [0, -5], ArrowDown: [0, 5] };
        const turn = turns[event.key];
        if (!turn && event.key !== "0") return;
        event.preventDefault();
        if (turn) {
            this.viewer.turn(...turn);
            this.redraw();
        } else this.look(35, 25);
        say(`Azimuth ${Math.round(this.viewer.azimuth)}°, elevation ${Math.round(this.viewer.elevation)}°`);
    }
}

// ---- Sections ----

function axisLabel(plane: Plane, symbol: string, vertical: boolean): string {
    const [x, y, z] = names.map((name) => symbol + name) as [string, string, string];
    if (plane.name === "deviatoric") return vertical ? `(2${z} − ${x} − ${y})/√6` : `(${x} − ${y})/√2`;
    return symbol + plane.name.split(", ")[vertical ? 1 : 0]!;
}

function curveOf(label: string, number: number, points: Vec[], plane: Plane, unit: Unit, more: Partial<Curve> = {}): Curve {
    const xs = points.map((point) => dot(point, plane.across)), ys = points.map((point) => dot(point, plane.up));
    return {
        label, number, xs: Float64Array.from(xs, (value) => value / unit.size), ys: Float64Array.from(ys, (value) => value / unit.size),
        say: (i) => [label, ...[false, true].map((vertical) => `${axisLabel(plane, unit.symbol, vertical)}: ${(vertical ? ys : xs)[i]}${unit.symbol === "Δσ" ? "\u00a0Pa" : ""}`)],
        textX: (i) => String(xs[i]), textY: (i) => String(ys[i]), ...more,
    };
}

const broken: Vec = [NaN, NaN, NaN]; // between two closed curves

export function sectionSpec(envelope: Envelope, probes: Table, stage: string, plane: Plane): ChartSpec {
    const unit = unitOf(envelope), cut = (points: Vec[]) => sections(envelope, points, plane.normal).flatMap((curve, k) => (k === 0 ? curve : [broken, ...curve]));
    const curves = [curveOf("total", 0, cut(envelope.ends), plane, unit)];
    if (envelope.others) curves.push(curveOf(envelope.isStrain ? "reversible" : "no slip", 1, cut(envelope.others), plane, unit));
    if (envelope.others && envelope.isStrain) {
        const points = curveOf("irreversible, projected", 2, envelope.irreversible, plane, unit, { marks: true });
        curves.push({ ...points, say: (i) => [`probe ${probes.text("probe", envelope.rows[i]!)}, ${points.label}`, ...points.say(i).slice(1)] });
    }
    const axis = (vertical: boolean) => ({ label: axisLabel(plane, unit.symbol, vertical), unit: unit.name, log: false, zero: true, column: axisLabel(plane, unit.symbol, vertical) });
    return { title: `${stage} section ${plane.name}`, equal: true, x: axis(false), y: axis(true), curves };
}

/** The surface and its sections; none where the directions are not all around. */
export function surfaceCards(probes: Table, laws: string[], stage: string): HTMLElement[] {
    const envelopes = new Map(laws.map((law) => [law, envelopeOf(probes, law)]));
    const shown = laws.filter((law) => envelopes.get(law));
    if (shown.length === 0) return [];
    let envelope = envelopes.get(shown[0]!)!, plane = planes[0]!;
    const spec = () => sectionSpec(envelope, probes, stage, plane);
    const law = selectField("Law", shown.map((value) => ({ value, text: value })), shown[0]!, (value) => {
        envelope = envelopes.get(value)!;
        picture.set(envelope);
        card.set(spec(), false);
    });
    const cut = selectField("Section", planes.map(({ name }, i) => ({ value: String(i), text: name })), "0", (value) => {
        plane = planes[Number(value)]!;
        card.set(spec(), false);
    });
    const what = envelope.isStrain ? "Strain" : "Stress";
    const heading = el("div", { class: "controls" }, el("h4", {}, `${what} increments of all directions`), shown.length > 1 && law.field);
    const picture = new SurfacePicture(envelope, stage, heading);
    const card = new ChartCard(spec(), el("div", { class: "controls" }, cut.field), `Sections of the response surface of ${stage}`);
    return [picture.element, card.element];
}
