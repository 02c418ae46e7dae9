// SPDX-License-Identifier: BSD-3-Clause
// Stress paths in the deviatoric plane: what is drawn around them. Circles of equal q/p, the three axes,
// peaks, and the strength through their mean.

import { meanStrength, peakOf, ratioAt, root, type Peak } from "../data/plane.ts";
import type { Quantity } from "../data/quantity.ts";
import type { Series } from "../data/series.ts";
import type { ChartSpec, Curve, Note } from "./curve.ts";

const third = (2 * Math.PI) / 3;
const names = ["x", "y", "z"];

function guide(label: string, xs: number[], ys: number[], more: Partial<Curve> = {}): Curve {
    return { label, number: 0, guide: true, silent: true, xs: Float64Array.from(xs), ys: Float64Array.from(ys), say: () => [label], textX: (i) => String(xs[i]), textY: (i) => String(ys[i]), ...more };
}

function round(radius: (angle: number) => number, parts: number): { xs: number[]; ys: number[] } {
    const angles = Array.from({ length: parts + 1 }, (_, k) => (2 * Math.PI * k) / parts);
    return { xs: angles.map((angle) => radius(angle) * Math.sin(angle)), ys: angles.map((angle) => radius(angle) * Math.cos(angle)) };
}

/** `reach`: length of an axis. */
function surroundings(axis: number, reach: number): { curves: Curve[]; notes: Note[] } {
    const curves: Curve[] = [], notes: Note[] = [];
    const step = reach > 1 ? 0.5 : reach > 0.4 ? 0.25 : 0.1;
    for (let k = 1; k * step * root < 0.93 * reach; k++) {
        const radius = k * step * root, { xs, ys } = round(() => radius, 90);
        curves.push(guide("", xs, ys, { width: 0.4 }));
        notes.push({ x: -radius * Math.sin(0.5 * third), y: radius * Math.cos(0.5 * third) + 0.035 * reach, text: `q/p = ${Number((k * step).toFixed(2))}` });
    }
    for (let k = 0; k < 3; k++) {
        const x = Math.sin(k * third), y = Math.cos(k * third), name = names[(axis + k) % 3]!;
        curves.push(guide("", [0, reach * x], [0, reach * y], { width: 0.6 }));
        notes.push({ x: 1.09 * reach * x, y: 1.09 * reach * y, text: `σ${name}${name}/p` });
    }
    return { curves, notes };
}

function peakMarks(peaks: Peak[], series: Series[], labels: string[]): Curve {
    return {
        label: "peaks", number: 5, marks: true, xs: Float64Array.from(peaks, (peak) => peak.x), ys: Float64Array.from(peaks, (peak) => peak.y),
        say: (i) => [`peak of ${labels[i]}`, `q/p: ${peaks[i]!.ratio}`, `step ${series[i]!.run.table.text("step", peaks[i]!.row)}`],
        textX: (i) => String(peaks[i]!.x), textY: (i) => String(peaks[i]!.y),
    };
}

/** `paths` are the curves of `series`, drawn over `x` and `y` in the plane. Peaks and strength are those of true triaxial stages. */
export function planeSpec(paths: ChartSpec, series: Series[], x: Quantity, y: Quantity, ratio: Quantity): ChartSpec {
    const members = series.map((s, i) => ({ s, label: paths.curves[i]!.label })).filter(({ s }) => s.path === "true_triaxial" && s.count > 1);
    const peaks = members.map(({ s }) => peakOf(s.first, x.values(s), y.values(s), ratio.values(s)));
    const strength = meanStrength(peaks);
    const most = (list: Float64Array) => list.reduce((largest, value) => (Math.abs(value) > largest ? Math.abs(value) : largest), 0);
    const reach = 1.2 * Math.max(Number.isFinite(strength) ? root * ratioAt(strength, 0) : 0, ...peaks.map((peak) => root * peak.ratio), members.length > 0 ? 0 : Math.max(...paths.curves.map((curve) => Math.max(most(curve.xs), most(curve.ys)))), 1e-3);
    const axis = (members[0]?.s ?? series[0]!).axis, { curves, notes } = surroundings(axis, reach);
    const one = (k: number) => `σ${names[(axis + k) % 3]!.repeat(2)}`;
    if (Number.isFinite(strength)) {
        const { xs, ys } = round((angle) => root * ratioAt(strength, angle), 180);
        curves.push(guide(`I₁³/I₃ = ${strength.toFixed(1)}`, xs, ys, { dashed: true }));
    }
    return {
        ...paths, equal: true, notes,
        x: { ...paths.x, label: `(${one(1)} − ${one(2)})/(√2 p)` },
        y: { ...paths.y, label: `(2${one(0)} − ${one(1)} − ${one(2)})/(√6 p)` },
        curves: [...curves, ...paths.curves, ...(peaks.length > 0 ? [peakMarks(peaks, members.map(({ s }) => s), members.map(({ label }) => label))] : [])],
    };
}
