// SPDX-License-Identifier: BSD-3-Clause
// The specimen in 3D: drawn, turned, coloured, picked, saved as a picture; without WebGL; large.

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, dataOf, download, equal, finish, folder, makeReport, makeRun, needPage, noProblems, open, openBrowser, pageWith, picture, play } from "./support.mjs";

needPage();
await openBrowser(760, 560); // small, for the graphics card is software
const run = makeRun("dense");
const report = makeReport("report.html", run);
const data = dataOf(run);
const last = data.runs[0].snapshots.at(-1);
const numbers = (text, Type) => new Type(Uint8Array.from(Buffer.from(text, "base64")).buffer);
const p = numbers(last.contacts.p, Uint32Array), q = numbers(last.contacts.q, Uint32Array), f = numbers(last.contacts.f, Float32Array), sliding = numbers(last.contacts.sliding, Uint8Array);
const ids = last.bodies.id ? numbers(last.bodies.id, Uint32Array) : Uint32Array.from({ length: last.bodies.count }, (_, i) => i);

async function openSpecimen(url, options) {
    const page = await open(url, options);
    await page.locator(".scene").scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector(".scene").view?.frames > 0);
    return page;
}

/** The pixels of the picture that are not background, and a sum that changes with what is drawn. */
async function look(page) {
    const seen = await page.evaluate(() => {
        const { view } = document.querySelector(".scene");
        const canvas = document.querySelector(".scene canvas");
        view.draw();
        const copy = document.createElement("canvas");
        [copy.width, copy.height] = [200, 200];
        const context = copy.getContext("2d");
        context.drawImage(canvas, 0, 0, 200, 200);
        const { data } = context.getImageData(0, 0, 200, 200);
        let ink = 0, sum = 0;
        for (let i = 0; i < data.length; i += 4) {
            if (data[i] + data[i + 1] + data[i + 2] < 740) ink++;
            sum = (sum * 31 + data[i] + 7 * data[i + 1] + 13 * data[i + 2]) % 1000003;
        }
        return { ink, sum };
    });
    page.seen = seen.sum;
    return seen;
}

/** Does something, and tells whether the picture is another one than after the last look. */
async function changes(page, text, act) {
    const before = page.seen ?? (await look(page)).sum;
    await act();
    const after = await look(page);
    check(before !== after.sum, `${text} changes the picture`);
    return after;
}

/** From the first state to the last, in one scale. */
async function playStates(page, states) {
    const seen = () => page.evaluate(() => ({ at: Number(document.querySelector(".snapshots input").value), metre: document.querySelector(".scene").view.scene.metre }));
    await page.getByLabel("State").fill(String(states - 1));
    const before = await seen();
    await page.evaluate(() => {
        window.shown = [];
        const { view } = document.querySelector(".scene"), set = view.set.bind(view);
        view.set = (...rest) => {
            set(...rest);
            window.shown.push([Number(document.querySelector(".snapshots input").value), view.scene.metre]);
        };
    });
    await page.getByRole("button", { name: "Play the film" }).click();
    check(await page.getByRole("button", { name: "Pause" }).isVisible(), "it can be paused");
    await page.getByRole("button", { name: "Play the film" }).waitFor();
    const shown = await page.evaluate(() => window.shown);
    equal(shown.map(([at]) => at).join(), Array.from({ length: states }, (_, k) => k).join(), "every state once, in order");
    check(shown.every(([, metre]) => metre === before.metre), "the scale stays");
    equal((await seen()).at, states - 1, "the last state at the end");
}

function contactsOf(id) {
    const body = ids.indexOf(id);
    return [...p.keys()].filter((k) => p[k] === body || q[k] === body);
}

await play({
    async without_rows() {
        // The history was emptied, or lost in a copy: the states are there all the same.
        const bare = join(folder, "bare"), history = join(bare, "history.csv");
        cpSync(run, bare, { recursive: true });
        const [header] = readFileSync(history, "utf8").split("\n");
        for (const text of ["", `${header}\n`]) {
            writeFileSync(history, text);
            const page = await openSpecimen(makeReport("bare.html", bare));
            check((await page.locator(".warnings").textContent()).includes("history.csv has no rows"), "it says so");
            equal(await page.locator(".snapshots output").textContent(), "end of shear", "caption without a step");
            noProblems("without rows");
            await page.close();
        }
    },
    async picture() {
        const page = await openSpecimen(report);
        const first = await look(page);
        check(await page.getByRole("checkbox", { name: "Walls" }).isHidden(), "no walls, no switch");
        check(first.ink > 4000, `grains are drawn: ${first.ink} of 40000 pixels`);
        await picture(page, "specimen");
        const box = (name) => page.locator("#specimen").getByLabel(name);
        for (const value of ["coordination", "force", "speed", "none"]) await changes(page, `colour by ${value}`, () => box("Grains by").selectOption(value));
        await changes(page, "force chains", () => page.getByRole("checkbox", { name: "Force chains" }).check());
        await changes(page, "hiding the grains", () => page.getByRole("checkbox", { name: "Grains" }).uncheck());
        await picture(page, "chains");
        await changes(page, "colour of chains", () => box("Chains by").selectOption("force"));
        const all = await changes(page, "all chains", () => box("Chains above").fill("0"));
        const few = await changes(page, "strong chains", () => box("Chains above").fill("2"));
        check(few.ink < all.ink, "fewer rods above a larger force");
        await changes(page, "hiding the cell", () => page.getByRole("checkbox", { name: "Cell" }).uncheck());
        await page.getByRole("checkbox", { name: "Grains" }).check();
        await page.getByRole("checkbox", { name: "Force chains" }).uncheck();
        const whole = await look(page);
        await box("Slice along").selectOption("1");
        const half = await changes(page, "a slice", () => page.getByLabel("Slice from").fill("0.5"));
        check(half.ink < whole.ink, "a slice has fewer grains");
        await changes(page, "the other end", () => page.getByLabel("Slice to").fill("0.6"));
        await box("Slice along").selectOption("-1");
        noProblems("picture");

        for (const view of ["x", "y", "z", "iso"]) await changes(page, `view ${view}`, () => page.getByRole("button", { name: `View ${view}` }).click());
        await changes(page, "perspective", () => box("Projection").selectOption("perspective"));
        await changes(page, "coming nearer", () => page.getByRole("button", { name: "Come nearer" }).click());
        await changes(page, "going away", () => page.getByRole("button", { name: "Go further away" }).click());
        await page.locator(".scene").scrollIntoViewIfNeeded();
        const scene = await page.locator(".scene").boundingBox(), [x, y] = [scene.x + scene.width / 2, scene.y + scene.height / 2];
        await changes(page, "dragging", async () => {
            await page.mouse.move(x, y);
            await page.mouse.down();
            await page.mouse.move(x + 60, y + 20, { steps: 3 });
            await page.mouse.up();
        });
        await page.locator(".scene").focus();
        for (const key of ["ArrowLeft", "ArrowUp", "Shift+ArrowRight", "+", "0"]) await changes(page, `key ${key}`, () => page.keyboard.press(key));
        await changes(page, "the wheel", async () => {
            await page.mouse.move(x, y);
            await page.mouse.wheel(0, -300);
            await page.waitForTimeout(100);
        });
        await page.getByRole("button", { name: "Reset" }).click();
        const states = data.runs[0].snapshots.length;
        if (states > 1) {
            await changes(page, "another state", () => page.getByLabel("State").fill("0"));
            check((await page.locator(".snapshots output").textContent()).includes(data.runs[0].snapshots[0].stage), "the stage of the state");
        }
        noProblems("views");
        const figures = async () => (await page.locator("#specimen .chart-card").allTextContents()).map((text) => text.replaceAll(/\s+/g, " "));
        const titled = ({ shapes }) => shapes.filter(({ kind }) => kind === "note").map(({ title }) => title.replaceAll(/[{}_]/g, ""));
        for (const at of [0, states - 1]) {
            await page.getByLabel("State").fill(String(at));
            await page.waitForTimeout(100);
            const [forces, grading] = data.runs[0].snapshots[at].figures, shown = await figures();
            equal(shown.length, 2, "two figures of the state");
            for (const text of titled(forces)) check(shown[0].includes(text), `forces of state ${at}: ${text}`);
            for (const text of ["D10", "D30", "D50", "D60"]) check(shown[1].includes(text), `grading of state ${at}: ${text}`);
            check(grading.shapes.length > 0 && shown[1].includes("Finer, by volume"), "the axis of the grading");
        }
        await page.locator("#specimen .grid").scrollIntoViewIfNeeded();
        await picture(page, "state_figures");
        noProblems("figures of the state");
        if (states > 1) await playStates(page, states);
        noProblems("film");
        await page.close();
    },

    async walls() {
        const [edge, , , , , , , , height] = last.cell;
        // A floor, and a triangle that leans to the side.
        const x = [0, 0, 0.02, 1, 0, 0.02, 1, 1, 0.02, 0, 1, 0.02, 0.6, 0, 0.02, 0.6, 1, 0.02, 1, 0.5, 1].map((value, i) => value * (i % 3 < 2 ? edge : height));
        const pack = (list) => Buffer.from(list.buffer).toString("base64");
        const walls = { vertices: 7, triangles: 3, edges: 4, left_out: 1, x: pack(Float32Array.from(x)),
            triangle: pack(Uint32Array.of(0, 1, 2, 0, 2, 3, 4, 5, 6)), edge: pack(Uint32Array.of(0, 1, 1, 2, 2, 3, 3, 0)) };
        const page = await openSpecimen(pageWith("walls.html", { ...data, runs: [{ ...data.runs[0], snapshots: [{ ...last, walls }] }] }));
        const box = page.getByRole("checkbox", { name: "Walls" });
        check(await box.isVisible(), "walls can be switched off");
        check((await page.locator(".snapshots output").textContent()).includes("walls left out"), "the reader is told what is not there");
        const before = await look(page);
        await picture(page, "walls");
        const without = await changes(page, "hiding the walls", () => box.uncheck());
        check(without.ink < before.ink, "walls cover more than the grains");
        noProblems("walls");
        await page.close();
    },

    async "a grain"() {
        const page = await openSpecimen(report);
        const box = await page.locator(".scene").boundingBox();
        await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
        const id = Number(await page.locator("#specimen input[type=number]").last().inputValue());
        const rowsOf = () => page.locator(".contacts tbody tr").evaluateAll((list) => list.map((row) => [...row.cells].map((cell) => cell.textContent)));
        const expected = contactsOf(id);
        equal((await rowsOf()).length, expected.length, `contacts of grain ${id}`);
        check((await page.locator("#said").textContent()).startsWith(`Grain ${id}, ${expected.length} contacts`), "the grain is read out");

        // By keyboard: a grain with contacts, and on to a neighbour.
        const strong = ids.find((one) => contactsOf(one).length >= 4);
        const field = page.locator("#specimen input[type=number]").last();
        await field.fill(String(strong));
        await field.press("Enter");
        const own = contactsOf(strong), rows = await rowsOf();
        equal(rows.length, own.length, `contacts of grain ${strong}`);
        const largest = Math.max(...own.map((k) => Math.hypot(f[3 * k], f[3 * k + 1], f[3 * k + 2])));
        const shown = rows[0][1].split("\u00a0"), factor = { kN: 1e3, N: 1, mN: 1e-3, "µN": 1e-6 }[shown[1]];
        check(Math.abs(Number(shown[0]) * factor / largest - 1) < 1e-3, `the largest force: ${rows[0][1]} instead of ${largest} N`);
        equal(rows.filter((row) => row[3] === "yes").length, own.filter((k) => sliding[k]).length, "sliding contacts");
        await picture(page, "grain");
        await page.locator(".contacts button").first().focus();
        await page.keyboard.press("Enter");
        equal(await field.inputValue(), rows[0][0], "on to the neighbour");
        for (const name of ["Next grain", "Previous grain", "None"]) await page.getByRole("button", { name }).click();
        equal(await field.inputValue(), "", "no grain");
        await field.fill("999999");
        await field.press("Enter");
        check((await page.locator("#specimen [role=alert]").textContent()).includes("no grain 999999"), "a grain that is not there");
        noProblems("a grain");
        await page.close();
    },

    async "picture of the screen"() {
        const page = await openSpecimen(report);
        const file = await download(page, () => page.getByRole("button", { name: "Save PNG" }).click());
        const width = await page.locator("#specimen .scene canvas").first().evaluate((canvas) => canvas.width);
        equal(file.bytes.readUInt32BE(16), width, "the pixels of the screen");
        check(file.bytes.length > 10000, `something is drawn: ${file.bytes.length} bytes`);
        noProblems("picture of the screen");
        await page.close();
    },

    async "without WebGL"() {
        const page = await open(report, { quiet: true, init: () => {
            const get = HTMLCanvasElement.prototype.getContext;
            HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
                return kind.startsWith("webgl") ? null : get.call(this, kind, ...more);
            };
        } });
        await page.locator("#specimen").scrollIntoViewIfNeeded();
        await page.getByText("This browser has no WebGL").waitFor();
        const field = page.locator("#specimen input[type=number]").last();
        await field.fill(String(ids.find((one) => contactsOf(one).length >= 4)));
        await field.press("Enter");
        check((await page.locator(".contacts tbody tr").count()) >= 4, "contacts of a grain by its number");
        await page.close();
    },

    async "many grains"() {
        const n = Number(process.env.TWIRL_WEB_GRAINS ?? 20_000), side = Math.ceil(Math.cbrt(n)), edge = 1e-3 * side, x = new Float32Array(3 * n), size = new Float32Array(n).fill(1e-3);
        let seed = 1;
        const random = () => ((seed = (seed * 48271) % 2147483647) / 2147483647);
        for (let i = 0; i < n; i++) {
            const place = [i % side, Math.floor(i / side) % side, Math.floor(i / side / side)];
            for (let a = 0; a < 3; a++) x[3 * i + a] = 1e-3 * (place[a] + 0.5 + 0.1 * random());
            size[i] *= 0.8 + 0.2 * random();
        }
        const m = n * 2, pairs = new Uint32Array(m), others = new Uint32Array(m), force = new Float32Array(3 * m);
        for (let k = 0; k < m; k++) {
            pairs[k] = k % n;
            others[k] = (k + (k < n ? 1 : side)) % n;
            force[3 * k] = random() ** 3;
        }
        const pack = (list) => Buffer.from(list.buffer).toString("base64");
        const large = { ...last, cell: [edge, 0, 0, 0, edge, 0, 0, 0, edge], shapes: [[[0, 0, 0, 0.5]]], bodies: { count: n, total: n, x: pack(x), size: pack(size) },
            contacts: { count: m, p: pack(pairs), q: pack(others), shift: pack(new Int8Array(3 * m)), f: pack(force), fn: pack(force.filter((_, i) => i % 3 === 0)), point: pack(new Float32Array(3 * m)), sliding: pack(new Uint8Array(m)) } };
        const url = pageWith("large.html", { ...data, runs: [{ ...data.runs[0], snapshots: [large] }] });
        const start = Date.now(), page = await openSpecimen(url), ready = Date.now() - start;
        const measure = (share) => page.evaluate((part) => document.querySelector(".scene").view.measure(3, part), share);
        const fine = await measure(1), coarse = await measure(0.25);
        console.log(`${n} grains: shown after ${ready} ms; ${fine.frame.toFixed(0)} ms per frame by software, ${coarse.frame.toFixed(0)} ms while it moves, ${fine.script.toFixed(1)} ms of it in our program`);
        check(fine.script < 16, `our program takes ${fine.script} ms of a frame`);
        check(coarse.frame < fine.frame, "a coarse frame is faster");

        // A card that is slow: coarse while the specimen turns, fine when it rests.
        await page.waitForFunction(() => document.querySelector(".scene canvas").width >= document.querySelector(".scene").clientWidth);
        await page.evaluate(() => {
            const scene = document.querySelector(".scene"), canvas = scene.querySelector("canvas");
            window.widths = [canvas.width];
            new MutationObserver(() => window.widths.push(canvas.width)).observe(canvas, { attributes: true });
            scene.view.pace.took(1000, 1);
        });
        await page.locator(".scene").focus();
        for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowLeft");
        await page.waitForFunction(() => window.widths.some((width) => width < 0.3 * window.widths[0]) && window.widths.at(-1) === window.widths[0]);
        const picked = Date.now();
        const box = await page.locator(".scene").boundingBox();
        await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
        await page.locator(".contacts").waitFor();
        console.log(`${n} grains: picked in ${Date.now() - picked} ms`);
        await picture(page, "large");
        noProblems("large");
        await page.close();
    },
});
await finish();
