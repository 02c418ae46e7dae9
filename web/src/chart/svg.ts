// SPDX-License-Identifier: BSD-3-Clause
// A chart as an SVG file, with the look of `twirl plot`: 12 cm wide, ticks inside, no title.

import { ticksFor, type Range, type Tick } from "../data/axis.ts";
import { axisTitle, dashOf, equalise, strokeOf, usable, type ChartSpec, type Curve, type View } from "./curve.ts";

const width = 600, height = 432; // 50 to the centimetre
const font = 16;
const margins = { left: 74, right: 18, top: 16, bottom: 58 };

function escape(text: string): string {
    // Control characters other than white space have no place in XML.
    return text
        .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
        .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

interface Frame {
    left: number;
    top: number;
    right: number;
    bottom: number;
    x(value: number): number;
    y(value: number): number;
}

function scale(range: Range, from: number, to: number, log: boolean): (value: number) => number {
    const f = log ? Math.log : (value: number) => value;
    const low = f(range[0]), high = f(range[1]);
    return (value) => from + ((f(value) - low) / (high - low)) * (to - from);
}

function line(x1: number, y1: number, x2: number, y2: number, more = ""): string {
    return `<line x1="${x1.toFixed(2)}" y1="${y1.toFixed(2)}" x2="${x2.toFixed(2)}" y2="${y2.toFixed(2)}"${more}/>`;
}

function addAxis(out: string[], frame: Frame, ticks: Tick[], vertical: boolean): void {
    for (const { value, text } of ticks) {
        if (vertical) {
            const y = frame.y(value);
            out.push(line(frame.left, y, frame.left + 6, y), line(frame.right, y, frame.right - 6, y));
            out.push(`<text x="${frame.left - 7}" y="${(y + 0.35 * font).toFixed(2)}" text-anchor="end" stroke="none">${escape(text)}</text>`);
        } else {
            const x = frame.x(value);
            out.push(line(x, frame.bottom, x, frame.bottom - 6), line(x, frame.top, x, frame.top + 6));
            out.push(`<text x="${x.toFixed(2)}" y="${frame.bottom + font + 6}" text-anchor="middle" stroke="none">${escape(text)}</text>`);
        }
    }
}

function pathOf(curve: Curve, spec: ChartSpec, frame: Frame): string {
    let path = "", pen = false;
    curve.xs.forEach((x, i) => {
        const y = curve.ys[i]!;
        if (!usable(x, spec.x.log) || !usable(y, spec.y.log)) {
            pen = false;
            return;
        }
        path += `${pen ? "L" : "M"}${frame.x(x).toFixed(2)} ${frame.y(y).toFixed(2)}`;
        pen = true;
    });
    return path;
}

function marksOf(curve: Curve, spec: ChartSpec, frame: Frame): string {
    const marks: string[] = [];
    curve.xs.forEach((x, i) => {
        const y = curve.ys[i]!;
        if (usable(x, spec.x.log) && usable(y, spec.y.log))
            marks.push(`<circle cx="${frame.x(x).toFixed(2)}" cy="${frame.y(y).toFixed(2)}" r="${3 * (curve.width ?? 1)}"/>`);
    });
    return marks.join("");
}

function shorten(text: string): string {
    return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function addKey(out: string[], curves: Curve[], top: number): void {
    curves.forEach((curve, i) => {
        const y = top + i * 1.35 * font, colour = strokeOf(curve, false);
        const dash = dashOf(curve).length > 0 ? ' stroke-dasharray="8 4"' : "";
        if (curve.marks) out.push(`<circle cx="${margins.left + 14}" cy="${y}" r="3" fill="none" stroke="${colour}" stroke-width="1.2"/>`);
        else out.push(line(margins.left, y, margins.left + 28, y, ` stroke="${colour}" stroke-width="1.8"${dash}`));
        out.push(`<text x="${margins.left + 36}" y="${(y + 0.35 * font).toFixed(2)}" stroke="none">${escape(shorten(curve.label))}</text>`);
    });
}

export function chartSvg(spec: ChartSpec, shown: View): string {
    const curves = spec.curves.filter((curve) => !curve.hidden);
    const keyed = curves.filter((curve) => curve.label !== "");
    const extra = keyed.length > 1 ? keyed.length * 1.35 * font + 6 : 0;
    const whole = height + extra;
    const box = { left: margins.left, right: width - margins.right, top: margins.top + extra, bottom: whole - margins.bottom };
    const view = spec.equal ? equalise(shown, box.right - box.left, box.bottom - box.top) : shown;
    const frame: Frame = {
        ...box,
        x: scale(view.x, box.left, box.right, spec.x.log),
        y: scale(view.y, box.bottom, box.top, spec.y.log),
    };
    const out: string[] = [
        `<svg xmlns="http://www.w3.org/2000/svg" width="12cm" height="${(whole / 50).toFixed(2)}cm" viewBox="0 0 ${width} ${whole}" font-family="Helvetica, Arial, sans-serif" font-size="${font}">`,
        `<title>${escape(shorten(spec.title))}</title>`,
        `<rect width="${width}" height="${whole}" fill="white"/>`,
        `<clipPath id="frame"><rect x="${box.left}" y="${box.top}" width="${box.right - box.left}" height="${box.bottom - box.top}"/></clipPath>`,
        `<g stroke="black" fill="black">`,
        `<rect x="${box.left}" y="${box.top}" width="${box.right - box.left}" height="${box.bottom - box.top}" fill="none"/>`,
    ];
    addAxis(out, frame, ticksFor(view.x, spec.x.log, 6), false);
    addAxis(out, frame, ticksFor(view.y, spec.y.log), true);
    const middleX = 0.5 * (box.left + box.right), middleY = 0.5 * (box.top + box.bottom);
    out.push(`<text x="${middleX}" y="${whole - 10}" text-anchor="middle" stroke="none">${escape(axisTitle(spec.x))}</text>`);
    out.push(`<text transform="translate(18 ${middleY}) rotate(-90)" text-anchor="middle" stroke="none">${escape(axisTitle(spec.y))}</text>`);
    if (keyed.length > 1) addKey(out, keyed, margins.top);
    out.push("</g>", `<g clip-path="url(#frame)" fill="none" stroke-width="1.8" stroke-linejoin="round">`);
    for (const curve of curves) {
        const colour = strokeOf(curve, false);
        if (curve.marks) out.push(`<g stroke="${colour}" stroke-width="1.2">${marksOf(curve, spec, frame)}</g>`);
        else {
            const dash = dashOf(curve).length > 0 ? ' stroke-dasharray="8 4"' : "";
            out.push(`<path stroke="${colour}" stroke-width="${1.8 * (curve.width ?? 1)}"${dash} d="${pathOf(curve, spec, frame)}"/>`);
        }
    }
    for (const { x, y, text, side } of spec.notes ?? [])
        out.push(`<text x="${(frame.x(x) + 5 * side).toFixed(2)}" y="${(frame.y(y) + 0.3 * font).toFixed(2)}" text-anchor="${side < 0 ? "end" : side > 0 ? "start" : "middle"}" font-size="${0.85 * font}" fill="#555555" stroke="none">${escape(text)}</text>`);
    out.push("</g>", "</svg>", "");
    return out.join("\n");
}
