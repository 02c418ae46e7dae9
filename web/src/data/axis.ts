// SPDX-License-Identifier: BSD-3-Clause
// Ranges and ticks, chosen as by `twirl plot` (apps/twirl/plot/axis.c).

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

/** To the next tick if it is near, or a little beyond the data. */
function roundEnd(end: number, step: number, span: number, sign: number): number {
    const next = sign > 0 ? Math.ceil(end / step - 1e-9) * step : Math.floor(end / step + 1e-9) * step;
    return Math.abs(next - end) < 0.45 * step ? next : end + sign * 0.04 * span;
}

function linearRange(low: number, high: number, zero: boolean): Range {
    const wide = Math.max(Math.abs(low), Math.abs(high));
    if (zero) {
        low = Math.min(low, 0);
        high = Math.max(high, 0);
        const little = 0.01 * (high - low);
        if (low > -little) low = 0;
        if (high < little) high = 0;
    }
    if (!(high - low > 1e-9 * wide)) {
        const half = wide > 0 ? 0.1 * wide : 1;
        low -= half;
        high += half;
    }
    const { step } = stepFor(low, high), span = high - low;
    if (low !== 0) low = roundEnd(low, step, span, -1);
    if (high !== 0) high = roundEnd(high, step, span, 1);
    return [low, high];
}

function roundLog(value: number, sign: number): number {
    const power = tenTo(decadeOf(value)), first = value / power;
    if (sign > 0) return power * ([1, 2, 5, 10].find((digit) => first <= digit * (1 + 1e-3)) ?? first);
    return power * ([5, 2, 1].find((digit) => first >= digit * (1 - 1e-3)) ?? first);
}

function logRange(low: number, high: number): Range {
    low = roundLog(low, -1);
    high = roundLog(high, 1);
    if (high > 2e3 * low) return [tenTo(decadeOf(low)), tenTo(decadeOf(high * 0.999) + 1)];
    return high > low ? [low, high] : [low, 10 * low];
}

/** The range for data between low and high; logarithmic only if all of it is positive. */
export function chooseRange(low: number, high: number, zero: boolean, log: boolean): Range {
    if (!(low <= high)) return log ? [0.1, 1] : [0, 1];
    return log && low > 0 ? logRange(low, high) : linearRange(low, high, zero);
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
            ticks.push({ value, text: !named ? "" : digits.length === 1 ? `1e${decade}` : plain(value) });
        }
    }
    return ticks;
}

function plain(value: number): string {
    return value >= 1e-4 && value < 1e6 ? String(Number(value.toPrecision(6))) : value.toExponential();
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
