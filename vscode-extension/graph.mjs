// Bundles the drawing of graphs: the engine, which lays out and draws without a page, and the page. `node graph.mjs` writes
// the files of the command line, which are committed, with the licence of the library that they contain; the extension
// takes them from the wheel that it carries.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { build, version } from "esbuild";
import { fileURLToPath } from "node:url";
import { notices } from "./notices.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));

/** The bundled files, as the metadata of a build names them. */
const LIBRARY = { inputs: { "node_modules/elkjs/lib/main.js": {} } };

async function bundleGraph(outdir) {
  const common = {
    absWorkingDir: here, bundle: true, minify: true, outdir, format: "iife", target: "es2022", platform: "browser",
    legalComments: "none", logLevel: "warning", charset: "ascii", loader: { ".css": "text" },
  };
  const elkjs = JSON.parse(readFileSync(`${here}node_modules/elkjs/package.json`, "utf8")).version;
  const of = `vscode-extension/src/graph (sources ${digest()}) by \`node graph.mjs\` with esbuild ${version}, elkjs ${elkjs}.`;
  const banner = (licence) => ({ js: `/* Generated from ${of}${licence} */` });
  // The library takes itself for a worker of its own where there is no document.
  await build({
    ...common, entryPoints: { "graph-engine": "src/graph/engine.ts" }, define: { self: "globalThis", document: "0" },
    banner: banner(" Contains elkjs (github.com/kieler/elkjs), EPL-2.0."),
  });
  await build({ ...common, entryPoints: { "graph-page": "src/graph/page/main.ts" }, banner: banner("") });
}

/** Tells whether files were made of other sources than these, also where another esbuild would write them otherwise. */
function digest() {
  const hash = createHash("sha256");
  const names = readdirSync(`${here}src/graph`, { recursive: true }).map(String).filter((name) => /\.(ts|css)$/.test(name));
  for (const name of names.sort()) hash.update(readFileSync(`${here}src/graph/${name}`));
  return hash.digest("hex").slice(0, 16);
}

const folder = process.argv[2] ?? fileURLToPath(new URL("../server/snd_server/drawing", import.meta.url));
await bundleGraph(folder);
writeFileSync(`${folder}/licences.txt`, notices(LIBRARY));
