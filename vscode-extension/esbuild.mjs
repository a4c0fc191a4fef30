// Bundles the extension, and the code of its pages. `--minify` for packages; else with source maps.
import { build } from "esbuild";
import { existsSync } from "node:fs";
import { bundleGraph } from "./graph.mjs";

const minify = process.argv.includes("--minify");
const common = { bundle: true, minify, sourcemap: !minify, logLevel: "warning", legalComments: "none" };

// For Node, in the extension host.
await build({
  ...common,
  entryPoints: { extension: "src/extension.ts" },
  outdir: "dist",
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
});

// For pages: webviews and files that stand alone. Each is one script without modules.
const pages = { shapes: "src/views/shapes/page.ts" };
const entryPoints = Object.fromEntries(Object.entries(pages).filter(([, path]) => existsSync(path)));
if (Object.keys(entryPoints).length > 0) {
  await build({ ...common, entryPoints, outdir: "dist", platform: "browser", format: "iife", target: "es2022" });
}

// The drawing of graphs, as `snd graph` has it too.
await bundleGraph("dist");
