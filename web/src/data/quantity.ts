// SPDX-License-Identifier: BSD-3-Clause
// What can be drawn: quantities of `twirl plot`, defined as there (apps/twirl/plot/curve.c), and the
// columns of the history as they are.

import { isAxial, type LoadedRun, type Series } from "./series.ts";
import { siUnit, type Dimension } from "./unit.ts";

export interface Quantity {
    id: string;
    label: string; // for axes; the symbol, if any, after a no-break space
    choice?: string; // for lists, if it differs
    dimension: Dimension;
    zero: boolean; // the axis includes 0
    values(s: Series): Float64Array; // SI units; NaN where there is none
    text(s: Series, i: number): string; // digits: of the file, where the value is a column
    derived: boolean;
}

type Compute = (s: Series, row: number) => number;

function part(s: Series, name: string): Float64Array {
    return s.run.table.column(name).subarray(s.first, s.first + s.count);
}

function column(id: string, label: string, dimension: Dimension, zero: boolean, name: (s: Series) => string = () => id): Quantity {
    return {
        id, label, dimension, zero, derived: false,
        values: (s) => part(s, name(s)),
        text: (s, i) => s.run.table.text(name(s), s.first + i),
    };
}

function computed(id: string, label: string, dimension: Dimension, zero: boolean, compute: Compute): Quantity {
    return {
        id, label, dimension, zero, derived: true,
        values: (s) => Float64Array.from({ length: s.count }, (_, i) => compute(s, s.first + i)),
        text: (s, i) => String(compute(s, s.first + i)),
    };
}

/** The digits of the file if the value is one of its columns, otherwise those of the computed number. */
function mixed(id: string, label: string, dimension: Dimension, zero: boolean, name: (s: Series) => string | null, compute: Compute): Quantity {
    const other = computed(id, label, dimension, zero, compute);
    return {
        ...other,
        values: (s) => {
            const found = name(s);
            return found ? part(s, found) : other.values(s);
        },
        text: (s, i) => {
            const found = name(s);
            return found ? s.run.table.text(found, s.first + i) : other.text(s, i);
        },
    };
}

const axes = ["x", "y", "z"];
const strainOf = (axis: number) => `strain_${axes[axis]}${axes[axis]}`;
const stressOf = (axis: number) => `stress_${axes[axis]}${axes[axis]}`;
const ratio = (a: number, b: number) => (b > 0 ? a / b : NaN);

function stress(s: Series, row: number, axis: number): number {
    return s.run.table.value(stressOf(axis % 3), row);
}

function lateral(s: Series, row: number): number {
    return 0.5 * (stress(s, row, s.axis + 1) + stress(s, row, s.axis + 2));
}

function q(s: Series, row: number): number {
    if (isAxial(s)) return stress(s, row, s.axis) - lateral(s, row);
    return s.run.table.value("q", row);
}

/** Without an intermediate stress as long as q < 0.02 p: it would be noise. */
function intermediate(s: Series, row: number): number {
    const t = [0, 1, 2].map((axis) => stress(s, row, axis)).sort((a, b) => a - b);
    const [minor, middle, major] = t as [number, number, number];
    return q(s, row) > 0.02 * s.run.table.value("p", row) ? (middle - minor) / (major - minor) : NaN;
}

/** Change since the first row of the stage; optional columns count as 0 where they are absent. */
function since(names: string[], optional: string[] = []): Compute {
    return (s, row) => {
        const { table } = s.run;
        const terms = [...names, ...optional.filter((name) => table.has(name))];
        return terms.reduce((sum, name) => sum + table.value(name, row) - table.value(name, s.first), 0);
    };
}

/** Losses that only some laws have: none if they are 0 to the end. */
function loss(name: string): Compute {
    const change = since([name]);
    return (s, row) => (s.run.table.value(name, s.first + s.count - 1) !== 0 ? change(s, row) : NaN);
}

/** sin phi = (s1 - s3)/(s1 + s3), with principal stresses p + 2/3 q cos of the Lode angle. */
export function mobilisedAngle(s: Series, row: number): number {
    const v = (name: string) => s.run.table.value(name, row);
    const t = [v("stress_xx"), v("stress_yy"), v("stress_zz")] as const;
    const yz = v("stress_yz"), xz = v("stress_xz"), xy = v("stress_xy");
    const p = (t[0] + t[1] + t[2]) / 3;
    const a = t[0] - p, b = t[1] - p, c = t[2] - p;
    const j2 = 0.5 * (a * a + b * b + c * c) + yz * yz + xz * xz + xy * xy;
    const j3 = a * b * c + 2 * yz * xz * xy - a * yz * yz - b * xz * xz - c * xy * xy;
    if (!(j2 > 0)) return j2 === 0 ? 0 : NaN;
    const cosine = (1.5 * Math.sqrt(3) * j3) / (j2 * Math.sqrt(j2));
    const lode = Math.acos(Math.max(-1, Math.min(cosine, 1))) / 3;
    const radius = 2 * Math.sqrt(j2 / 3);
    const s1 = p + radius * Math.cos(lode), s3 = p + radius * Math.cos(lode + (2 * Math.PI) / 3);
    const sine = (s1 - s3) / (s1 + s3);
    return s1 + s3 > 0 && sine <= 1 ? (Math.asin(sine) * 180) / Math.PI : NaN;
}

type Matrix = [number[], number[], number[]];

function stressTensor(s: Series, row: number): Matrix {
    const [xx, yy, zz, yz, xz, xy] = ["xx", "yy", "zz", "yz", "xz", "xy"].map((name) => s.run.table.value(`stress_${name}`, row)) as [number, number, number, number, number, number];
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
}

/** The angle of a rigid rotation, by its increments so far [rad]. */
function turned(s: Series, row: number): number {
    return s.turn ? (s.turn.angle * s.run.table.value("stage_step", row)) / s.turn.increments : NaN;
}

/** A vector of the rotated frame as it was before the rotation by an angle about an axis (Rodrigues). */
function rotateBack(v: number[], axis: readonly number[], angle: number): number[] {
    const c = Math.cos(angle), w = -Math.sin(angle);
    const along = v[0]! * axis[0]! + v[1]! * axis[1]! + v[2]! * axis[2]!;
    return [0, 1, 2].map((k) => {
        const i = (k + 1) % 3, j = (k + 2) % 3;
        return c * v[k]! + w * (axis[i]! * v[j]! - axis[j]! * v[i]!) + (1 - c) * along * axis[k]!;
    });
}

const transpose = (m: number[][]) => [0, 1, 2].map((i) => m.map((line) => line[i]!));

/** |R' s R - s0|/p0: 0 if the stress rotates with the specimen. The first row is the reference, without an error of its own. */
function turnError(s: Series, row: number): number {
    if (!s.turn || row === s.first) return NaN;
    const { axis } = s.turn, angle = turned(s, row), start = stressTensor(s, s.first);
    const half = transpose(stressTensor(s, row).map((line) => rotateBack(line, axis, angle)));
    const back = half.map((line) => rotateBack(line, axis, angle));
    const sum = back.flat().reduce((total, value, k) => total + (value - start.flat()[k]!) ** 2, 0);
    return ratio(Math.sqrt(sum), s.run.table.value("p", s.first));
}

const volumetric: Compute = (s, row) => {
    const { table } = s.run;
    return [0, 1, 2].reduce((sum, axis) => sum + table.value(strainOf(axis), row), 0);
};

/** The count goes back where a specimen that fails does not reach the amplitude: it stays where it was. */
const cycles: Quantity = {
    ...column("cycle", "Number of cycles\u00a0N", "ratio", true),
    values: (s) => {
        let most = NaN;
        return part(s, "cycle").map((value) => (most = most > value ? most : value));
    },
};

export const energies: readonly Quantity[] = [
    computed("work", "work", "energy", true, since(["cell"], ["walls", "gravity"])),
    computed("friction_loss", "friction", "energy", true, since(["friction"])),
    computed("stored", "stored", "energy", true, since(["normal", "tangential"], ["stored_rolling", "stored_twisting"])),
    computed("damping", "damping", "energy", true, since(["contact_damping", "body_damping"])),
    computed("kinetic_energy", "kinetic", "energy", true, since(["kinetic", "rotational"])),
    computed("residual_since", "residual", "energy", true, since(["residual"])),
    computed("micro_slip_loss", "micro-slip", "energy", true, loss("micro_slip")),
    computed("rolling_loss", "rolling", "energy", true, loss("rolling")),
    computed("twisting_loss", "twisting", "energy", true, loss("twisting")),
];

/** The quantities of `twirl plot`. */
export const usual: readonly Quantity[] = [
    column("axial_strain", "Axial strain\u00a0εₐ", "strain", true, (s) => strainOf(s.axis)),
    column("shear_strain", "Shear strain\u00a0γ", "strain", true, () => "strain"),
    computed("major_strain", "Major principal strain\u00a0ε₁", "strain", true, (s, row) =>
        Math.max(...[0, 1, 2].map((axis) => s.run.table.value(strainOf(axis), row)))),
    mixed("stress_ratio", "Stress ratio\u00a0q/p", "ratio", true,
        (s) => (!isAxial(s) && s.run.table.has("stress_ratio") ? "stress_ratio" : null),
        (s, row) => ratio(q(s, row), s.run.table.value("p", row))),
    mixed("q", "Deviator stress\u00a0q", "stress", true, (s) => (isAxial(s) ? null : "q"), q),
    column("p", "Mean stress\u00a0p", "stress", true),
    computed("volumetric_strain", "Volumetric strain\u00a0εᵥ", "strain", true, volumetric),
    column("void_ratio", "Void ratio\u00a0e", "ratio", false),
    computed("mobilised_angle", "Mobilised friction angle\u00a0φ", "angle", true, mobilisedAngle),
    column("ru", "Pore-pressure ratio\u00a0rᵤ", "ratio", true),
    column("shear_stress", "Shear stress\u00a0τ", "stress", true, () => "stress"),
    column("normal_stress", "Normal stress\u00a0σₙ", "stress", true, (s) => stressOf(s.normal)),
    computed("shear_ratio", "Stress ratio\u00a0τ/σₙ", "ratio", true, (s, row) =>
        ratio(s.run.table.value("stress", row), stress(s, row, s.normal))),
    column("axial_stress", "Axial stress\u00a0σₐ", "stress", true, (s) => stressOf(s.axis)),
    computed("k0", "Lateral stress ratio\u00a0K₀", "ratio", true, (s, row) => ratio(lateral(s, row), stress(s, row, s.axis))),
    computed("pi_x", "Stress over p across the axis, in the deviatoric plane", "ratio", true, (s, row) =>
        ratio((stress(s, row, s.axis + 1) - stress(s, row, s.axis + 2)) / Math.sqrt(2), s.run.table.value("p", row))),
    computed("pi_y", "Stress over p along the axis, in the deviatoric plane", "ratio", true, (s, row) =>
        ratio((2 * stress(s, row, s.axis) - stress(s, row, s.axis + 1) - stress(s, row, s.axis + 2)) / Math.sqrt(6), s.run.table.value("p", row))),
    computed("b", "Intermediate stress ratio\u00a0b", "ratio", true, intermediate),
    column("coordination", "Coordination number\u00a0Z", "ratio", false),
    column("sliding_fraction", "Fraction of sliding contacts", "ratio", true),
    column("fabric_deviator", "Fabric deviator\u00a0F_q", "ratio", true),
    column("unbalanced", "Unbalanced force ratio", "ratio", false),
    cycles,
    computed("angle", "Rotation", "angle", true, (s, row) => (turned(s, row) * 180) / Math.PI),
    computed("turn_error", "Error of the rotated stress, |Δσ|/p", "ratio", false, turnError),
    computed("stage_time", "Time\u00a0t since the stage began", "time", false, since(["time"])),
    ...energies,
];

const dimensions: [RegExp, Dimension][] = [
    [/^strain/, "strain"],
    [/^(stress_ratio|stored_ratio)$/, "ratio"],
    [/^(stress|p$|q$|q_signed$)/, "stress"],
    [/^time$/, "time"],
    [/^volume$/, "volume"],
    [/^(kinetic|rotational|normal|tangential|friction|contact_damping|body_damping|cell|walls|gravity|start|residual|stored_\w+|micro_slip|rolling|twisting)$/, "energy"],
];

/** Columns of the histories, other than texts and checks. */
export function columns(runs: LoadedRun[]): Quantity[] {
    const names = new Set(runs.flatMap((run) => run.table.names));
    names.delete("stage");
    names.delete("check");
    return [...names].map((name) => {
        const dimension = dimensions.find(([pattern]) => pattern.test(name))?.[1] ?? "ratio";
        const text = runs[0]?.texts.get(name) ?? "";
        const quantity = column(name, text === "" ? name : `${text} (${name})`, dimension, false);
        return { ...quantity, id: `column:${name}`, choice: text === "" ? name : `${name}: ${text}` };
    });
}

/** Whether any row of any series has a number. */
export function isPresent(quantity: Quantity, series: Series[]): boolean {
    return series.some((s) => quantity.values(s).some((value) => Number.isFinite(value)));
}

/** A value with the digits of `text` and the SI unit. */
export function spell(quantity: Quantity, s: Series, i: number): string {
    const unit = siUnit(quantity.dimension);
    return quantity.text(s, i) + (unit === "" || unit === "°" ? unit : `\u00a0${unit}`);
}
