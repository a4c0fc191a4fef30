// What VS Code calls in the extension host. `scenario.json` beside the first workspace folder names the folder of tests
// to run and the file for what comes of them; it is written again after each test, so that a hang loses no result.
import { readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Mocha from "mocha";
import * as vscode from "vscode";
import { PATIENCE, until } from "./editing";

interface Result {
  readonly file: string;
  readonly title: string;
  readonly milliseconds: number;
  readonly error: string | null;
}

export async function run(): Promise<void> {
  // Those of a workspace file may be known only after the extension host has started.
  const folder = await until("a workspace folder", () => vscode.workspace.workspaceFolders?.[0]);
  const scenario = JSON.parse(readFileSync(join(dirname(folder.uri.fsPath), "scenario.json"), "utf8"));
  const results: Result[] = [];
  const write = (finished: boolean) => {
    writeFileSync(scenario.results + ".part", JSON.stringify({ finished, results }, undefined, 2));
    renameSync(scenario.results + ".part", scenario.results);
  };
  const mocha = new Mocha({ ui: "tdd", timeout: 2_000 * PATIENCE });
  mocha.reporter(function (runner: Mocha.Runner) {
    const add = (test: Mocha.Runnable, error: unknown) => {
      const file = test.file?.replace(/^.*[\\/]/, "").replace(/\.js$/, "") ?? "";
      results.push({ file, title: test.title, milliseconds: test.duration ?? 0, error: described(error) });
      write(false);
    };
    runner.on("pass", (test) => add(test, undefined));
    runner.on("fail", (test, error) => add(test, error));
  } as unknown as Mocha.ReporterConstructor);
  const tests = join(__dirname, scenario.tests);
  for (const file of readdirSync(tests).sort()) {
    if (file.endsWith(".test.js")) mocha.addFile(join(tests, file));
  }
  await new Promise<void>((resolve) => void mocha.run(() => resolve()));
  write(true);
}

function described(error: unknown): string | null {
  if (error === undefined) return null;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
