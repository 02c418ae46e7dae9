// SPDX-License-Identifier: BSD-3-Clause
// The page of `twirl watch`: asks for new rows every few seconds (web/DATA.md, Live).

import { readReport, type Figures, type Report, type Run, type Snapshot } from "./data/contract.ts";
import { joinFigures, joinRun, rowCount } from "./data/table.ts";
import { el } from "./page/dom.ts";
import { Page } from "./page/page.ts";

const maxFailures = 3; // answers that may fail to come before the server counts as gone

class Live {
    private readonly status = el("span", { class: "live", role: "status" }, "connecting …");
    private page: Page | null = null;
    private run: Run | null = null;
    private figures: Figures | null = null;
    private shown = "";
    private failures = 0;

    constructor(private readonly host: HTMLElement, private readonly interval: number) {
        this.wait("Waiting for the first rows of the run …");
        void this.poll();
    }

    private wait(text: string): void {
        this.host.replaceChildren(el("main", { class: "message" }, el("h1", {}, "twirl watch"), el("p", { role: "status" }, text)));
    }

    private async ask(): Promise<Report> {
        const from = this.run ? `?from=${rowCount(this.run.history)}&id=${encodeURIComponent(this.run.id ?? "")}` : "";
        const answer = await fetch(`data${from}`, { cache: "no-store" });
        if (!answer.ok) throw new Error(`status ${answer.status}`);
        return readReport(await answer.json());
    }

    private async poll(): Promise<void> {
        try {
            this.take(await this.ask());
            this.failures = 0;
        } catch (error) {
            this.failures++;
            if (this.failures >= maxFailures) this.lost();
            else this.say("no answer, trying again …", "lost");
            if (!(error instanceof TypeError)) console.warn(error);
        }
        // After an end the server may still report a resumed run: asked less often.
        const ended = this.run !== null && this.run.state !== "running";
        setTimeout(() => void this.poll(), (ended || this.failures >= maxFailures ? 5 : 1) * this.interval);
    }

    private take(report: Report): void {
        const news = report.runs[0];
        if (!news) {
            if (!this.page) this.wait("There is no run in the folder yet. Waiting …");
            return;
        }
        const again = this.run?.id === news.id && (news.from ?? 0) > 0;
        this.figures = joinFigures(again ? this.figures : null, report.figures);
        this.run = joinRun(this.run, news);
        const joined = { ...report, runs: [this.run], figures: this.figures };
        const state = JSON.stringify([this.run.state, this.run.id, this.run.warnings, this.run.snapshots, rowCount(this.run.history)]);
        if (!this.page && rowCount(this.run.history) > 0) this.page = new Page(this.host, joined, this.status, fetchSnapshot);
        else if (state !== this.shown) this.page?.update(joined);
        this.shown = state;
        const rows = `${rowCount(this.run.history).toLocaleString("en-US")} rows`;
        if (this.run.state === "running") this.say(`live, ${rows}`, "on");
        else this.say(`the run has ${this.run.state === "interrupted" ? "been interrupted" : this.run.state}, ${rows}`, "ended");
    }

    private lost(): void {
        const text = "twirl watch does not answer any more: it was stopped. What is shown is what it sent last.";
        if (this.page) this.say("twirl watch was stopped", "lost", text);
        else this.wait(text);
    }

    private say(text: string, kind: string, title = ""): void {
        if (this.status.textContent !== text) this.status.textContent = text;
        this.status.className = `live ${kind}`;
        this.status.title = title;
    }
}

async function fetchSnapshot(number: number): Promise<Snapshot> {
    const answer = await fetch(`snapshot/${number}`, { cache: "no-store" });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return (await answer.json()) as Snapshot;
}

export function startLive(host: HTMLElement, settings: string): void {
    let interval = 2;
    try {
        const { interval: given } = JSON.parse(settings) as { interval?: number };
        if (given && given > 0) interval = given;
    } catch {
        // The default will do.
    }
    new Live(host, 1000 * interval);
}
