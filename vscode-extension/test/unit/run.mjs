// Bundles the unit tests, which know nothing of VS Code, and runs them by Node's own runner.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const out = join(here, "../../out/unit");
const files = readdirSync(here).filter((file) => file.endsWith(".test.ts"));
await build({
  entryPoints: files.map((file) => join(here, file)),
  outdir: out, bundle: true, platform: "node", format: "cjs", target: "node20", sourcemap: "inline", logLevel: "warning",
});
const compiled = files.map((file) => join(out, file.replace(/\.ts$/, ".js")));
const done = spawnSync(process.execPath, ["--test", "--test-reporter=tap", ...compiled], { stdio: "inherit" });
process.exit(done.status ?? 1);
