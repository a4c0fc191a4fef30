// Compiles the tests that run inside the extension host: out/suite/run.js, and one script for each file of tests.
import { build } from "esbuild";
import { readdirSync } from "node:fs";

const here = new URL(".", import.meta.url).pathname;
const files = readdirSync(here, { recursive: true }).filter((file) => file.endsWith(".test.ts"));

await build({
  entryPoints: ["run.ts", ...files].map((file) => here + file),
  outbase: here,
  outdir: here + "../../out/suite",
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  sourcemap: "inline",
  external: ["vscode", "mocha"],
  logLevel: "warning",
});
