// SPDX-License-Identifier: BSD-3-Clause
// The response surface of probes in all directions: in 3D, to be turned, and its sections by planes.

import { Triangle, Vector3 } from "three";
import { ChartCard } from "../chart/chart_card.ts";
import { describedSpec } from "../chart/figure_chart.ts";
import type { Figure, FigureSurface } from "../data/contract.ts";
import type { LoadedRun } from "../data/series.ts";
import { plain } from "../data/unit.ts";
import { Viewer } from "../specimen/camera.ts";
import { button, el, fileName, save, say, selectField } from "./dom.ts";
import { isDark, onTheme } from "./theme.ts";

const light = new Vector3(0.35, 0.75, 0.56);
const full = [213, 94, 0]; // colour of the largest irreversible strain
const wide = 1.6; // half the width of the picture over the reach
const size = 432; // of the picture
const diagonal = (Math.atan(Math.SQRT1_2) * 180) / Math.PI; // elevation of the line of equal stresses
const looks: [string, string, number, number][] = [["iso", "iso", 35, 25], ["x", "x", 0, 0], ["y", "y", -90, 0], ["z", "z", -90, 90], ["p", "along the hydrostatic axis", 45, diagonal]];

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

function colourOf(corners: Vector3[], shares: (number | null)[]): string {
    const shade = 0.72 + 0.28 * Math.max(0, new Triangle(...corners).getNormal(new Vector3()).dot(light));
    const mean = shares.reduce<number>((sum, share) => sum + (share ?? NaN) / 3, 0);
    const share = Number.isFinite(mean) ? Math.min(1, mean) : 0;
    return `rgb(${full.map((part) => Math.floor(shade * (255 + share * (part - 255)))).join(" ")})`;
}

function sightOf(surface: FigureSurface, viewer: Viewer): Sight {
    const { u, v, w } = viewer.axes(), { reach } = surface, points = surface.points.map((point) => new Vector3(...point));
    const flat = (p: Vector3): [number, number] => [u.dot(p) / reach, v.dot(p) / reach];
    const facets = surface.triangles.map((triangle): Facet => {
        const corners = triangle.map((k) => points[k]!);
        return { corners: corners.map(flat), depth: corners.reduce((sum, p) => sum + w.dot(p), 0), colour: colourOf(corners, triangle.map((k) => surface.shares[k]!)) };
    }).sort((a, b) => a.depth - b.depth);
    const arrows = surface.labels.map((label, k): Arrow => {
        const way = (length: number) => new Vector3().setComponent(k, length);
        return { from: flat(way(surface.radius[k]!)), to: flat(way(1.35 * reach)), text: plain(label), behind: w.getComponent(k) < 0 };
    });
    return { facets, arrows };
}

/** Corners of the head, at the end of an arrow; none of one that points at the viewer. */
function headOf(from: [number, number], to: [number, number], size: number): [number, number][] {
    const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
    if (Math.hypot(to[0] - from[0], to[1] - from[1]) < size) return [];
    return [to, ...[2.83, -2.83].map((side): [number, number] => [to[0] + size * Math.cos(angle + side), to[1] + size * Math.sin(angle + side)])];
}

function shape(tag: string, attributes: Record<string, string | number>, ...children: (Node | string)[]): SVGElement {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    element.append(...children);
    return element;
}

/** The picture, on the page and in a file. Arrows have an edge, to be seen on facets and on the ground. */
function svgOf(sight: Sight, ink: string, edge: string, ...ground: SVGElement[]): SVGElement {
    const place = ([x, y]: [number, number]): [number, number] => [0.5 * size * (1 + x / wide), 0.5 * size * (1 - y / wide)];
    const points = (corners: [number, number][]) => corners.map((corner) => corner.map((value) => value.toFixed(2)).join(",")).join(" ");
    const arrow = ({ from, to, text }: Arrow) => {
        const a = place(from), b = place(to), [x, y] = place([1.16 * to[0], 1.16 * to[1]]);
        return [
            ...([[edge, 2.2], [ink, 0.9]] as const).map(([stroke, width]) => shape("polyline", { points: points([a, b]), stroke, "stroke-width": width })),
            shape("polygon", { points: points(headOf(a, b, 10)), fill: ink }),
            shape("text", { x: x.toFixed(2), y: (y + 5).toFixed(2), "text-anchor": "middle", fill: ink }, text),
        ];
    };
    return shape("svg", { width: "8.64cm", height: "8.64cm", viewBox: `0 0 ${size} ${size}`, "font-family": "Helvetica, Arial, sans-serif", "font-size": 16 },
        ...ground,
        ...sight.arrows.filter((one) => one.behind).flatMap(arrow),
        ...sight.facets.map((facet) => shape("polygon", { points: points(facet.corners.map(place)), fill: facet.colour, stroke: "#666666", "stroke-width": 0.4, "stroke-linejoin": "round" })),
        ...sight.arrows.filter((one) => !one.behind).flatMap(arrow));
}

class SurfacePicture {
    readonly element: HTMLElement;
    private readonly frame: HTMLElement;
    private readonly viewer = new Viewer();
    private grip: { x: number; y: number } | null = null;

    constructor(private figure: Figure, private readonly stage: string, heading: HTMLElement) {
        this.frame = el("div", {
            class: "surface", tabindex: 0, role: "application", "aria-roledescription": "picture that can be turned",
            onkeydown: (event: KeyboardEvent) => this.key(event), onpointerdown: (event: PointerEvent) => this.press(event),
            onpointermove: (event: PointerEvent) => this.drag(event), onpointerup: () => (this.grip = null), onpointercancel: () => (this.grip = null),
        });
        const tools = el("div", { class: "tools", role: "group", "aria-label": "View and file" },
            ...looks.map(([name, text, ...angles]) => button(name, () => this.look(...angles), { "aria-label": `Look ${text === "iso" ? "from between the axes" : text.length > 1 ? text : `along ${text}`}` })),
            el("span", { class: "gap" }),
            button("SVG", () => this.save(), { "aria-label": "Save the surface as SVG" }));
        const key = el("p", { class: "hint" }, el("span", { class: "surface-key", "aria-hidden": "true" }), "from elastic (white) to the largest irreversible strain (orange)");
        this.element = el("section", { class: "card surface-card", "aria-label": `Response surface of ${stage}` }, heading, this.frame, key, tools);
        this.set(figure);
        this.look(35, 25);
        onTheme(() => this.redraw());
    }

    set(figure: Figure): void {
        const { radius, labels } = figure.surface!, ends = labels.map((label, k) => `${plain(label)} ${Number(radius[k]!.toPrecision(3))}`).join(", ");
        this.figure = figure;
        this.frame.setAttribute("aria-label", `Response surface. Distance to the surface along ${ends}, in ${plain(figure.x.unit)}. Arrow keys turn it, 0 is the first view.`);
        this.redraw();
    }

    private sight(): Sight {
        return sightOf(this.figure.surface!, this.viewer);
    }

    private redraw(): void {
        const picture = isDark() ? svgOf(this.sight(), "#d0d8e0", "#2a3038") : svgOf(this.sight(), "#000000", "#ffffff");
        picture.setAttribute("aria-hidden", "true");
        this.frame.replaceChildren(picture);
    }

    private save(): void {
        const ground = shape("rect", { width: size, height: size, fill: "white" });
        save(new XMLSerializer().serializeToString(svgOf(this.sight(), "black", "white", ground)), fileName(`${this.stage} envelope`, "svg"), "image/svg+xml");
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

/** The surface and its sections, of the law that the reader chooses; none where the directions are not all around. */
export function surfaceCards(runs: LoadedRun[], figures: Figure[], laws: string[], stage: string): HTMLElement[] {
    const surfaces = figures.filter((figure) => figure.surface);
    if (surfaces.length === 0) return [];
    let chosen = surfaces[0]!, plane = 0;
    const sections = () => figures.filter((figure) => figure.kind === "envelope_section" && figure.name.startsWith(`${chosen.name}_`));
    const spec = () => describedSpec(sections()[plane]!, runs);
    const law = selectField("Law", surfaces.map((_, i) => ({ value: String(i), text: laws[i] ?? "" })), "0", (value) => {
        chosen = surfaces[Number(value)]!;
        picture.set(chosen);
        card.set(spec(), false);
    });
    const cut = selectField("Section", sections().map((figure, i) => ({ value: String(i), text: figure.name.slice(chosen.name.length + 1).replace(/^(.)(.)$/, "$1, $2") })), "0", (value) => {
        plane = Number(value);
        card.set(spec(), false);
    });
    const heading = el("div", { class: "controls" }, el("h4", {}, chosen.title), surfaces.length > 1 && law.field);
    const picture = new SurfacePicture(chosen, stage, heading);
    const card = new ChartCard(spec(), el("div", { class: "controls" }, cut.field), `Sections of the response surface of ${stage}`);
    return [picture.element, card.element];
}
