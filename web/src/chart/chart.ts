// SPDX-License-Identifier: BSD-3-Clause
// A chart with zoom, hover and keys, drawn by uPlot. The view (what part is shown) is ours, and uPlot
// is told; so drag, wheel, keys and new data all end in `show`.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { ticksFor, type Range } from "../data/axis.ts";
import { el } from "../page/dom.ts";
import { isDark } from "../page/theme.ts";
import { axisTitle, dashOf, equalise, strokeOf, usable, wholeView, zoomRange, type ChartSpec, type Curve, type View } from "./curve.ts";

const reach = 40; // pixels from the pointer to a point that it points at

const nothing: Curve = { label: "", number: 0, silent: true, xs: new Float64Array(0), ys: new Float64Array(0), say: () => [], textX: () => "", textY: () => "" };

interface Point {
    curve: number;
    i: number;
}

const wide = 3000; // pixels beyond the frame to which lines are drawn

export class Chart {
    readonly element: HTMLElement;
    private readonly host = el("div", { class: "chart-canvas" });
    private readonly tip = el("div", { class: "chart-tip", hidden: true });
    private readonly dot = el("div", { class: "chart-dot", hidden: true });
    private plot: uPlot | null = null;
    private spec: ChartSpec;
    private view: View;
    private zoomed = false;
    private point: Point | null = null;
    private width = 0;

    /** `said` gets the values of a point that was chosen by key, to be read out. */
    constructor(spec: ChartSpec, private readonly said: (text: string) => void, private readonly changed: (zoomed: boolean) => void = () => {}) {
        this.spec = spec;
        this.view = wholeView(spec);
        this.element = el("div", {
            class: "chart", tabindex: 0, role: "application", "aria-roledescription": "chart",
            onkeydown: (event: KeyboardEvent) => this.key(event),
            onblur: () => this.forget(),
        }, this.host);
        new ResizeObserver(() => this.fit()).observe(this.host);
        this.describe();
    }

    /** Draws something else. `keep`: the same axes, whose part shown stays if it was chosen. */
    set(spec: ChartSpec, keep: boolean): void {
        this.spec = spec;
        if (!keep) this.forget();
        if (!keep || !this.zoomed) {
            this.view = wholeView(spec);
            this.setZoomed(false);
        }
        this.describe();
        this.draw();
    }

    get shown(): View {
        if (!this.spec.equal) return this.view;
        const frame = this.plot?.bbox;
        return frame && frame.width > 0 ? equalise(this.view, frame.width, frame.height) : equalise(this.view, this.width - 90, this.height - 60);
    }

    reset(): void {
        this.view = wholeView(this.spec);
        this.setZoomed(false);
        this.apply();
    }

    zoom(factor: number): void {
        const at = this.point ? this.valueAt(this.point) : { x: this.middle("x"), y: this.middle("y") };
        this.zoomAt(at.x, at.y, factor);
    }

    private get height(): number {
        const { equal } = this.spec;
        return Math.round(Math.min(Math.max(equal ? this.width : 0.6 * this.width, 240), equal ? 560 : 400));
    }

    /** After a change of colours or of what is hidden. */
    draw(): void {
        const pointed = this.point;
        this.forget();
        this.plot?.destroy();
        this.plot = null;
        this.width = this.host.clientWidth;
        if (this.width < 50) return;
        this.plot = new uPlot(this.options(), this.data(), this.host);
        if (this.spec.equal) this.apply(); // the size of the frame is known now
        this.plot.over.append(this.dot, this.tip);
        this.plot.over.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
        this.plot.over.addEventListener("dblclick", () => this.reset());
        this.plot.over.addEventListener("mousemove", (event) => this.hover(event));
        this.plot.over.addEventListener("mouseleave", () => this.forget());
        const curve = pointed && this.spec.curves[pointed.curve];
        if (curve && !curve.hidden && this.isDrawn(curve, pointed.i)) this.choose(pointed);
    }

    private describe(): void {
        const names = this.spec.curves.filter((curve) => !curve.hidden && !curve.silent).map((curve) => curve.label.slice(0, 80));
        this.element.setAttribute("aria-label",
            `${axisTitle(this.spec.y)} over ${axisTitle(this.spec.x)}: ${names.join(", ").slice(0, 400)}. ` +
            "Arrow keys go from point to point and from curve to curve, plus and minus zoom, 0 shows everything.");
    }

    private fit(): void {
        if (Math.abs(this.host.clientWidth - this.width) > 1) this.draw();
    }

    private setZoomed(zoomed: boolean): void {
        this.zoomed = zoomed;
        this.changed(zoomed);
    }

    // ---- uPlot ----

    private data(): uPlot.AlignedData {
        return [null, ...this.drawn().map((curve) => [curve.xs, curve.ys])] as unknown as uPlot.AlignedData;
    }

    /** uPlot needs a curve to have axes. */
    private drawn(): Curve[] {
        return this.spec.curves.length > 0 ? this.spec.curves : [nothing];
    }

    private options(): uPlot.Options {
        const style = getComputedStyle(this.host);
        const ink = style.getPropertyValue("--ink"), grid = style.getPropertyValue("--line");
        const font = "13px system-ui, sans-serif";
        const axis = (scale: "x" | "y", space: number): uPlot.Axis => ({
            scale,
            label: axisTitle(this.spec[scale]),
            stroke: ink,
            font,
            labelFont: font,
            labelSize: 22,
            labelGap: 0,
            grid: { stroke: grid, width: 1 },
            ticks: { stroke: grid, width: 1, size: 5 },
            splits: () => this.ticks(scale, space).map((tick) => tick.value),
            values: () => this.ticks(scale, space).map((tick) => tick.text),
            ...(scale === "y" ? { size: (_u: uPlot, values: string[] | null) => 18 + 7.5 * Math.max(3, ...(values ?? []).map((text) => text.length)) } : { size: 30 }),
        });
        const scale = (name: "x" | "y"): uPlot.Scale => ({
            time: false,
            auto: false,
            distr: this.spec[name].log ? 3 : 1,
            range: () => this.shown[name],
        });
        return {
            mode: 2,
            width: this.width,
            height: this.height,
            legend: { show: false },
            scales: { x: scale("x"), y: scale("y") },
            axes: [axis("x", 90), axis("y", 55)],
            series: [{}, ...this.drawn().map((curve, number) => this.series(curve, number))] as uPlot.Series[],
            cursor: { drag: { x: true, y: true, setScale: false, dist: 6, uni: 30 }, points: { show: false }, focus: { prox: -1 }, dataIdx: () => null as unknown as number },
            hooks: { setSelect: [(u) => this.select(u)], draw: [(u) => this.write(u, style.getPropertyValue("--soft"))] },
        };
    }

    private series(curve: Curve, number: number): uPlot.Series {
        return {
            show: !curve.hidden,
            label: String(number),
            facets: [{ scale: "x", auto: false }, { scale: "y", auto: false }],
            stroke: strokeOf(curve, isDark()),
            width: curve.marks ? 1.3 : 1.8 * (curve.width ?? 1),
            dash: dashOf(curve),
            points: { show: false },
            paths: (u: uPlot) => ({ stroke: this.path(u, curve), fill: null, clip: null, band: null, gaps: null, flags: 0 }),
        } as unknown as uPlot.Series;
    }

    private path(u: uPlot, curve: Curve): Path2D {
        const path = new Path2D();
        const size = 3 * (curve.width ?? 1) * devicePixelRatio;
        let pen = false;
        // Far outside the frame, canvases lose lines that end at huge coordinates.
        const near = (value: number) => Math.max(-wide, Math.min(value, 2 * wide + u.width * devicePixelRatio));
        curve.xs.forEach((vx, i) => {
            const vy = curve.ys[i]!;
            if (!usable(vx, this.spec.x.log) || !usable(vy, this.spec.y.log)) {
                pen = false;
                return;
            }
            const x = u.valToPos(vx, "x", true), y = u.valToPos(vy, "y", true);
            if (curve.marks) {
                path.moveTo(x + size, y);
                path.arc(x, y, size, 0, 7);
            } else if (pen) path.lineTo(near(x), near(y));
            else path.moveTo(near(x), near(y));
            pen = true;
        });
        return path;
    }

    private write(u: uPlot, ink: string): void {
        const { ctx } = u, { left, top, width, height } = u.bbox;
        ctx.save();
        ctx.beginPath();
        ctx.rect(left, top, width, height);
        ctx.clip();
        ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
        ctx.fillStyle = ink;
        ctx.textBaseline = "middle";
        for (const { x, y, text, side } of this.spec.notes ?? []) {
            ctx.textAlign = side < 0 ? "right" : side > 0 ? "left" : "center";
            ctx.fillText(text, u.valToPos(x, "x", true) + 5 * side, u.valToPos(y, "y", true));
        }
        ctx.restore();
    }

    private ticks(scale: "x" | "y", space: number) {
        const length = (scale === "x" ? this.width : this.height) - 70;
        return ticksFor(this.shown[scale], this.spec[scale].log, Math.max(2, Math.min(8, Math.round(length / space))));
    }

    // ---- The view ----

    private apply(): void {
        this.forget();
        const { plot } = this;
        if (!plot) return;
        const { x, y } = this.shown;
        plot.batch(() => {
            plot.setScale("x", { min: x[0], max: x[1] });
            plot.setScale("y", { min: y[0], max: y[1] });
        });
    }

    private show(view: View): void {
        for (const range of [view.x, view.y])
            if (!(range[1] - range[0] > 1e-12 * Math.max(Math.abs(range[0]), Math.abs(range[1])))) return;
        this.view = view;
        this.setZoomed(true);
        this.apply();
    }

    private middle(axis: "x" | "y"): number {
        const [low, high] = this.shown[axis];
        return this.spec[axis].log ? Math.sqrt(low * high) : 0.5 * (low + high);
    }

    private zoomAt(x: number, y: number, factor: number): void {
        const { x: xs, y: ys } = this.shown;
        this.show({ x: zoomRange(xs, x, factor, this.spec.x.log), y: zoomRange(ys, y, factor, this.spec.y.log) });
    }

    private select(u: uPlot): void {
        const { left, top, width, height } = u.select;
        if (width < 6 && height < 6) return;
        const range = (scale: "x" | "y", a: number, b: number): Range => [u.posToVal(a, scale), u.posToVal(b, scale)];
        const x = width > 5 ? range("x", left, left + width) : this.shown.x;
        const y = height > 5 ? range("y", top + height, top) : this.shown.y;
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        this.show({ x, y });
    }

    private wheel(event: WheelEvent): void {
        // The page scrolls unless the chart has the focus, so that it is not a trap on the way down.
        if (!this.plot || !(event.ctrlKey || document.activeElement === this.element)) return;
        event.preventDefault();
        const box = this.plot.over.getBoundingClientRect();
        const x = this.plot.posToVal(event.clientX - box.left, "x"), y = this.plot.posToVal(event.clientY - box.top, "y");
        this.zoomAt(x, y, Math.exp(Math.max(-0.5, Math.min(0.002 * event.deltaY, 0.5))));
    }

    // ---- Points ----

    private hover(event: MouseEvent): void {
        if (!this.plot) return;
        const box = this.plot.over.getBoundingClientRect();
        this.choose(this.nearest(event.clientX - box.left, event.clientY - box.top));
    }

    private nearest(left: number, top: number): Point | null {
        const { plot, spec } = this;
        if (!plot) return null;
        let best: Point | null = null, least = reach * reach;
        const toX = this.placer(plot, "x"), toY = this.placer(plot, "y");
        spec.curves.forEach((curve, number) => {
            if (curve.hidden || curve.silent) return;
            for (let i = 0; i < curve.xs.length; i++) {
                const dx = toX(curve.xs[i]!) - left, dy = toY(curve.ys[i]!) - top;
                const distance = dx * dx + dy * dy;
                if (distance < least) {
                    least = distance;
                    best = { curve: number, i };
                }
            }
        });
        return best;
    }

    /** As uPlot's valToPos, for many points; NaN for those that are not drawn. */
    private placer(plot: uPlot, scale: "x" | "y"): (value: number) => number {
        const log = this.spec[scale].log;
        return (value) => (usable(value, log) ? plot.valToPos(value, scale) : NaN);
    }

    private valueAt(point: Point): { x: number; y: number } {
        const curve = this.spec.curves[point.curve]!;
        return { x: curve.xs[point.i]!, y: curve.ys[point.i]! };
    }

    private choose(point: Point | null): void {
        const curve = point && this.spec.curves[point.curve];
        if (!this.plot || !point || !curve) {
            this.forget();
            return;
        }
        this.point = point;
        const { x, y } = this.valueAt(point);
        const left = this.plot.valToPos(x, "x"), top = this.plot.valToPos(y, "y");
        this.dot.hidden = this.tip.hidden = false;
        this.dot.style.transform = `translate(${left}px, ${top}px)`;
        this.dot.style.borderColor = strokeOf(curve, isDark());
        this.tip.replaceChildren(...curve.say(point.i).map((line, k) => el("div", k === 0 ? { class: "chart-tip-name" } : {}, line)));
        const right = left > this.plot.over.clientWidth / 2, low = top > this.plot.over.clientHeight / 2;
        this.tip.style.transform = `translate(${left}px, ${top}px) translate(${right ? "calc(-100% - 12px)" : "12px"}, ${low ? "calc(-100% - 8px)" : "8px"})`;
    }

    private forget(): void {
        this.point = null;
        this.dot.hidden = this.tip.hidden = true;
    }

    // ---- Keys ----

    private key(event: KeyboardEvent): void {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const actions: Record<string, () => void> = {
            ArrowRight: () => this.walk(event.shiftKey ? 10 : 1),
            ArrowLeft: () => this.walk(event.shiftKey ? -10 : -1),
            ArrowUp: () => this.change(-1),
            ArrowDown: () => this.change(1),
            Home: () => this.walk(-Infinity),
            End: () => this.walk(Infinity),
            "+": () => this.zoom(0.7),
            "=": () => this.zoom(0.7),
            "-": () => this.zoom(1 / 0.7),
            "0": () => this.reset(),
            Escape: () => this.forget(),
        };
        const action = actions[event.key];
        if (!action) return;
        event.preventDefault();
        action();
    }

    private isDrawn(curve: Curve, i: number): boolean {
        return usable(curve.xs[i] ?? NaN, this.spec.x.log) && usable(curve.ys[i] ?? NaN, this.spec.y.log);
    }

    private walk(by: number): void {
        const point = this.point ?? this.firstPoint(0);
        const curve = point && this.spec.curves[point.curve];
        if (!point || !curve) return;
        const last = curve.xs.length - 1, way = Math.sign(by);
        let i = this.point ? Math.max(0, Math.min(point.i + by, last)) : point.i;
        while (!this.isDrawn(curve, i) && i + way >= 0 && i + way <= last) i += way;
        if (this.isDrawn(curve, i)) this.read({ curve: point.curve, i });
    }

    private firstPoint(from: number): Point | null {
        const { curves } = this.spec;
        for (let k = 0; k < curves.length; k++) {
            const number = (from + k + curves.length) % curves.length, curve = curves[number]!;
            if (curve.hidden || curve.silent) continue;
            for (let i = 0; i < curve.xs.length; i++) if (this.isDrawn(curve, i)) return { curve: number, i };
        }
        return null;
    }

    private change(by: number): void {
        const { curves } = this.spec;
        let number = this.point?.curve ?? (by > 0 ? -1 : 0);
        for (let k = 0; k < curves.length; k++) {
            number = (number + by + curves.length) % curves.length;
            const curve = curves[number]!;
            if (curve.hidden || curve.silent) continue;
            const i = Math.min(this.point?.i ?? 0, curve.xs.length - 1);
            this.read(this.isDrawn(curve, i) ? { curve: number, i } : this.firstPoint(number));
            return;
        }
    }

    private read(point: Point | null): void {
        this.choose(point);
        if (point) this.said(this.spec.curves[point.curve]!.say(point.i).join(", "));
    }
}
