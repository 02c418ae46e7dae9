// SPDX-License-Identifier: BSD-3-Clause
// Ticks of any part of an axis, and ranges of axes that the reader has chosen.

import { plain as markup } from "./unit.ts";

export type Range = [number, number];

const log10 = (value: number) => Math.log(value) / Math.LN10;
const decadeOf = (value: number) => Math.floor(log10(value) + 1e-9);
const tenTo = (exponent: number) => Number(`1e${exponent}`);

/** About five intervals of 1, 2 or 5 times a power of ten. */
export function stepFor(low: number, high: number, intervals = 5): { step: number; decimals: number } {
    const raw = (high - low) / intervals;
    const decade = decadeOf(raw), power = tenTo(decade), first = raw / power;
    const digit = first < 1.5 ? 1 : first < 3.5 ? 2 : first < 7.5 ? 5 : 10;
    return { step: digit * power, decimals: Math.max(0, digit === 10 ? -decade - 1 : -decade) };
}

/** The range of an axis that shows data between low and high, with a little room; logarithmic only if all of it is positive. */
export function chooseRange(low: number, high: number, zero: boolean, log: boolean): Range {
    if (!(low <= high)) return log ? [0.1, 1] : [0, 1];
    if (log && low > 0) {
        const room = high > low ? (high / low) ** 0.04 : 2;
        return [low / room, high * room];
    }
    if (zero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
    const wide = Math.max(Math.abs(low), Math.abs(high));
    const room = high - low > 1e-9 * wide ? 0.04 * (high - low) : wide > 0 ? 0.1 * wide : 1;
    return [low === 0 && zero ? 0 : low - room, high === 0 && zero && low < 0 ? 0 : high + room];
}

export interface Tick {
    value: number;
    text: string;
}

function logTicks([low, high]: Range): Tick[] {
    const ticks: Tick[] = [];
    const decades = decadeOf(high) - decadeOf(low);
    const digits = high / low > 2e3 ? [1] : high / low > 3 ? [1, 2, 5] : [1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9];
    const every = Math.floor(decades / 7) + 1;
    for (let decade = decadeOf(low); decade <= decadeOf(high); decade++) {
        for (const digit of digits) {
            const value = digit * tenTo(decade);
            if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
            const named = digits.length > 1 || decade % every === 0;
            ticks.push({ value, text: !named ? "" : digits.length === 1 ? markup(`10^{${decade}}`) : plain(value) });
        }
    }
    return ticks;
}

function plain(value: number): string {
    return value >= 1e-4 && value < 1e6 ? String(Number(value.toPrecision(6))) : Number(value.toPrecision(6)).toExponential();
}

/** Ticks within the range, which may be any part of the axis. */
export function ticksFor(range: Range, log: boolean, intervals = 5): Tick[] {
    if (log) return logTicks(range);
    const { step, decimals } = stepFor(range[0], range[1], intervals);
    const ticks: Tick[] = [];
    const first = Math.ceil(range[0] / step - 1e-9), last = Math.floor(range[1] / step + 1e-9);
    for (let k = first; k <= last; k++) {
        const value = k === 0 ? 0 : k * step;
        ticks.push({ value, text: value.toFixed(Math.min(decimals, 20)).replace("-", "−") });
    }
    return ticks;
}
