// SPDX-License-Identifier: BSD-3-Clause
// Light or dark: as the system wishes, or as the reader chose.

type Theme = "light" | "dark";

const listeners: (() => void)[] = [];
const system = matchMedia("(prefers-color-scheme: dark)");
let chosen: Theme | null = null;

export function isDark(): boolean {
    return chosen ? chosen === "dark" : system.matches;
}

/** Canvases do not follow style sheets: who draws one is told. */
export function onTheme(listener: () => void): void {
    listeners.push(listener);
}

function tell(): void {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    for (const listener of listeners) listener();
}

export function switchTheme(): void {
    chosen = isDark() ? "light" : "dark";
    tell();
}

export function startTheme(): void {
    system.addEventListener("change", tell);
    tell();
}
