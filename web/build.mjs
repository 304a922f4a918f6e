// Builds the page into the Python package: node build.mjs [FOLDER]. Beside the files lies a hash of the sources that they are the
// build of, by which the tests know without node whether somebody forgot to build.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "../src/assay/viewer/static");

const made = await build({
  absWorkingDir: here,
  entryPoints: { app: "src/app.tsx" },
  outdir: "out",
  bundle: true,
  write: false,
  minify: true,
  charset: "ascii",
  target: "es2022",
  format: "iife",
  legalComments: "none",
  metafile: true,
});

const packages = new Set();
for (const input of Object.keys(made.metafile.inputs)) {
  const found = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/);
  if (found) packages.add(found[1]);
}
let licences = "What is bundled in app.js beside assay's own code:\n";
for (const name of [...packages].sort()) {
  const about = JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8"));
  const text = readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim();
  licences += `\n${name} ${about.version} (${about.license})\n\n${text}\n`;
}

const sources = [
  ...readdirSync(join(here, "src")).filter((name) => /\.(tsx?|css)$/.test(name)).map((name) => `src/${name}`),
  "build.mjs", "package-lock.json", "package.json", "tsconfig.json",
].sort();
const digest = createHash("sha256");
for (const name of sources) {
  digest.update(`${name}\n`);
  digest.update(readFileSync(join(here, name)));
}

mkdirSync(out, { recursive: true });
for (const file of made.outputFiles) {
  const name = file.path.endsWith(".css") ? "app.css" : "app.js";
  if (/<\/(script|style)|<!--/i.test(file.text)) throw new Error(`${name} would end the element that it stands in`);
  writeFileSync(join(out, name), file.text);
}
writeFileSync(join(out, "licences.txt"), licences);
writeFileSync(join(out, "sources.sha256"), `${digest.digest("hex")}\n`);
