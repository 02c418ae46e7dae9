// SPDX-License-Identifier: BSD-3-Clause
// Units of numbers in texts.

export type Dimension = "strain" | "stress" | "energy" | "time" | "angle" | "ratio" | "length" | "force" | "speed" | "volume" | "none";

export interface Unit {
    size: number; // in SI units
    name: string;
}

const lists: Partial<Record<Dimension, { units: Unit[]; least: number }>> = {
    stress: {
        units: [{ size: 1e9, name: "GPa" }, { size: 1e6, name: "MPa" }, { size: 1e3, name: "kPa" }, { size: 1, name: "Pa" }],
        least: 3,
    },
    energy: {
        units: [{ size: 1e3, name: "kJ" }, { size: 1, name: "J" }, { size: 1e-3, name: "mJ" }, { size: 1e-6, name: "µJ" }, { size: 1e-9, name: "nJ" }],
        least: 1,
    },
    time: { units: [{ size: 1, name: "s" }, { size: 1e-3, name: "ms" }, { size: 1e-6, name: "µs" }], least: 1 },
    length: { units: [{ size: 1, name: "m" }, { size: 1e-3, name: "mm" }, { size: 1e-6, name: "µm" }], least: 0.5 },
    force: { units: [{ size: 1e3, name: "kN" }, { size: 1, name: "N" }, { size: 1e-3, name: "mN" }, { size: 1e-6, name: "µN" }], least: 0.1 },
    speed: { units: [{ size: 1, name: "m/s" }, { size: 1e-3, name: "mm/s" }, { size: 1e-6, name: "µm/s" }, { size: 1e-9, name: "nm/s" }], least: 0.5 },
    volume: { units: [{ size: 1, name: "m³" }, { size: 1e-6, name: "cm³" }, { size: 1e-9, name: "mm³" }], least: 0.5 },
};

/** The unit in which the largest number has digits before the point. */
export function unitFor(dimension: Dimension, largest: number): Unit {
    if (dimension === "angle") return { size: 1, name: "°" };
    if (dimension === "strain") return { size: 0.01, name: "%" };
    const list = lists[dimension];
    if (!list) return { size: 1, name: "" };
    const found = list.units.find((unit) => largest >= list.least * unit.size * (1 - 1e-12));
    return found ?? list.units[list.units.length - 1]!;
}

const minus = (text: string) => text.replace("-", "−");

/** A number for reading: a few digits, no exponent where it can be avoided. */
export function short(value: number, digits = 4): string {
    if (!Number.isFinite(value)) return "–";
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e6 || size < 1e-4) {
        const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
        return minus(`${Number(mantissa)}·10`) + superscript(Number(exponent));
    }
    return minus(String(Number(value.toPrecision(digits))));
}

export function superscript(exponent: number): string {
    return String(exponent).replace("-", "⁻").replace(/\d/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(d)]!);
}

export function withUnit(value: number, dimension: Dimension, digits = 4): string {
    const unit = unitFor(dimension, Math.abs(value));
    const gap = unit.name === "" || unit.name === "°" ? "" : "\u00a0";
    return short(value / unit.size, digits) + gap + unit.name;
}
