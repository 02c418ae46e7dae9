// SPDX-License-Identifier: BSD-3-Clause
// The page of `twirl watch`: with the program itself, and with a server that plays a run.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { check, dataOf, equal, finish, makeRun, needPage, noProblems, open, openBrowser, picture, play, readHistory, twirl, webFolder } from "./support.mjs";

needPage();
await openBrowser(900, 640);
const run = makeRun("dense");
const rows = readHistory(run);
const whole = dataOf(run);
const [header, ...lines] = readFileSync(join(run, "history.csv"), "utf8").trim().split("\n");

const status = (page) => page.locator(".bar .live");
const sees = (page, text) => page.locator(".bar .live", { hasText: text }).waitFor();

async function lastRow(page) {
    const chart = page.locator("#curves .chart-card").first(), details = chart.locator("details.values");
    if (!(await details.evaluate((element) => element.open))) await details.locator("summary").click();
    await chart.locator(".values tbody").waitFor();
    return await chart.locator(".values tbody tr").last().evaluate((row) => [...row.cells].map((cell) => cell.textContent));
}

await play({
    async "twirl watch"() {
        const server = spawn(twirl, ["watch", run, "--interval", "0.05"], { stdio: ["ignore", "pipe", "ignore"] });
        const address = await new Promise((found, failed) => {
            server.stdout.on("data", (text) => found(String(text).trim()));
            server.on("exit", () => failed(new Error("twirl watch ended")));
        });
        const page = await open(address, { quiet: true, ready: "#curves .chart-card" }); // it will lose its server
        await sees(page, "the run has finished");
        const shear = rows.filter((row) => row.stage === "shear");
        await page.locator("#curves .chart-card").first().getByLabel("y", { exact: true }).selectOption("column:stress_ratio");
        equal(String(await lastRow(page)), [shear.at(-1).strain_zz, shear.at(-1).stress_ratio].join(), "digits of the last row");
        await page.locator("#specimen").scrollIntoViewIfNeeded();
        await page.waitForFunction(() => document.querySelector(".scene").view?.frames > 0);
        check(await page.locator(".scene-note").isHidden(), "a state was fetched and drawn");
        server.kill("SIGINT");
        await sees(page, "twirl watch was stopped");
        await page.close();
    },

    async "a run that goes on"() {
        const page0 = readFileSync(join(webFolder, "dist/page.html"), "utf8").replace("<!--TWIRL-DATA-->", '<script type="application/json" id="twirl-live">{"interval": 0.05}</script>');
        let known = 0, state = "running", id = "one", asked = [];
        /** Figures of the rows that are known, with numbers from a row on. */
        const figures = (from) => ({
            ...whole.figures,
            figures: whole.figures.figures.filter((one) => one.lines.every((line) => whole.figures.series[line.series].first + 1 < known)),
            series: whole.figures.series.map((one) => {
                const rows = Math.max(0, Math.min(one.rows, known - one.first)), start = Math.min(rows, Math.max(0, from - one.first));
                const values = Object.fromEntries(Object.entries(one.values).map(([name, list]) => [name, typeof list === "string" ? list : list.slice(start, rows)]));
                return { ...one, rows, from: start, values };
            }),
        });
        const part = (from) => {
            const base = { ...whole.runs[0], id, state, summary: null, snapshots: [], from, rows: known };
            return { ...base, history: (from === 0 ? `${header}\n` : "") + lines.slice(from, known).map((line) => `${line}\n`).join("") };
        };
        const server = createServer((request, response) => {
            const url = new URL(request.url, "http://x");
            if (url.pathname === "/") return response.setHeader("Content-Type", "text/html").end(page0);
            asked.push(url.search);
            let from = Number(url.searchParams.get("from") ?? 0);
            if (url.searchParams.get("id") !== id || from > known) from = 0;
            response.setHeader("Content-Type", "application/json").end(JSON.stringify({ ...whole, runs: known === 0 ? [] : [part(from)], figures: figures(from) }));
        });
        await new Promise((done) => server.listen(0, "127.0.0.1", done));
        const page = await open(`http://127.0.0.1:${server.address().port}/`);
        check((await page.locator("main").textContent()).includes("aiting"), "the page waits for a run");
        known = 6;
        await sees(page, "live, 6 rows");
        known = lines.findIndex((line) => line.includes(",shear,")) + 10;
        await sees(page, `live, ${known} rows`);
        check(asked.some((query) => query.startsWith("?from=6&id=one")), "only new rows are asked for");
        const chart = page.locator("#curves .chart-card").first();
        equal(await chart.locator(".key").textContent(), "shear", "the stage that has begun is drawn");
        equal((await lastRow(page))[0], rows[known - 1].strain_zz, "the newest row");

        const response = page.locator("#summary details").first();
        await response.locator("summary").click();
        await chart.getByRole("button", { name: "Zoom in" }).click();
        check(await chart.getByRole("button", { name: "Show all" }).isEnabled(), "zoomed");
        known += 5;
        await sees(page, `live, ${known} rows`);
        check(await chart.getByRole("button", { name: "Show all" }).isEnabled(), "what is shown stays when rows come");
        equal((await lastRow(page))[0], rows[known - 1].strain_zz, "the newest row is there all the same");
        check(await page.locator("#summary details").first().evaluate((element) => element.open), "what was opened stays open");
        known -= 3; // a resumed run is cut back
        await sees(page, `live, ${known} rows`);
        id = "two"; // and a new run begins from nothing
        known = 4;
        await sees(page, "live, 4 rows");
        await picture(page, "live");

        known = lines.length;
        state = "finished";
        await sees(page, "the run has finished");
        equal((await page.locator(".headline .chip").textContent()).trim(), "✓ finished", "the state");
        noProblems("live");
        server.closeAllConnections?.();
        server.close();
        await sees(page, "twirl watch was stopped");
        check((await status(page).getAttribute("title")).includes("does not answer"), "the reason");
        await page.close();
    },
});
await finish();
