// SPDX-License-Identifier: BSD-3-Clause
// node test/run_unit.mjs: compiles the unit tests and runs them with Node's own test runner.

import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = mkdtempSync(join(tmpdir(), "twirl-page-"));
const names = readdirSync(here).filter((name) => name.endsWith(".test.ts"));
try {
    await build({ entryPoints: names.map((name) => join(here, name)), outdir: out, outExtension: { ".js": ".mjs" }, bundle: true, format: "esm", platform: "node", target: "node18", logLevel: "warning" });
    const { status } = spawnSync(process.execPath, ["--test", ...names.map((name) => join(out, name.replace(/\.ts$/, ".mjs")))], { stdio: "inherit" });
    process.exitCode = status ?? 1;
} finally {
    rmSync(out, { recursive: true });
}
