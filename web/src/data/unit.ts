// SPDX-License-Identifier: BSD-3-Clause
// Numbers for reading, in the units of the program.

import type { Figures } from "./contract.ts";

export interface Unit {
    size: number; // in SI units
    name: string;
}

let dimensions: Figures["dimensions"] = [];

/** Those of a document, for all that follows: every document of a program has the same. */
export function setDimensions(list: Figures["dimensions"]): void {
    dimensions = list;
}

const dimensionOf = (name: string) => dimensions.find((one) => one.name === name);

export function siUnit(dimension: string): string {
    return dimensionOf(dimension)?.si ?? "";
}

/** The unit in which an axis shows numbers of this magnitude. */
export function unitFor(dimension: string, largest: number): Unit {
    const units = dimensionOf(dimension)?.units ?? [];
    const found = units.find((unit) => largest >= unit.from * (1 - 1e-12)) ?? units.at(-1);
    return found ? { size: found.size, name: plain(found.name) } : { size: 1, name: "" };
}

const minus = (text: string) => text.replace("-", "−");

/** A number for reading: a few digits, no exponent where it can be avoided. */
export function short(value: number, digits = 4): string {
    if (!Number.isFinite(value)) return "–";
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e6 || size < 1e-4) {
        const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
        return minus(`${Number(mantissa)}·10`) + superscript(String(Number(exponent)));
    }
    return minus(String(Number(value.toPrecision(digits))));
}

export function joinUnit(number: string, unit: string): string {
    return number + (unit === "" || unit === "°" ? unit : `\u00a0${unit}`);
}

/** Strains in texts are in per cent, whatever their size. */
export function withUnit(value: number, dimension: string, digits = 4): string {
    const unit = dimension === "strain" ? { size: 0.01, name: "%" } : unitFor(dimension, Math.abs(value));
    return joinUnit(short(value / unit.size, digits), unit.name);
}

const below: Record<string, string> = { a: "ₐ", n: "ₙ", u: "ᵤ", v: "ᵥ", 0: "₀", 1: "₁", 2: "₂", 3: "₃" };

function superscript(text: string): string {
    return text.replace(/[-−]/, "⁻").replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]!);
}

/** The markup of descriptions as plain text: {q} in italics, _a below, ^{3} above the line. */
export function plain(text: string): string {
    return text.replace(/\^\{([^}]*)\}/g, (_, raised: string) => superscript(raised))
        .replace(/\{([^}]*)\}/g, "$1").replace(/_(.)/g, (_, letter: string) => below[letter] ?? letter);
}
