// SPDX-License-Identifier: BSD-3-Clause
// What is written over the specimen: directions of the axes, scale bar, colour bar.

import { ticksFor } from "../data/axis.ts";
import { unitFor } from "../data/unit.ts";
import type { Viewer } from "./camera.ts";
import { colourAt, type MapName, type Rgb } from "./colour_map.ts";

export interface Bar {
    label: string;
    dimension: string;
    range: [number, number];
    map: MapName;
}

export interface Classes {
    entries: { label: string; colour: Rgb }[];
}

export interface Overlay {
    bars: (Bar | Classes)[];
    ink: string;
    em: number; // size of the letters in pixels
    pixelsPerMetre: number;
    exact: boolean; // the scale holds everywhere
}

const css = (colour: Rgb) => `rgb(${colour.map(Math.round).join(" ")})`;

function axes(ctx: CanvasRenderingContext2D, o: Overlay, viewer: Viewer, height: number): void {
    const { u, v, w } = viewer.axes(), length = 2.6 * o.em, x0 = 3.6 * o.em, y0 = height - 3.6 * o.em;
    const names = ["x", "y", "z"] as const;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    for (const name of names) {
        const dx = u[name] * length, dy = -v[name] * length;
        if (Math.hypot(dx, dy) < 0.25 * length) { // along the line of sight: a dot towards the viewer, a cross away
            ctx.beginPath();
            ctx.arc(x0, y0, 0.35 * o.em, 0, 7);
            ctx.stroke();
            ctx.fillText(w[name] > 0 ? "·" : "×", x0, y0);
            ctx.fillText(name, x0 - 0.9 * o.em, y0 + 0.9 * o.em);
            continue;
        }
        ctx.beginPath();
        ctx.moveTo(x0, y0);
        ctx.lineTo(x0 + dx, y0 + dy);
        ctx.stroke();
        const angle = Math.atan2(dy, dx), head = 0.5 * o.em;
        ctx.beginPath();
        ctx.moveTo(x0 + dx, y0 + dy);
        for (const side of [2.75, -2.75]) ctx.lineTo(x0 + dx + head * Math.cos(angle + side), y0 + dy + head * Math.sin(angle + side));
        ctx.fill();
        ctx.fillText(name, x0 + dx * 1.3, y0 + dy * 1.3);
    }
}

/** About a sixth of the width: 1, 2 or 5 times a power of ten. */
export function scaleLength(metres: number): number {
    const power = 10 ** Math.floor(Math.log10(metres)), first = metres / power;
    return power * (first >= 5 ? 5 : first >= 2 ? 2 : 1);
}

function scaleBar(ctx: CanvasRenderingContext2D, o: Overlay, width: number, height: number): void {
    const length = scaleLength(width / 5 / o.pixelsPerMetre), pixels = length * o.pixelsPerMetre;
    const unit = unitFor("length", length), right = width - 1.4 * o.em, y = height - 1.4 * o.em;
    ctx.beginPath();
    ctx.moveTo(right - pixels, y - 0.3 * o.em);
    ctx.lineTo(right - pixels, y);
    ctx.lineTo(right, y);
    ctx.lineTo(right, y - 0.3 * o.em);
    ctx.stroke();
    ctx.textAlign = "center";
    ctx.textBaseline = "bottom";
    const text = `${Number((length / unit.size).toPrecision(3))} ${unit.name}${o.exact ? "" : " at the centre"}`;
    ctx.fillText(text, Math.min(right - 0.5 * pixels, right - 0.5 * ctx.measureText(text).width), y - 0.4 * o.em);
}

function colourBar(ctx: CanvasRenderingContext2D, o: Overlay, bar: Bar, right: number, top: number): number {
    const height = 11 * o.em, wide = o.em, unit = unitFor(bar.dimension, Math.abs(bar.range[1]));
    const [low, high] = bar.range.map((value) => value / unit.size) as [number, number];
    const ticks = ticksFor([low, high], false, 4);
    const x = right - wide - 0.6 * o.em - Math.max(...ticks.map((tick) => ctx.measureText(tick.text).width), 0);
    for (let k = 0; k < 64; k++) {
        ctx.fillStyle = css(colourAt(bar.map, (k + 0.5) / 64));
        ctx.fillRect(x, top + height * (1 - (k + 1) / 64), wide, height / 64 + 1);
    }
    ctx.strokeRect(x, top, wide, height);
    ctx.fillStyle = o.ink;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    for (const tick of ticks) ctx.fillText(tick.text, x + wide + 0.5 * o.em, top + height * (1 - (tick.value - low) / (high - low)));
    ctx.textAlign = "right";
    ctx.textBaseline = "bottom";
    ctx.fillText(bar.label + (unit.name === "" ? "" : ` [${unit.name}]`), right, top - 0.5 * o.em);
    return top + height + 2.6 * o.em;
}

function classKey(ctx: CanvasRenderingContext2D, o: Overlay, classes: Classes, right: number, top: number): number {
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    let y = top;
    for (const { label, colour } of classes.entries) {
        ctx.fillStyle = o.ink;
        ctx.fillText(label, right - 1.6 * o.em, y);
        ctx.fillStyle = css(colour);
        ctx.fillRect(right - o.em, y - 0.5 * o.em, o.em, o.em);
        y += 1.6 * o.em;
    }
    ctx.fillStyle = o.ink;
    return y + o.em;
}

/** Nothing but the scale on pictures too small for more. */
export function drawOverlay(ctx: CanvasRenderingContext2D, o: Overlay, viewer: Viewer, width: number, height: number): void {
    ctx.font = `${o.em}px system-ui, "Liberation Sans", Arial, sans-serif`;
    ctx.lineWidth = Math.max(1, o.em / 12);
    ctx.strokeStyle = ctx.fillStyle = o.ink;
    if (width < 12 * o.em || height < 12 * o.em) return;
    scaleBar(ctx, o, width, height);
    ctx.fillStyle = o.ink;
    axes(ctx, o, viewer, height);
    let top = 2.6 * o.em;
    for (const bar of o.bars) {
        ctx.fillStyle = ctx.strokeStyle = o.ink;
        const room = height - top - 4 * o.em;
        if ("entries" in bar ? room > 3 * o.em : room > 12 * o.em)
            top = "entries" in bar ? classKey(ctx, o, bar, width - 1.2 * o.em, top) : colourBar(ctx, o, bar, width - 1.2 * o.em, top);
    }
}
