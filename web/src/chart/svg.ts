// SPDX-License-Identifier: BSD-3-Clause
// Charts as SVG: on the page, and as a file with the look of `twirl plot`, 12 cm wide.

import { ticksFor, type Range, type Tick } from "../data/axis.ts";
import { axisTitle, dashOf, equalise, strokeOf, usable, type ChartSpec, type Curve, type View } from "./curve.ts";

/** What differs between a chart on the page and one in a file: there ticks are inside, a frame is around it and the key above. */
export interface Look {
    width: number; // pixels
    height: number; // without the key
    font: number;
    file: boolean;
    dark: boolean;
}

const clipMargin = 9000; // pixels
let drawn = 0; // charts so far, for ids
const fileLook: Look = { width: 600, height: 432, font: 16, file: true, dark: false }; // 50 pixels to the centimetre

function escape(text: string): string {
    // Control characters other than white space have no place in XML.
    return text
        .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
        .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

export interface Frame {
    left: number;
    top: number;
    right: number;
    bottom: number;
    view: View; // that is shown
    x(value: number): number;
    y(value: number): number;
    valueX(place: number): number;
    valueY(place: number): number;
}

function scale(range: Range, from: number, to: number, log: boolean): { place: (value: number) => number; value: (place: number) => number } {
    const [f, g] = log ? [Math.log, Math.exp] : [(value: number) => value, (value: number) => value];
    const low = f(range[0]), high = f(range[1]);
    return {
        place: (value) => from + ((f(value) - low) / (high - low)) * (to - from),
        value: (place) => g(low + ((place - from) / (to - from)) * (high - low)),
    };
}

function line(x1: number, y1: number, x2: number, y2: number, more = ""): string {
    return `<line x1="${x1.toFixed(2)}" y1="${y1.toFixed(2)}" x2="${x2.toFixed(2)}" y2="${y2.toFixed(2)}"${more}/>`;
}

/** The axis at the right, without lines across the frame. */
function addSecond(out: string[], { second }: ChartSpec, frame: Frame, { file, font, width }: Look, intervals: (range: Range) => Tick[]): void {
    if (!second) return;
    const { right, top, bottom, view } = frame;
    for (const { value, text } of intervals(view.y.map(second.fromFirst) as Range)) {
        const y = frame.y(second.toFirst(value));
        out.push(file ? line(right - 6, y, right, y) : line(right, y, right + 5, y, ' stroke="var(--line)"'));
        out.push(`<text x="${right + 7}" y="${(y + 0.35 * font).toFixed(2)}" stroke="none">${escape(text)}</text>`);
    }
    out.push(`<text transform="translate(${width - 10} ${0.5 * (top + bottom)}) rotate(-90)" text-anchor="middle" stroke="none">${escape(axisTitle(second))}</text>`);
}

function addAxis(out: string[], frame: Frame, ticks: Tick[], vertical: boolean, { file, font }: Look, mirror = true): void {
    const { left, right, top, bottom } = frame, grid = file ? "" : ' stroke="var(--line)"';
    for (const { value, text } of ticks) {
        const x = frame.x(value), y = frame.y(value);
        if (vertical) {
            out.push(...(file ? [line(left, y, left + 6, y), ...(mirror ? [line(right, y, right - 6, y)] : [])] : [line(left - 5, y, right, y, grid)]));
            out.push(`<text x="${left - 7}" y="${(y + 0.35 * font).toFixed(2)}" text-anchor="end" stroke="none">${escape(text)}</text>`);
        } else {
            out.push(...(file ? [line(x, bottom, x, bottom - 6), line(x, top, x, top + 6)] : [line(x, top, x, bottom + 5, grid)]));
            out.push(`<text x="${x.toFixed(2)}" y="${bottom + font + 6}" text-anchor="middle" stroke="none">${escape(text)}</text>`);
        }
    }
}

/** Lines through the points. Of successive ones in a column of half a pixel the first, lowest, highest and last are enough: the picture is the
 *  same, and the path of 100,000 points 25 times as short. Far outside the frame, lines end at a margin. */
function pathOf(curve: Curve, spec: ChartSpec, frame: Frame): string {
    const { xs, ys } = curve, near = (value: number) => Math.max(-clipMargin, Math.min(value, clipMargin));
    let path = "", pen = "M", column = NaN, first = -1, low = -1, high = -1, last = -1;
    const draw = () => {
        for (const i of new Set(first < 0 ? [] : [first, Math.min(low, high), Math.max(low, high), last])) {
            path += `${pen}${near(frame.x(xs[i]!)).toFixed(2)} ${near(frame.y(ys[i]!)).toFixed(2)}`;
            pen = "L";
        }
        first = -1;
    };
    xs.forEach((x, i) => {
        if (!usable(x, spec.x.log) || !usable(ys[i]!, spec.y.log)) {
            draw();
            pen = "M";
            return;
        }
        const at = Math.floor(2 * near(frame.x(x)));
        if (first < 0 || at !== column) {
            draw();
            column = at;
            first = low = high = i;
        }
        if (ys[i]! < ys[low]!) low = i;
        if (ys[i]! > ys[high]!) high = i;
        last = i;
    });
    draw();
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

function addKey(out: string[], curves: Curve[], left: number, top: number, font: number): void {
    curves.forEach((curve, i) => {
        const y = top + i * 1.35 * font, colour = strokeOf(curve, false);
        const dash = dashOf(curve).length > 0 ? ' stroke-dasharray="8 4"' : "";
        if (curve.marks) out.push(`<circle cx="${left + 14}" cy="${y}" r="3" fill="none" stroke="${colour}" stroke-width="1.2"/>`);
        else out.push(line(left, y, left + 28, y, ` stroke="${colour}" stroke-width="1.8"${dash}`));
        out.push(`<text x="${left + 36}" y="${(y + 0.35 * font).toFixed(2)}" stroke="none">${escape(shorten(curve.label))}</text>`);
    });
}

/** About as many ticks as have room. */
function ticksOf(range: Range, log: boolean, length: number, space: number): Tick[] {
    return ticksFor(range, log, Math.max(2, Math.min(8, Math.round(length / space))));
}

function layout(spec: ChartSpec, wanted: View, look: Look, extra: number): Frame {
    const { width, height, file } = look;
    const room = (range: Range, log: boolean) => (file ? 74 : 36 + 7.5 * Math.max(3, ...ticksOf(range, log, height - 70, 55).map((tick) => tick.text.length)));
    const left = room(wanted.y, spec.y.log), right = width - (spec.second ? room(wanted.y.map(spec.second.fromFirst) as Range, false) : file ? 18 : 16), top = (file ? 16 : 8) + extra, bottom = height + extra - (file ? 58 : 52);
    const view = spec.equal ? equalise(wanted, right - left, bottom - top) : wanted;
    const x = scale(view.x, left, right, spec.x.log), y = scale(view.y, bottom, top, spec.y.log);
    return { left, right, top, bottom, view, x: x.place, y: y.place, valueX: x.value, valueY: y.value };
}

/** A chart, and where its frame is. */
export function drawChart(spec: ChartSpec, wanted: View, look: Look): { svg: string; frame: Frame } {
    const { width, font, file, dark } = look, ink = file ? "black" : "var(--ink)", clip = `frame-${++drawn}`;
    const curves = spec.curves.filter((curve) => !curve.hidden), keyed = file ? curves.filter((curve) => curve.label !== "") : [];
    const extra = keyed.length > 1 ? keyed.length * 1.35 * font + 6 : 0, height = look.height + extra;
    const frame = layout(spec, wanted, look, extra), { left, right, top, bottom, view } = frame;
    const box = `x="${left}" y="${top}" width="${right - left}" height="${bottom - top}"`;
    const size = file ? `width="12cm" height="${(height / 50).toFixed(2)}cm"` : `width="${width}" height="${height}"`;
    const out: string[] = [
        `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${width} ${height}" font-family="${file ? "Helvetica, Arial" : "system-ui"}, sans-serif" font-size="${font}">`,
        ...(file ? [`<title>${escape(shorten(spec.title))}</title>`, `<rect width="${width}" height="${height}" fill="white"/>`] : []),
        `<clipPath id="${clip}"><rect ${box}/></clipPath>`,
        `<g stroke="${ink}" fill="${ink}">`,
        `<rect class="chart-frame" ${box} fill="none"${file ? "" : ' stroke="none"'}/>`,
    ];
    addAxis(out, frame, file ? ticksFor(view.x, spec.x.log, 6) : ticksOf(view.x, spec.x.log, width - 70, 90), false, look);
    addAxis(out, frame, file ? ticksFor(view.y, spec.y.log) : ticksOf(view.y, spec.y.log, height - 70, 55), true, look, !spec.second);
    addSecond(out, spec, frame, look, (range) => (file ? ticksFor(range, false) : ticksOf(range, false, height - 70, 55)));
    out.push(`<text x="${0.5 * (left + right)}" y="${height - 10}" text-anchor="middle" stroke="none">${escape(axisTitle(spec.x))}</text>`);
    out.push(`<text transform="translate(18 ${0.5 * (top + bottom)}) rotate(-90)" text-anchor="middle" stroke="none">${escape(axisTitle(spec.y))}</text>`);
    if (keyed.length > 1) addKey(out, keyed, left, 16, font);
    out.push("</g>", `<g clip-path="url(#${clip})" fill="none" stroke-width="1.8" stroke-linejoin="round">`);
    for (const curve of curves) {
        const colour = strokeOf(curve, dark);
        if (curve.marks) out.push(`<g stroke="${colour}" stroke-width="1.2">${marksOf(curve, spec, frame)}</g>`);
        else {
            const dash = dashOf(curve).length > 0 ? ' stroke-dasharray="8 4"' : "";
            out.push(`<path stroke="${colour}" stroke-width="${1.8 * (curve.width ?? 1)}"${dash} d="${pathOf(curve, spec, frame)}"/>`);
        }
    }
    for (const { x, y, text, side } of spec.notes ?? [])
        out.push(`<text x="${(frame.x(x) + 5 * side).toFixed(2)}" y="${(frame.y(y) + 0.3 * font).toFixed(2)}" text-anchor="${side < 0 ? "end" : side > 0 ? "start" : "middle"}" font-size="${0.85 * font}" fill="${file ? "#555555" : "var(--soft)"}" stroke="none">${escape(text)}</text>`);
    out.push("</g>", "</svg>", "");
    return { svg: out.join("\n"), frame };
}

/** As a file. */
export function chartSvg(spec: ChartSpec, shown: View): string {
    return drawChart(spec, shown, fileLook).svg;
}
