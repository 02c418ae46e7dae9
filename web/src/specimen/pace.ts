// SPDX-License-Identifier: BSD-3-Clause
// How fine the picture is while it moves: as fine as the graphics card draws at 30 frames per second.

const longest = 33; // milliseconds for a frame
const steps = [1, 0.75, 0.5, 0.35, 0.25]; // of the resolution along each edge of the picture

export class Pace {
    private step = 0;

    get share(): number {
        return steps[this.step]!;
    }

    /** A frame was drawn at a share of the resolution and took that long. The time goes with the number of pixels, at most. */
    took(milliseconds: number, share: number): void {
        const at = (other: number) => milliseconds * (other / share) ** 2;
        if (milliseconds > longest && share <= this.share) {
            const enough = steps.findIndex((other) => other < share && at(other) <= longest);
            this.step = enough < 0 ? steps.length - 1 : enough;
        } else if (share === this.share && this.step > 0 && at(steps[this.step - 1]!) < 0.7 * longest) this.step--;
    }
}
