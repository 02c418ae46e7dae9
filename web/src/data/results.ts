// SPDX-License-Identifier: BSD-3-Clause
// Key numbers of a run: the results of the program (docs/guide/sweep.md) in words.

import { wholeTest, valuesOf, type LoadedRun, type Part, type Series } from "./series.ts";
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

function strength(s: Series): Result[] {
    const r = s.of.results ?? {}, number = (name: string) => r[name] ?? NaN;
    if (r.peak_ratio === undefined) return [];
    const at = `at ${isShear(s) ? "shear" : "axial"} strain ${withUnit(number("peak_strain"), "strain", 3)}`;
    const end = r.ratio_end === undefined ? "" : `; ${short(r.ratio_end, 3)} ${latest(s)}`;
    const later = r.steady === 1
        ? `${withUnit(number("critical_angle"), "angle", 3)} at the critical state`
        : `${withUnit(number("angle_end"), "angle", 3)} ${latest(s)}`;
    return [
        { name: `Peak ${isShear(s) ? "τ/σₙ" : "q/p"}`, value: short(r.peak_ratio, 3), detail: at + end },
        { name: "Friction angle", value: withUnit(number("peak_angle"), "angle", 3), detail: `mobilised at the peak; ${later}` },
    ];
}

function pore(s: Series): Result[] {
    const r = s.of.results ?? {};
    if (r.ru_max === undefined || !isClosed(s)) return [];
    const cycles = r.liquefaction_cycles;
    return [{ name: "Largest rᵤ", value: short(r.ru_max, 3), detail: cycles === undefined ? "pore-pressure ratio" : `0.95 after ${short(cycles, 3)} cycles` }];
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

/** Largest residual over the energy that the stage is about; the program has the limit above which the time step is too large. */
export function balance(s: Series): Result[] {
    const error = s.stage?.energy_error ?? NaN;
    if (!Number.isFinite(error)) return [];
    const limit = s.run.figures.energy_limit ?? Infinity, caution = error > limit, share = `${short(100 * limit, 2)} %`;
    return [{
        name: "Energy balance error",
        value: `${short(100 * error, 2)}\u00a0%`,
        detail: `of the energy put in or stored; ${caution ? `above ${share}: the time step is too large` : `below ${share} is good`}`,
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
    const whole = wholeTest(s);
    return [...strength(whole), ...rotation(s), ...pore(whole), ...voidRatio(whole), ...sliding(s), ...balance(s)];
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
