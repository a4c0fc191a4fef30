import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { file, hovers, place, shown, until } from "../editing";

interface Api {
  readonly state: { readonly kind: string; readonly server?: { readonly source: string; readonly command: string } };
}

suite("the environment that the Python extension tells", () => {
  let document: vscode.TextDocument;
  let api: Api;

  suiteSetup(async () => {
    document = (await shown("main.sknd")).document;
    api = await vscode.extensions.getExtension<Api>("snd-lang.skriptnd")!.activate();
  });

  test("one without a server leaves the search to go on, which finds none", async () => {
    await until("the end of the search", () => api.state.kind === "missing");
  });

  test("another one is taken as soon as it is chosen", async () => {
    const python = readFileSync(join(dirname(file("").fsPath), "python.txt"), "utf8");
    await vscode.commands.executeCommand("python.choose", python);
    await until("the server", () => api.state.kind === "running");
    assert.equal(api.state.server?.source, "environment");
    assert.equal(api.state.server?.command, python);
    await until("an answer", () => hovers(document.uri, place(document, "block{channels=4}")));
  });
});
