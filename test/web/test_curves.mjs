// SPDX-License-Identifier: BSD-3-Clause
// Summary, curves, tables, files, probes, rates: every control is used, and values are read back against
// history.csv.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, dataOf, download, equal, finish, makeReport, makeRun, needPage, noProblems, open, openBrowser, pageWith, picture, play, readHistory, runScenario } from "./support.mjs";

needPage();
await openBrowser();
const dense = makeRun("dense"), loose = makeRun("loose", "specimen.preparation.friction=0.5");
const rows = readHistory(dense), shear = rows.filter((row) => row.stage === "shear");
const single = makeReport("single.html", dense);
const space = `specimen: {count: 40, sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}, preparation: {pressure: 100 kPa, friction: 0.1}}
material: {stiffness_level: 1000, friction: 0.5}
stages:
  - {name: lode_30, path: true_triaxial, inertial_number: 1e-2, lode_angle: 30 deg, end: {strain: 1 %}}
  - {name: ball, path: probes, probes: {space: sphere, count: 24, stress: 1 kPa, steps: 100, rest: 1e-4, settle: 1e-4}}
  - {name: lode_0, from: specimen, path: true_triaxial, inertial_number: 1e-2, lode_angle: 0 deg, end: {strain: 1 %}}
output: {history: {strain: 5e-4}}
`;
const small = `specimen: {count: 40, sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}, preparation: {pressure: 100 kPa, friction: 0.1}}
material: {stiffness_level: 1000, friction: 0.5}
output: {history: {strain: 5e-4}}
`;
const several = `${small.replace("5e-4}", "5e-4, steps: 4}")}stages:
  - {name: shear, path: triaxial, inertial_number: 1e-2, end: {strain: 1 %}}
  - {name: turn, path: rotate, rotation: {axis: [0, 0, 1], angle: 20 deg, increments: 20}}
  - {name: closed, from: specimen, path: simple_shear, plane: xy, constant: volume, inertial_number: 1e-2, end: {strain: 1 %}}
  - {name: cycles, from: specimen, path: cyclic, inertial_number: 1e-2, cycle: {base: constant_p, strain: 0.1 %}, end: {cycles: 2}}
`;
const rendulic = `${small}stages:
  - {name: shear, path: triaxial, inertial_number: 1e-2, end: {strain: 1 %}}
  - {name: probe, path: probes, probes: {count: 8, strain: 5e-5, steps: 100}}
`;
const lattice = `specimen: {count: 32, arrangement: fcc, sizes: {d: 1 mm}, preparation: {pressure: 100 kPa}}
material: {stiffness_level: 10000, friction: 0.3}
stages:
  - {name: fail, path: triaxial, axis: z, inertial_number: 1e-3, end: {strain: 0.1 %}}
  - {name: limit, path: rates, rates: {control: stress}}
`;
const card = (page, number = 0) => page.locator("#curves .chart-card").nth(number);
const options = (select) => select.locator("option").evaluateAll((list) => list.map((option) => option.value));

/** The table of a chart, read from the page. */
async function tableOf(chart) {
    const details = chart.locator("details.values");
    if (!(await details.evaluate((element) => element.open))) await details.locator("summary").click();
    await chart.locator(".values tbody").waitFor();
    const cells = [];
    for (;;) {
        cells.push(...(await chart.locator(".values tbody tr").evaluateAll((list) => list.map((row) => [...row.cells].map((cell) => cell.textContent)))));
        const next = chart.getByRole("button", { name: "Next rows" });
        if (!(await next.isVisible()) || (await next.isDisabled())) break;
        await next.click();
    }
    const previous = chart.getByRole("button", { name: "Previous rows" });
    while ((await previous.isVisible()) && (await previous.isEnabled())) await previous.click();
    return cells;
}

/** What the axes of a chart show, read from the saved SVG. */
async function xTicks(page, chart) {
    const { bytes } = await download(page, () => chart.getByRole("button", { name: "Save as SVG" }).click());
    const texts = [...bytes.toString().matchAll(/text-anchor="middle" stroke="none">([^<]*)</g)].map((found) => found[1].replace("−", "-"));
    return texts.map(Number).filter(Number.isFinite);
}

await play({
    async summary() {
        const page = await open(single);
        equal(await page.locator("h1").textContent(), "Drained triaxial compression of dense spheres", "the title");
        equal((await page.locator(".headline .chip").textContent()).trim(), "✓ finished", "the state");
        check((await page.locator(".facts").textContent()).includes("count 60, seed 1, arrangement random; shapes: sphere, share 1; sizes: uniform, d_min 0.8 mm, d_max 1.2 mm"), "what was run");
        const ends = await page.locator(".stages tbody tr").evaluateAll((list) => list.map((row) => row.textContent));
        equal(ends.length, 3, "rows of stages");
        check(ends[2].includes("end.strain"), `the way the last stage ended: ${ends[2]}`);
        const peak = Math.max(...shear.map((row) => Number(row.stress_ratio)));
        const shown = await page.locator(".number", { hasText: "Peak q/p" }).locator("strong").textContent();
        equal(Number(shown), Number(peak.toPrecision(3)), "peak of q/p");
        const last = shear.at(-1);
        equal(await page.locator(".stages tbody tr").nth(2).locator("td").nth(6).getAttribute("title"), last.void_ratio, "digits of the void ratio at the end");
        const small = dataOf(dense).runs[0].warnings.length;
        equal(await page.locator(".warnings li").count(), small, "warnings");
        await picture(page, "summary");
        noProblems("summary");
        await page.close();
    },

    async "values of curves"() {
        const page = await open(single);
        const chart = card(page);
        await chart.getByLabel("y", { exact: true }).selectOption("column:stress_ratio");
        let cells = await tableOf(chart);
        equal(cells.length, shear.length, "rows of the table");
        check(cells.every(([x, y], i) => x === shear[i].strain_zz && y === shear[i].stress_ratio), "the table has the digits of history.csv");
        await chart.getByLabel("y", { exact: true }).selectOption("q");
        cells = await tableOf(chart);
        const q = (row) => Number(row.stress_zz) - 0.5 * (Number(row.stress_xx) + Number(row.stress_yy));
        check(cells.every(([, y], i) => Number(y) === q(shear[i])), "q is the axial minus the mean lateral stress");
        await chart.getByLabel("y", { exact: true }).selectOption("column:p");

        // Every point of the curve can be pointed at: a few of them, by their place in the frame.
        const box = await chart.locator(".chart-frame").boundingBox();
        let met = 0;
        for (const part of [0.15, 0.4, 0.6, 0.85]) {
            await page.mouse.move(box.x + part * box.width, box.y + 0.5 * box.height);
            for (let y = 0; y <= 1; y += 0.06) {
                await page.mouse.move(box.x + part * box.width, box.y + y * box.height);
                if (await chart.locator(".chart-tip").isVisible()) break;
            }
            const said = await chart.locator(".chart-tip").innerText();
            const found = shear.find((row) => said.includes(`: ${row.p}\u00a0Pa`));
            if (found && said.includes(`: ${found.strain_zz}`) && said.includes(`step ${found.step}`)) met++;
        }
        equal(met, 4, "points under the pointer with the digits of history.csv");
        noProblems("values");
        await page.close();
    },

    async "choice of axes"() {
        const page = await open(single);
        const chart = card(page);
        for (const axis of ["x", "y"]) {
            const select = chart.getByLabel(axis, { exact: true });
            const values = await options(select);
            check(values.length > 60, `choices for ${axis}: ${values.length}`);
            const lost = await select.evaluate((element) => [...element.options].map((option) => option.value).filter((value) => {
                element.value = value;
                element.dispatchEvent(new Event("change"));
                return element.value !== value;
            }));
            equal(lost.join(), "", "choices that the page did not take");
        }
        equal(await chart.getByLabel("Figure").inputValue(), "own", "the figure is none of the list");
        for (const value of await options(chart.getByLabel("Figure"))) if (value !== "own") await chart.getByLabel("Figure").selectOption(value);
        await chart.getByLabel("Figure").selectOption("0");
        for (const name of ["log x", "log y", "log x", "log y"]) await chart.getByLabel(name).click();
        equal(await chart.locator(".key-entry").count(), 1, "curves");
        await chart.locator(".stages-menu summary").click();
        await chart.getByRole("checkbox", { name: "settle" }).check();
        equal(await chart.locator(".key-entry").count(), 2, "curves with another stage");
        await chart.getByRole("checkbox", { name: "shear" }).uncheck();
        equal(await chart.locator(".key-entry").count(), 1, "curves with one stage left");
        const before = await page.locator("#curves .chart-card").count();
        await page.getByRole("button", { name: "Add a chart" }).click();
        equal(await page.locator("#curves .chart-card").count(), before + 1, "charts");
        noProblems("axes");
        await page.close();
    },

    async zoom() {
        const page = await open(single);
        const chart = card(page), all = chart.getByRole("button", { name: "Show all" });
        const whole = await xTicks(page, chart);
        check(await all.isDisabled(), "nothing to reset at first");
        await chart.locator(".chart-frame").scrollIntoViewIfNeeded();
        const box = await chart.locator(".chart-frame").boundingBox();
        await page.mouse.move(box.x + 0.25 * box.width, box.y + 0.2 * box.height);
        await page.mouse.down();
        await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.7 * box.height, { steps: 4 });
        await page.mouse.up();
        const part = await xTicks(page, chart);
        const range = Math.max(...whole);
        check(Math.min(...part) >= 0.24 * range && Math.max(...part) <= 0.56 * range, `the part between the ends of the drag: ${part} of ${whole}`);
        await page.mouse.dblclick(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
        equal(String(await xTicks(page, chart)), String(whole), "ticks after a double click");
        await chart.locator(".chart").focus();
        await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
        await page.mouse.wheel(0, -400);
        await page.waitForFunction((button) => !button.disabled, await all.elementHandle());
        await all.click();
        check(await all.isDisabled(), "everything is shown again");
        for (const name of ["Zoom in", "Zoom out"]) await chart.getByRole("button", { name }).click();
        check(await all.isEnabled(), "zoomed by buttons");
        await chart.locator(".chart").focus();
        await page.keyboard.press("0");
        check(await all.isDisabled(), "reset by key");
        noProblems("zoom");
        await page.close();
    },

    async files() {
        const page = await open(single);
        const chart = card(page);
        await chart.getByLabel("y", { exact: true }).selectOption("column:stress_ratio");
        const csv = await download(page, () => chart.getByRole("button", { name: "Save values as CSV" }).click());
        const lines = csv.bytes.toString().trim().split("\n").slice(1);
        equal(lines.join(), shear.map((row) => `${row.strain_zz},${row.stress_ratio}`).join(), "the saved values");
        const svg = await download(page, () => chart.getByRole("button", { name: "Save as SVG" }).click());
        check(/^stress_ratio_over_axial_strain\.svg$/.test(svg.name), `the name ${svg.name}`);
        const path = /<path[^>]* d="([^"]*)"/.exec(svg.bytes.toString())[1];
        equal(path.split(/[ML]/).length - 1, shear.length, "points in the SVG");
        const parsed = await page.evaluate((text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror") === null, svg.bytes.toString());
        check(parsed, "the SVG is XML");
        for (const name of ["scenario.yaml", "run.log", "history.csv"]) {
            const part = page.locator("#files details", { hasText: name }).first();
            await part.locator("summary").click();
            equal(await part.locator("pre").textContent(), readFileSync(join(dense, name), "utf8"), name);
        }
        const saved = await download(page, () => page.getByRole("button", { name: "Save history.csv" }).click());
        equal(saved.bytes.toString(), readFileSync(join(dense, "history.csv"), "utf8"), "the saved history");
        noProblems("files");
        await page.close();
    },

    async "two runs"() {
        const page = await open(makeReport("two.html", dense, loose));
        equal(await page.locator(".comparison tbody tr").count(), 2, "runs in the comparison");
        const chart = card(page);
        const entries = chart.locator(".key-entry");
        equal((await entries.allTextContents()).join(), "dense,loose", "the key");
        await entries.nth(0).click();
        equal(await entries.nth(0).getAttribute("aria-pressed"), "false", "the first curve is hidden");
        equal((await tableOf(chart))[0].length, 2, "columns of the table with one curve");
        await entries.nth(0).click();
        equal((await tableOf(chart))[0].length, 4, "columns of the table with two");
        await picture(page, "two_runs");
        noProblems("two runs");
        await page.close();
    },

    async keyboard() {
        const page = await open(single);
        await page.keyboard.press("Tab");
        equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content", "the first stop");
        await page.keyboard.press("Enter");
        let stops = 0, chartFound = false;
        for (; stops < 60 && !chartFound; stops++) {
            await page.keyboard.press("Tab");
            chartFound = await page.evaluate(() => document.activeElement.classList.contains("chart"));
            const seen = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
            check(seen !== "none" || chartFound, "the focus can be seen");
        }
        check(chartFound, `a chart is reached with the tab key, after ${stops} stops`);
        for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowRight");
        const said = await page.locator("#said").textContent();
        check(said.includes(shear[3].strain_zz), `the fourth point is read out: ${said}`);
        await page.keyboard.press("End");
        check((await page.locator("#said").textContent()).includes(shear.at(-1).strain_zz), "the last point is read out");
        for (const key of ["ArrowDown", "ArrowUp", "Home", "Shift+ArrowRight", "+", "-", "0", "Escape"]) await page.keyboard.press(key);
        const nameless = await page.evaluate(() => [...document.querySelectorAll("button, select, input, [tabindex='0']")].filter((element) => {
            const label = element.getAttribute("aria-label") ?? element.textContent.trim();
            return !label && !element.labels?.length && element.tagName !== "PRE";
        }).map((element) => element.outerHTML.slice(0, 120)));
        equal(nameless.join(), "", "controls without a name");
        const marks = await page.evaluate(() => ["header", "nav", "main", "h1"].map((tag) => document.querySelectorAll(tag).length).join());
        equal(marks, "1,1,1,1", "landmarks");
        noProblems("keyboard");
        await page.close();
    },

    async "dark, light, print and phone"() {
        const page = await open(single);
        const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const light = await paper();
        await page.emulateMedia({ colorScheme: "dark" });
        await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
        const dark = await paper();
        check(light !== dark, "the page follows the system");
        await picture(page, "dark");
        await page.getByRole("button", { name: "Switch between light and dark" }).click();
        equal(await paper(), light, "the switch");
        await page.setViewportSize({ width: 390, height: 844 });
        await page.waitForTimeout(200);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        check(wide <= 390, `the page is ${wide} pixels wide on a phone`);
        await picture(page, "phone", { fullPage: true });
        await page.setViewportSize({ width: 1000, height: 900 });
        await page.emulateMedia({ media: "print", colorScheme: "light" });
        check(!(await page.locator(".bar").isVisible()), "no controls in print");
        await picture(page, "print", { fullPage: true });
        noProblems("looks");
        await page.close();
    },

    async "hostile texts"() {
        const data = dataOf(dense);
        const attack = `<script>window.hacked=1</script><img src=x onerror="window.hacked=2">'"\`\${1}</title>`;
        const long = "A".repeat(10_000);
        const run = data.runs[0];
        Object.assign(run, { name: attack + long, title: long + attack, warnings: [attack, long], failure: attack, state: "failed", scenario: attack + run.scenario, log: attack });
        run.stages[2].name = attack;
        for (const series of data.figures.series) series.label = attack + long;
        for (const figure of data.figures.figures) figure.title = figure.x.label = attack;
        run.stages[2].end_text = attack;
        run.history = run.history.replaceAll(",shear,", `,${attack.replaceAll(",", ";")},`);
        data.runs.push(JSON.parse(JSON.stringify({ ...run, name: "constructor", title: "__proto__" })));
        data.program = attack;
        for (const runs of [[run], data.runs]) {
            const page = await open(pageWith("hostile.html", { ...data, runs }));
            await page.waitForTimeout(100);
            equal(await page.evaluate(() => window.hacked), undefined, "nothing of the text was executed");
            equal(await page.locator("main script, main img").count(), 0, "elements made from texts");
            check((await page.locator(".warnings").textContent()).includes(attack), "the text is shown as it is");
            await page.setViewportSize({ width: 390, height: 844 });
            check((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390, "long texts wrap");
            const svg = await download(page, () => card(page).getByRole("button", { name: "Save as SVG" }).click());
            check(!svg.bytes.toString().includes("<script"), "no script in the SVG");
            check(svg.name.length < 80 && /^[\w-]+\.svg$/.test(svg.name), `the name of the file ${svg.name}`);
            if (runs.length === 1) await picture(page, "hostile");
            noProblems("hostile texts");
            await page.close();
        }
    },

    async "data that cannot be read"() {
        for (const bad of ["!!!", "AAAA", ""]) {
            const page = await open(pageWith("bad.html", bad), { quiet: true });
            check((await page.locator("[role=alert]").textContent()).includes("cannot be read"), `data '${bad}': the page says so`);
            await page.close();
        }
        const whole = dataOf(dense), none = { ...whole.runs[0], history: "step,stage\n", stages: [], snapshots: [] };
        const page = await open(pageWith("empty.html", { ...whole, runs: [none], figures: { ...whole.figures, series: [], figures: [] } }));
        check(await page.locator("#curves").isVisible(), "a run without rows has a page");
        noProblems("no rows");
        await page.close();
    },

    async "principal stresses"() {
        const run = runScenario(space, "space"), { figures } = dataOf(run);
        const described = (kind) => figures.figures.filter((figure) => figure.kind === kind);
        const page = await open(makeReport("space.html", run));
        const chart = card(page), [plane] = described("pi_plane");
        await chart.getByLabel("Figure").selectOption({ label: plane.title });
        const cells = await tableOf(chart);
        for (const [k, line] of plane.lines.entries()) {
            const { values } = figures.series[line.series];
            check(values.pi_x.length > 10 && values.pi_x.every((x, i) => Number(cells[i][2 * k]) === x && Number(cells[i][2 * k + 1]) === values.pi_y[i]), `path ${k + 1}`);
        }
        const peaks = plane.shapes.find((shape) => shape.kind === "points");
        check(peaks.x.every((x, i) => Number(cells[i][4]) === x && Number(cells[i][5]) === peaks.y[i]), "the peaks are those of the description");
        check((await chart.locator(".key").textContent()).includes("I₁³/I₃ = "), "the strength");
        await chart.locator(".chart").focus();
        await page.keyboard.press("ArrowRight");
        check((await page.locator("#said").textContent()).startsWith("lode_30"), "guides are passed over by the keys");
        await chart.scrollIntoViewIfNeeded();
        const svg = (await download(page, () => chart.getByRole("button", { name: "Save as SVG" }).click())).bytes.toString();
        check(plane.shapes.filter((shape) => shape.kind === "note").length > 3 && svg.includes(">q/p = "), "axes and circles are named in the SVG");
        await picture(page, "deviatoric_plane");

        const [surface] = described("envelope"), picked = page.locator("#probes .surface-card"), section = page.locator("#probes .chart-card").first();
        for (const cut of described("envelope_section")) {
            const name = cut.name.slice(surface.name.length + 1);
            await section.getByLabel("Section").selectOption({ label: name.length === 2 ? `${name[0]}, ${name[1]}` : name });
            const shown = await tableOf(section), [total] = cut.shapes;
            check(total.x.length > 8 && total.x.every((x, i) => x === null || Math.abs(Number(shown[i][0]) - x / cut.x.factor) <= 1e-12 * Math.abs(x / cut.x.factor)), `section ${name}`);
        }
        const polygons = async () => {
            const { bytes } = await download(page, () => picked.getByRole("button", { name: "Save the surface as SVG" }).click());
            return [...bytes.toString().matchAll(/<polygon points="([^"]*)" fill="rgb\((\d+) (\d+) (\d+)\)"/g)].map((found) => found[1]);
        };
        const first = await polygons();
        equal(first.length, surface.surface.triangles.length, "facets");
        await picked.scrollIntoViewIfNeeded();
        await picture(page, "surface");
        await picked.locator(".surface").focus();
        await page.keyboard.press("ArrowLeft");
        const turned = await polygons();
        check(turned[0] !== first[0] && (await page.locator("#said").textContent()).includes("Azimuth 40°"), "a key turns the surface");
        await picked.locator(".surface").focus();
        await page.keyboard.press("0");
        equal((await polygons())[0], first[0], "0 is the first view");
        for (const name of ["Look along x", "Look along the hydrostatic axis", "Look from between the axes"]) await picked.getByRole("button", { name }).click();
        const box = await picked.locator("svg").boundingBox();
        await page.mouse.move(box.x + 100, box.y + 100);
        await page.mouse.down();
        await page.mouse.move(box.x + 140, box.y + 110, { steps: 2 });
        await page.mouse.up();
        check((await polygons())[0] !== first[0], "dragging turns the surface");
        noProblems("principal stresses");
        await page.close();
    },

    async "every path has its figures"() {
        const run = runScenario(several, "several"), { figures } = dataOf(run);
        const page = await open(makeReport("several.html", run));
        const chart = card(page);
        for (const kind of ["turn_error", "loops", "stress_cycles", "normal_stress", "stress_ratio"]) {
            const figure = figures.figures.find((one) => one.kind === kind);
            check(figure, `there is a figure ${kind}`);
            const label = (await chart.getByLabel("Figure").locator("option").allTextContents()).find((text) => text.startsWith(figure.title));
            await chart.getByLabel("Figure").selectOption({ label });
            check((await tableOf(chart)).length > 1, `rows of ${kind}`);
        }
        await chart.getByLabel("Figure").selectOption({ label: figures.figures.find((one) => one.kind === "turn_error").title });
        await chart.scrollIntoViewIfNeeded();
        await picture(page, "rotation");
        noProblems("every path");
        await page.close();
    },

    async probes() {
        const run = runScenario(rendulic, "rendulic"), { figures } = dataOf(run);
        const page = await open(makeReport("probes.html", run));
        const circles = page.locator("#probes .chart-card").first(), figure = figures.figures.find((one) => one.kind === "circles");
        for (const shape of figure.shapes) check(shape.kind === "note" || (await circles.locator(".key").textContent()).includes(shape.title), `the key has ${shape.title}`);
        const points = figure.shapes.find((shape) => shape.kind === "points");
        const cells = await tableOf(circles), columns = cells[0].length;
        check(points.x.every((x, i) => Math.abs(Number(cells[i][columns - 2]) - x / figure.x.factor) <= 1e-12 * Math.abs(x / figure.x.factor)), "the probes are those of the description, in SI units");
        await circles.locator(".chart").focus();
        await page.keyboard.press("ArrowRight");
        const [, number, angle] = readFileSync(join(run, "stages", figure.stage, "probes.csv"), "utf8").split("\n")[1].split(",");
        check((await circles.locator(".chart-tip").textContent()).includes(`probe ${number}, angle ${angle}°`), "a point says which probe it is");
        const envelope = page.locator("#probes .chart-card").nth(1);
        for (const value of await options(envelope.getByLabel("Response"))) await envelope.getByLabel("Response").selectOption(value);
        const svg = (await download(page, () => circles.getByRole("button", { name: "Save as SVG" }).click())).bytes.toString();
        check(svg.split('r="3"').length > points.x.length, "marks in the SVG");
        await page.locator("#probes h3").scrollIntoViewIfNeeded();
        await picture(page, "probes");
        noProblems("probes");
        await page.close();
    },

    async rates() {
        if (process.env.TWIRL_STATICS === "0") return;
        const run = runScenario(lattice, "lattice"), file = join(run, "stages/limit.json");
        const summary = JSON.parse(readFileSync(file, "utf8")), rates = summary.rates;
        rates.certificate = [{ body_p: 7, body_q: 4294967295, normal_force: 2 * rates.force_mean, tangential_force: rates.force_mean / 2 }];
        writeFileSync(file, JSON.stringify(summary));
        const page = await open(makeReport("rates.html", run)), { figures } = dataOf(run);
        equal(await page.locator("nav a[href='#probes']").textContent(), "Rates", "the link to the section");
        equal(await page.locator("#probes h3").textContent(), "limit", "the stage");
        const rows = await page.getByRole("region", { name: "Response to small loads" }).locator("tbody tr").evaluateAll((list) => list.map((row) => [...row.cells].map((cell) => cell.textContent)));
        for (const [name, value] of [["Verdict", "not unique"], ["Directions", "72 of stress, about z"], ["Without a solution", "36"], ["Contacts at the friction limit", "128 of 128"]])
            equal(rows.find(([first]) => first === name)?.[1], value, name);
        const cells = await page.getByRole("region", { name: "Certificate" }).locator("td").allTextContents();
        equal(cells.join(), "7,wall,2,0.5", "the certificate");
        const drawn = figures.figures.filter((figure) => figure.stage === "limit"), cards = page.locator("#probes .chart-card");
        equal(await cards.count(), drawn.length, "figures of the stage");
        for (const [i, figure] of drawn.entries()) {
            equal(await cards.nth(i).locator("h4").textContent(), figure.title, "a figure of the description");
            check(await cards.nth(i).locator(".chart path").count() > 0, "its curves");
        }
        await page.locator("#probes h3").scrollIntoViewIfNeeded();
        await picture(page, "rates");
        await page.locator(".scene").scrollIntoViewIfNeeded();
        await page.waitForFunction(() => document.querySelector(".scene").view?.frames > 0);
        const marked = () => page.evaluate(() => {
            const { view } = document.querySelector(".scene");
            return [...view.state.certified.keys()].filter((b) => view.share(b) === 1 && view.state.certified[b]).map((b) => view.state.id[b]).join();
        });
        for (const name of ["Chains by", "Grains by"]) await page.locator("#specimen").getByLabel(name).selectOption("certificate");
        equal(await marked(), "7", "the grain of the certificate, at its size, at the end of the stage");
        equal(await page.evaluate(() => document.querySelector(".scene").view.share(8)), 0.3, "the size of another");
        await picture(page, "certificate");
        await page.getByLabel("State").fill("0");
        await page.waitForFunction(() => !document.querySelector(".scene").view.state.certified.includes(1));
        equal(await page.evaluate(() => document.querySelector(".scene").view.share(8)), 1, "its size in a state without a certificate");
        noProblems("rates");
        await page.close();
    },
});
await finish();
