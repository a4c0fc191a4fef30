// The licences of the packages whose code is in a bundle, as they ask for: one text for all.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const OF_PACKAGE = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** The notices for the packages in the `metafile`s of builds by esbuild. */
export function notices(...metafiles) {
  const folders = new Map();
  for (const input of metafiles.flatMap((each) => Object.keys(each.inputs))) {
    const found = OF_PACKAGE.exec(input);
    if (found !== null) folders.set(found[2], found[1]);
  }
  return [...folders].sort().map(([name, folder]) => {
    const { version, license, repository } = JSON.parse(readFileSync(join(here, folder, "package.json"), "utf8"));
    const source = String(repository?.url ?? repository ?? "").replace(/^git\+|\.git$/g, "");
    const file = readdirSync(join(here, folder)).find((each) => /^licen[cs]e/i.test(each));
    if (file === undefined) throw new Error(`${name} has no text of its licence`);
    return `${name} ${version} (${license})${source && `\nSource code: ${source}`}\n\n${readFileSync(join(here, folder, file), "utf8").trim()}\n`;
  }).join(`\n${"-".repeat(80)}\n`);
}
