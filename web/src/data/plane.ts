// SPDX-License-Identifier: BSD-3-Clause
// Strength in the deviatoric plane, as `twirl plot` has it (apps/twirl/plot/plot_plane.c): the surface of
// Lade and Duncan, I1^3/I3 = constant, at the mean of the peaks.

/** Distance from the centre of the plane over q/p. */
export const root = Math.sqrt(2 / 3);

export interface Peak {
    row: number; // in the history
    x: number;
    y: number;
    ratio: number; // q/p; 0 if there is no peak
}

export function peakOf(first: number, x: ArrayLike<number>, y: ArrayLike<number>, ratio: ArrayLike<number>): Peak {
    let peak: Peak = { row: first, x: 0, y: 0, ratio: 0 };
    for (let i = 0; i < ratio.length; i++)
        if (ratio[i]! > peak.ratio) peak = { row: first + i, x: x[i]!, y: y[i]!, ratio: ratio[i]! };
    return peak;
}

/** I3/p^3 = 1 - eta^2/3 + 2/27 eta^3 cos(3 angle), with eta = q/p. */
function thirdInvariant(ratio: number, angle: number): number {
    return 1 - (ratio * ratio) / 3 + (2 / 27) * ratio * ratio * ratio * Math.cos(3 * angle);
}

/** q/p at which I1^3/I3 has the value: below the ratio at which a principal stress is zero. */
export function ratioAt(value: number, angle: number): number {
    let low = 0, high = 1.5;
    while (thirdInvariant(high, angle) > 27 / value && high < 3) high += 0.05;
    for (let k = 0; k < 60; k++) {
        const middle = 0.5 * (low + high);
        if (thirdInvariant(middle, angle) > 27 / value) low = middle;
        else high = middle;
    }
    return low;
}

/** Mean of I1^3/I3 over the peaks; NaN if there are fewer than two, or a path has none. */
export function meanStrength(peaks: Peak[]): number {
    if (peaks.length < 2 || peaks.some((peak) => !(peak.ratio > 0))) return NaN;
    const mean = peaks.reduce((sum, peak) => sum + 27 / thirdInvariant(peak.ratio, Math.atan2(peak.x, peak.y)), 0) / peaks.length;
    return mean > 27 ? mean : NaN;
}
