// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the page share: runs and reports, a browser, checks.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateSync } from "node:zlib";

export const twirl = process.env.TWIRL;
export const webFolder = process.env.TWIRL_WEB_FOLDER;
const pictures = process.env.TWIRL_PICTURES;
const chromium = process.env.TWIRL_CHROMIUM ?? "/usr/bin/chromium";
const pageFile = join(webFolder, "dist/page.html");

export const folder = mkdtempSync(join(tmpdir(), "twirl-web-"));
mkdirSync(pictures, { recursive: true });

export function skip(why) {
    console.log(`skipped: ${why}`);
    rmSync(folder, { recursive: true, force: true });
    process.exit(77);
}

export function needPage() {
    if (!existsSync(pageFile) || statSync(pageFile).size === 0) skip("the page has not been built: npm could not fetch its packages");
}

// ---- Checks ----

let failures = 0;
let checks = 0;

export function check(condition, text) {
    checks++;
    if (condition) return;
    failures++;
    console.error(`FAILED: ${text}`);
}

export function equal(actual, expected, text) {
    check(Object.is(actual, expected), `${text}: ${JSON.stringify(actual)?.slice(0, 300)} instead of ${JSON.stringify(expected)?.slice(0, 300)}`);
}

/** Runs the parts of a test; an exception ends one part, and is a failure. */
export async function play(parts) {
    const only = process.argv[2];
    for (const [name, part] of Object.entries(parts)) {
        if (only && only !== name) continue;
        const start = Date.now();
        try {
            await part();
        } catch (error) {
            check(false, `${name}: ${error.stack ?? error}`);
        }
        console.log(`${name}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
    }
}

// ---- Runs and reports ----

export function call(...args) {
    const { status, stdout, stderr } = spawnSync(twirl, args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
    if (status !== 0) throw new Error(`twirl ${args.join(" ")}: ${stderr}`);
    return stdout;
}

export const scenario = `title: Drained triaxial compression of dense spheres
specimen:
  count: 60
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, friction: 0.1}
material: {stiffness_level: 1000, friction: 0.5}
stages:
  - {name: settle, path: isotropic, pressure: 100 kPa}
  - {name: shear, path: triaxial, inertial_number: 1e-2, end: {strain: 1 %}}
output: {history: {strain: 2e-4}}
`;

export function makeRun(name, ...settings) {
    return runScenario(scenario, name, ...settings);
}

export function runScenario(text, name, ...settings) {
    writeFileSync(join(folder, "sample.yaml"), text);
    call("run", "sample.yaml", "--out", name, "--quiet", ...settings.flatMap((setting) => ["--set", setting]));
    return join(folder, name);
}

export function makeReport(file, ...runs) {
    call("report", ...runs, "--out", file);
    return pathToFileURL(join(folder, file)).href;
}

export function dataOf(...runs) {
    return JSON.parse(call("report", "--json", "-", ...runs));
}

/** A page with any data, made as the program does. */
export function pageWith(file, data) {
    const text = typeof data === "string" ? data : deflateSync(JSON.stringify(data)).toString("base64");
    const element = `<script type="application/octet-stream" id="twirl-data">${text}</script>`;
    writeFileSync(join(folder, file), readFileSync(pageFile, "utf8").replace("<!--TWIRL-DATA-->", () => element));
    return pathToFileURL(join(folder, file)).href;
}

export function readHistory(run) {
    const [header, ...lines] = readFileSync(join(run, "history.csv"), "utf8").trim().split("\n");
    const names = header.split(",");
    return lines.map((line) => Object.fromEntries(line.split(",").map((cell, i) => [names[i], cell])));
}

// ---- The browser ----

let context = null;
const problems = [];

export async function openBrowser(width = 1280, height = 1300) {
    if (!existsSync(chromium)) skip(`${chromium} is not there; scripts/setup test installs it`);
    let playwright;
    try {
        playwright = (await import(pathToFileURL(join(webFolder, "node_modules/playwright-core/index.mjs")).href)).chromium;
    } catch {
        skip("playwright-core is not there: the page was built without the packages for tests");
    }
    context = await playwright.launchPersistentContext(join(folder, "browser"), {
        executablePath: chromium, headless: true, viewport: { width, height }, acceptDownloads: true, reducedMotion: "reduce",
        args: ["--no-sandbox", "--disable-gpu-compositing", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-watchdog", "--disable-quic",
            "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    });
    context.setDefaultTimeout(30_000);
}

/** A page whose errors count as failures, and whose requests to anywhere but itself do too. */
export async function open(url, { quiet = false, ready = "main h1", init } = {}) {
    const page = await context.newPage();
    page.on("console", (message) => {
        if (["error", "warning"].includes(message.type()) && !quiet && !message.text().includes("GPU stall due to ReadPixels")) problems.push(message.text());
    });
    page.on("pageerror", (error) => quiet || problems.push(error.message));
    page.on("request", (request) => {
        if (!/^(file|blob|data):/.test(request.url()) && !request.url().startsWith("http://127.0.0.1:")) problems.push(`request to ${request.url().slice(0, 100)}`);
    });
    if (init) await page.addInitScript(init);
    await page.goto(url);
    await page.waitForSelector(ready);
    return page;
}

/** A page of nothing, without the policy of ours. */
export async function openBlank() {
    return await context.newPage();
}

export function noProblems(where) {
    check(problems.length === 0, `${where}: messages of the browser: ${problems.join(" | ").slice(0, 1000)}`);
    problems.length = 0;
}

/** For looking at. */
export async function picture(page, name, options = {}) {
    await page.screenshot({ path: join(pictures, `${name}.png`), ...options });
}

export async function download(page, press) {
    const [file] = await Promise.all([page.waitForEvent("download"), press()]);
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

export async function finish() {
    await context?.close();
    rmSync(folder, { recursive: true, force: true });
    console.log(`${checks} checks, ${failures} failed`);
    process.exit(failures > 0 ? 1 : 0);
}
