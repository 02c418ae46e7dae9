// SPDX-License-Identifier: BSD-3-Clause
// Colours of values, as in `twirl render` (apps/twirl/render/render_quantity.c).

export type Rgb = [number, number, number]; // 0 to 255

// viridis: S. van der Walt and N. Smith, CC0. Lightness alone orders both maps.
const stops = {
    viridis: [0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21908c, 0x27ad81, 0x5dc863, 0xaadc32, 0xfde725],
    reds: [0xf7dcb4, 0xf5cc94, 0xf5b573, 0xf59e52, 0xe6612e, 0xd24529, 0xbd2924, 0x9e1924, 0x800a24],
};

export type MapName = keyof typeof stops;

const rgb = (code: number): Rgb => [(code >> 16) & 255, (code >> 8) & 255, code & 255];

export function colourAt(map: MapName, share: number): Rgb {
    const list = stops[map];
    const place = Math.min(Math.max(share, 0), 1) * (list.length - 1);
    const k = Math.min(Math.floor(place), list.length - 2), s = place - k;
    const a = rgb(list[k]!), b = rgb(list[k + 1]!);
    return [a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2])];
}

/** Okabe and Ito: vermilion slides, blue sticks. */
export const sticking: Rgb = [0x00, 0x72, 0xb2], sliding: Rgb = [0xd5, 0x5e, 0x00];
export const certified = sliding; // a certificate is of contacts that slide
export const chosenColour: Rgb = [0xe6, 0x1a, 0x8d];

function percentile(sorted: Float64Array, percent: number): number {
    const place = (percent / 100) * (sorted.length - 1), k = Math.min(Math.floor(place), sorted.length - 1);
    const next = sorted[Math.min(k + 1, sorted.length - 1)]!;
    return sorted[k]! + (place - k) * (next - sorted[k]!);
}

/** From the 1st to the 99th percentile, so that a few extreme values do not leave the rest in one colour. */
export function rangeOf(values: ArrayLike<number>, zero: boolean): [number, number] {
    const sorted = Float64Array.from(Array.from(values).filter(Number.isFinite)).sort();
    if (sorted.length === 0) return [0, 1];
    let low = zero ? 0 : percentile(sorted, 1), high = percentile(sorted, 99);
    if (!(high - low > 1e-6 * Math.abs(high))) [low, high] = [zero ? 0 : sorted[0]!, sorted[sorted.length - 1]!];
    return high > low ? [low, high] : [low - (Math.abs(low) || 1) * 0.1, low + (Math.abs(low) || 1) * 0.1];
}
