// SPDX-License-Identifier: BSD-3-Clause
// node build.mjs --out DIR: writes DIR/page.html, the page with its styles and program inside.

import { build } from "esbuild";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const option = process.argv.indexOf("--out");
if (option < 0 || !process.argv[option + 1]) {
    console.error("usage: node build.mjs --out DIR");
    process.exit(2);
}
const out = resolve(process.argv[option + 1]);

const { outputFiles } = await build({
    entryPoints: [join(here, "src/main.ts")],
    absWorkingDir: here,
    bundle: true,
    minify: true,
    write: false,
    outdir: "out",
    format: "iife",
    target: ["chrome103", "firefox113", "safari16.4"], // the first with DecompressionStream and findLast
    legalComments: "inline", // licences of the libraries travel with the page
    charset: "ascii",
});

// "</script" and "<!--" would end or change the element that they stand in; the program looks for "<title>".
const script = outputFiles
    .find((file) => file.path.endsWith(".js"))
    .text.replaceAll(/<\/(script)/gi, "<\\/$1")
    .replaceAll("<!--", "\\x3c!--")
    .replaceAll("<title", "\\x3ctitle");
const style = outputFiles.find((file) => file.path.endsWith(".css")).text.replaceAll("</", "<\\/");

const template = await readFile(join(here, "src/page.html"), "utf8");
const page = template.replace("/*STYLE*/", () => style).replace("/*SCRIPT*/", () => script);
for (const mark of ["<!--TWIRL-DATA-->", "<title>"])
    if (page.split(mark).length !== 2) throw new Error(`${mark} must be in the page exactly once`);

await mkdir(out, { recursive: true });
await writeFile(join(out, "page.html.tmp"), page);
await rename(join(out, "page.html.tmp"), join(out, "page.html"));
