// SPDX-License-Identifier: BSD-3-Clause
// Key numbers of a run, from its history, as `twirl info` has them (docs/guide/sweep.md): q is
// sqrt(3 J2), the column of that name.

import { valuesOf, type LoadedRun, type Part, type Series } from "./series.ts";
import { Table } from "./table.ts";
import { short, withUnit } from "./unit.ts";

export interface Result {
    name: string;
    value: string;
    detail: string;
    caution?: boolean; // outside of what docs/guide/output.md calls acceptable
}

const values = (id: string, s: Series) => valuesOf(s, id);
const isShear = (s: Series) => s.of.abscissa === "shear_strain" || s.of.kind.startsWith("cyclic_shear");
/** When the last row is: a stage that goes on has not ended. */
const latest = (s: Series) => (s.stage?.state === "current" && s.run.run.state === "running" ? "so far" : "at the end");
const isClosed = (s: Series) => s.of.kind.endsWith("undrained");

/** The row of the largest magnitude; -1: there is none. */
function extreme(list: Float64Array): number {
    let best = -1;
    list.forEach((value, i) => {
        if (Number.isFinite(value) && (best < 0 || Math.abs(value) > Math.abs(list[best]!))) best = i;
    });
    return best;
}

/** Stress ratios are noise while the specimen carries less than a hundredth of p at the start. */
function ratiosOf(s: Series): Float64Array {
    const ratios = values(isShear(s) ? "shear_ratio" : "column:stress_ratio", s), p = values("p", s);
    return ratios.map((ratio, i) => (p[i]! >= 0.01 * p[0]! ? ratio : NaN));
}

function strainText(s: Series, i: number): string {
    return `at ${isShear(s) ? "shear" : "axial"} strain ${withUnit(values(isShear(s) ? "shear_strain" : "axial_strain", s)[i]!, "strain", 3)}`;
}

function strength(s: Series): Result[] {
    const ratios = ratiosOf(s), peak = extreme(ratios), last = s.count - 1;
    if (peak < 0) return [];
    const known = s.stage?.response; // of a stage that has ended
    const symbol = isShear(s) ? "τ/σₙ" : "q/p";
    const end = Number.isFinite(ratios[last]!) ? `; ${short(ratios[last]!, 3)} ${latest(s)}` : "";
    const angle = known?.peak_angle ?? values("friction_angle", s)[peak]!;
    const later = known?.steady === 1 && known.critical_angle !== undefined
        ? `${withUnit(known.critical_angle, "angle", 3)} at the critical state`
        : `${withUnit(values("friction_angle", s)[last]!, "angle", 3)} ${latest(s)}`;
    return [
        { name: `Peak ${symbol}`, value: short(known?.peak_ratio ?? ratios[peak]!, 3), detail: strainText(s, peak) + end },
        { name: "Friction angle", value: withUnit(angle, "angle", 3), detail: `mobilised at the peak; ${later}` },
    ];
}

function pore(s: Series): Result[] {
    const ru = values("ru", s), most = extreme(ru);
    if (most < 0 || !isClosed(s)) return [];
    const cycle = values("cycle", s)[most]!;
    const detail = Number.isFinite(cycle) ? `after ${short(cycle, 3)} cycles` : strainText(s, most);
    return [{ name: "Largest rᵤ", value: short(ru[most]!, 3), detail }];
}

function rotation(s: Series): Result[] {
    const error = values("turn_error", s)[s.count - 1]!;
    if (!Number.isFinite(error)) return [];
    const angle = withUnit(values("angle", s)[s.count - 1]!, "angle", 3);
    return [{ name: "Error of the rotated stress", value: short(error, 2), detail: `|Δσ|/p after a rotation by ${angle}` }];
}

function voidRatio(s: Series): Result[] {
    const e = values("void_ratio", s), last = s.count - 1;
    if (!Number.isFinite(e[last]!)) return [];
    const volume = values("volumetric_strain", s)[last]!;
    const change = isClosed(s) ? "constant volume" : `from ${short(e[0]!, 4)}; volumetric strain ${withUnit(volume, "strain", 2)}`;
    return [{ name: "Void ratio", value: short(e[last]!, 4), detail: change }];
}

function sliding(s: Series): Result[] {
    const fraction = values("sliding_fraction", s), z = values("coordination", s)[s.count - 1]!;
    const last = fraction[s.count - 1]!;
    if (!Number.isFinite(last)) return [];
    return [{ name: "Sliding contacts", value: `${short(100 * last, 2)}\u00a0%`, detail: `${latest(s)}; coordination number ${short(z, 3)}` }];
}

/** Largest residual over the energy that the stage is about, as for the warnings of the program; above 0.1 % the time step is too large
 *  (docs/guide/output.md). */
export function balance(s: Series): Result[] {
    const error = s.stage?.energy_error ?? NaN;
    if (!Number.isFinite(error)) return [];
    const caution = error > 1e-3;
    return [{
        name: "Energy balance error",
        value: `${short(100 * error, 2)}\u00a0%`,
        detail: caution ? "of the energy put in or stored; above 0.1 %: the time step is too large" : "of the energy put in or stored; below 0.1 % is good",
        caution,
    }];
}

/** Steps of a stage. The preparation has phases that count their own. */
export function stepsOf({ parts, table }: LoadedRun, part: Part): number {
    const before = parts[parts.indexOf(part) - 1];
    const start = before ? table.value("step", before.first + before.count - 1) : 0;
    return table.value("step", part.first + part.count - 1) - start;
}

export function resultsOf(s: Series): Result[] {
    const shears = s.of.loading && s.of.kind !== "oedometer" && s.of.kind !== "rotate";
    return [...(shears ? strength(s) : []), ...rotation(s), ...pore(s), ...voidRatio(s), ...sliding(s), ...balance(s)];
}

/** The plastic modulus of the first circle that was fitted to probes. */
export function probeResults(run: LoadedRun): Result[] {
    for (const stage of run.run.stages) {
        if (!stage.fits) continue;
        const fits = new Table(stage.fits), row = Array.from({ length: fits.count }, (_, i) => i).find((i) => fits.text("circle", i) === "loading");
        if (row === undefined) continue;
        const detail = `${stage.name}: flow ${withUnit(fits.value("flow_angle", row), "angle", 3)}, yield ${withUnit(fits.value("direction_angle", row), "angle", 3)}`;
        return [{ name: "Plastic modulus", value: withUnit(fits.value("plastic_modulus", row), "stress", 3), detail }];
    }
    return [];
}
