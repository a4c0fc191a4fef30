// Bundles the extension, and the code of its pages. `--minify` for packages; else with source maps.
import { build } from "esbuild";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { notices } from "./notices.mjs";

const minify = process.argv.includes("--minify");
const common = { bundle: true, minify, sourcemap: !minify, logLevel: "warning", legalComments: "none" };

// Nothing of an earlier build gets into a package.
mkdirSync("dist", { recursive: true });
for (const file of readdirSync("dist").filter((name) => /\.(js|css|map)$/.test(name))) rmSync(`dist/${file}`);

// For Node, in the extension host.
const { metafile } = await build({
  ...common,
  metafile: true,
  entryPoints: { extension: "src/extension.ts" },
  outdir: "dist",
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
});

// For the pages of the table of shapes and of the data flow: a script without modules, and a style sheet, for each.
await build({
  ...common,
  entryPoints: { shapes: "src/views/shapes/page.ts", flow: "src/views/flow/page.ts" },
  outdir: "dist",
  platform: "browser",
  format: "iife",
  target: "es2022",
});

// The drawing of graphs is in the wheel, with its licences.
writeFileSync("dist/licences.txt", notices(metafile));
