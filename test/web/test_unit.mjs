// SPDX-License-Identifier: BSD-3-Clause
// Types and units of the page's parts: `npm test` of web/.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.TWIRL_WEB_FOLDER;
const compiler = join(folder, "node_modules/typescript/bin/tsc");
if (!existsSync(compiler)) {
    console.log("skipped: npm could not fetch its packages");
    process.exit(77);
}
for (const args of [[compiler, "--noEmit"], ["test/run_unit.mjs"]]) {
    const { status } = spawnSync(process.execPath, args, { cwd: folder, stdio: "inherit" });
    if (status !== 0) process.exit(1);
}
