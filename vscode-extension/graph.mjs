// Bundles the drawing of graphs: the engine, which lays out and draws without a page, and the page. Extension and
// command line use the same files; `node graph.mjs` writes those of the command line, which are committed.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

export async function bundleGraph(outdir) {
  const common = {
    absWorkingDir: here, bundle: true, minify: true, outdir, format: "iife", target: "es2022", platform: "browser",
    legalComments: "none", logLevel: "warning", charset: "ascii", loader: { ".css": "text" },
  };
  const banner = (licence) => ({
    js: `/* Generated from vscode-extension/src/graph by \`node graph.mjs\`.${licence} */`,
  });
  // The library takes itself for a worker of its own where there is no document.
  await build({
    ...common, entryPoints: { "graph-engine": "src/graph/engine.ts" }, define: { self: "globalThis", document: "0" },
    banner: banner(" Contains elkjs (github.com/kieler/elkjs), EPL-2.0."),
  });
  await build({ ...common, entryPoints: { "graph-page": "src/graph/page/main.ts" }, banner: banner("") });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bundleGraph(process.argv[2] ?? fileURLToPath(new URL("../server/snd_server/drawing", import.meta.url)));
}
