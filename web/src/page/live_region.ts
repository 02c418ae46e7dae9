// SPDX-License-Identifier: BSD-3-Clause
// One place for what screen readers are to say.

import { el } from "./dom.ts";

const region = el("div", { class: "only-read", role: "status", "aria-live": "polite", id: "said" });

export function liveRegion(): HTMLElement {
    return region;
}

export function say(text: string): void {
    region.textContent = text;
}
