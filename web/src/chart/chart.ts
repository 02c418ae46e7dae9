// SPDX-License-Identifier: BSD-3-Clause
// A chart with zoom, hover and keys: drag, wheel, keys and new data all end in `show`.

import type { Range } from "../data/axis.ts";
import { el } from "../page/dom.ts";
import { isDark } from "../page/theme.ts";
import { axisTitle, strokeOf, usable, wholeView, zoomRange, type ChartSpec, type Curve, type View } from "./curve.ts";
import { drawChart, type Frame } from "./svg.ts";

const hoverRadius = 40; // pixels from the pointer to a point that it points at

interface Point {
    curve: number;
    i: number;
}

/** A drag along one axis if it is shorter than this along the other [pixels]. */
const leastDrag = 30;

export class Chart {
    readonly element: HTMLElement;
    private readonly host = el("div", { class: "chart-canvas" });
    private readonly tip = el("div", { class: "chart-tip", hidden: true });
    private readonly dot = el("div", { class: "chart-dot", hidden: true });
    private readonly selection = el("div", { class: "chart-select", hidden: true });
    private readonly cross = ["x", "y"].map((name) => el("div", { class: `chart-cross ${name}`, hidden: true }));
    private frame: Frame | null = null;
    private start: { x: number; y: number } | null = null; // of a drag
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
        this.listen();
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
        return this.frame?.view ?? this.view;
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
        this.frame = null;
        this.width = this.host.clientWidth;
        if (this.width < 50) return;
        const { svg, frame } = drawChart(this.spec, this.view, { width: this.width, height: this.height, font: 13, file: false, dark: isDark() });
        this.frame = frame;
        this.host.replaceChildren(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, ...this.cross, this.selection, this.dot, this.tip);
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

    // ---- The view ----

    private apply(): void {
        this.forget();
        this.draw();
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

    // ---- Pointer ----

    private listen(): void {
        const { host } = this;
        host.addEventListener("pointerdown", (event) => this.press(event));
        host.addEventListener("pointermove", (event) => this.drag(event));
        host.addEventListener("pointerup", (event) => this.release(event));
        host.addEventListener("pointercancel", () => this.release(null));
        host.addEventListener("pointerleave", () => this.forget());
        host.addEventListener("dblclick", () => this.reset());
        host.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    }

    /** In the host; null: outside of the frame. */
    private placeOf(event: MouseEvent): { x: number; y: number } | null {
        const box = this.host.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top, { frame } = this;
        return frame && x >= frame.left && x <= frame.right && y >= frame.top && y <= frame.bottom ? { x, y } : null;
    }

    private press(event: PointerEvent): void {
        this.start = event.button === 0 && event.pointerType === "mouse" ? this.placeOf(event) : null;
        if (this.start) this.host.setPointerCapture(event.pointerId);
    }

    /** The part of the frame between the start of the drag and the pointer. */
    private part(event: MouseEvent): { x: Range; y: Range } | null {
        const { frame, start } = this, box = this.host.getBoundingClientRect();
        if (!frame || !start) return null;
        const end = { x: event.clientX - box.left, y: event.clientY - box.top };
        const long = { x: Math.abs(end.x - start.x), y: Math.abs(end.y - start.y) };
        if (Math.max(long.x, long.y) < 6) return null;
        const range = (axis: "x" | "y", low: number, high: number): Range => {
            if (long[axis] < leastDrag && long[axis] < Math.max(long.x, long.y)) return [low, high];
            return [Math.min(start[axis], end[axis]), Math.max(start[axis], end[axis])].map((value) => Math.max(low, Math.min(value, high))) as Range;
        };
        return { x: range("x", frame.left, frame.right), y: range("y", frame.top, frame.bottom) };
    }

    private drag(event: PointerEvent): void {
        const part = this.part(event), place = this.placeOf(event), { frame } = this;
        this.selection.hidden = !part;
        if (part) Object.assign(this.selection.style, { left: `${part.x[0]}px`, top: `${part.y[0]}px`, width: `${part.x[1] - part.x[0]}px`, height: `${part.y[1] - part.y[0]}px` });
        this.choose(place && !part ? this.nearest(place.x, place.y) : null);
        for (const line of this.cross) line.hidden = !place;
        if (!place || !frame) return;
        Object.assign(this.cross[0]!.style, { left: `${place.x}px`, top: `${frame.top}px`, height: `${frame.bottom - frame.top}px` });
        Object.assign(this.cross[1]!.style, { top: `${place.y}px`, left: `${frame.left}px`, width: `${frame.right - frame.left}px` });
    }

    private release(event: PointerEvent | null): void {
        const part = event && this.part(event), { frame } = this;
        this.start = null;
        this.selection.hidden = true;
        if (part && frame) this.show({ x: part.x.map(frame.valueX) as Range, y: [frame.valueY(part.y[1]), frame.valueY(part.y[0])] });
    }

    private wheel(event: WheelEvent): void {
        // The page scrolls unless the chart has the focus, so that it is not a trap on the way down.
        const place = this.placeOf(event), { frame } = this;
        if (!frame || !place || !(event.ctrlKey || document.activeElement === this.element)) return;
        event.preventDefault();
        this.zoomAt(frame.valueX(place.x), frame.valueY(place.y), Math.exp(Math.max(-0.5, Math.min(0.002 * event.deltaY, 0.5))));
    }

    // ---- Points ----

    private nearest(left: number, top: number): Point | null {
        const { frame, spec } = this;
        if (!frame) return null;
        let best: Point | null = null, least = hoverRadius * hoverRadius;
        spec.curves.forEach((curve, number) => {
            if (curve.hidden || curve.silent) return;
            for (let i = 0; i < curve.xs.length; i++) {
                if (!this.isDrawn(curve, i)) continue;
                const dx = frame.x(curve.xs[i]!) - left, dy = frame.y(curve.ys[i]!) - top;
                const distance = dx * dx + dy * dy;
                if (distance < least) {
                    least = distance;
                    best = { curve: number, i };
                }
            }
        });
        return best;
    }

    private valueAt(point: Point): { x: number; y: number } {
        const curve = this.spec.curves[point.curve]!;
        return { x: curve.xs[point.i]!, y: curve.ys[point.i]! };
    }

    private choose(point: Point | null): void {
        const curve = point && this.spec.curves[point.curve];
        const { frame } = this;
        if (!frame || !point || !curve) {
            this.forget();
            return;
        }
        this.point = point;
        const { x, y } = this.valueAt(point);
        const left = frame.x(x), top = frame.y(y);
        this.dot.hidden = this.tip.hidden = false;
        this.dot.style.transform = `translate(${left}px, ${top}px)`;
        this.dot.style.borderColor = strokeOf(curve, isDark());
        this.tip.replaceChildren(...curve.say(point.i).map((line, k) => el("div", k === 0 ? { class: "chart-tip-name" } : {}, line)));
        const right = left > (frame.left + frame.right) / 2, low = top > (frame.top + frame.bottom) / 2;
        this.tip.style.transform = `translate(${left}px, ${top}px) translate(${right ? "calc(-100% - 12px)" : "12px"}, ${low ? "calc(-100% - 8px)" : "8px"})`;
    }

    private forget(): void {
        this.point = null;
        for (const part of [this.dot, this.tip, ...this.cross]) part.hidden = true;
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
