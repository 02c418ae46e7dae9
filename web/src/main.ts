// SPDX-License-Identifier: BSD-3-Clause
// Starts the page: with the data in it, or with those of a running `twirl watch`.

import { readReport } from "./data/contract.ts";
import { unpack } from "./data/unpack.ts";
import { startLive } from "./live.ts";
import { el } from "./page/dom.ts";
import { Page } from "./page/page.ts";
import { startTheme } from "./page/theme.ts";
import "./style.css";

function host(): HTMLElement {
    return document.getElementById("page")!;
}

function fail(text: string): void {
    host().replaceChildren(el("main", { class: "message" }, el("h1", {}, "twirl"), el("p", { role: "alert" }, text)));
}

async function start(): Promise<void> {
    startTheme();
    const data = document.getElementById("twirl-data"), live = document.getElementById("twirl-live");
    if (data) {
        const report = readReport(await unpack(data.textContent ?? ""));
        data.remove();
        if (report.runs.length === 0) throw new Error("there are no runs");
        new Page(host(), report);
    } else if (live) startLive(host(), live.textContent ?? "");
    else fail("This page has no data. `twirl report RUN` writes one that has.");
}

start().catch((error: unknown) => {
    fail(`The data of this page cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    throw error;
});
