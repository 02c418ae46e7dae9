// SPDX-License-Identifier: BSD-3-Clause
// The scenario and the log, as texts.

import type { LoadedRun } from "../data/series.ts";
import { button, el, fileName, save, section } from "./dom.ts";

function text(title: string, content: string, name: string): HTMLElement {
    return el("details", { class: "card text" }, el("summary", {}, title),
        el("div", { class: "tools" }, button("Save", () => save(content, name, "text/plain"), { "aria-label": `Save ${title}` })),
        el("pre", { tabindex: 0 }, content));
}

export function textsSection(runs: LoadedRun[]): HTMLElement {
    const parts = runs.flatMap(({ run }) => {
        const before = runs.length > 1 ? `${run.name}: ` : "";
        return [
            run.scenario ? text(`${before}scenario.yaml, with every default`, run.scenario, fileName(`${run.name}_scenario`, "yaml")) : null,
            run.log ? text(`${before}run.log`, run.log, fileName(run.name, "log")) : null,
            text(`${before}history.csv`, run.history, fileName(`${run.name}_history`, "csv")),
        ];
    });
    return section("files", "Files", null, ...parts);
}
