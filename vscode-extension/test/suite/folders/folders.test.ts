import assert from "node:assert/strict";
import * as vscode from "vscode";
import { children, hovers, place, until } from "../editing";

const MISTAKE = "undefined-name";

suite("two workspace folders", () => {
  const folders = () => vscode.workspace.workspaceFolders!;
  const open = async (folder: number, name: string) =>
    await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folders()[folder]!.uri, name));

  test("one server serves both, each with modules of its own", async () => {
    assert.equal(folders().length, 2);
    const first = await open(0, "main.sknd");
    const second = await open(1, "main.sknd");
    for (const document of [first, second]) {
      await until("an answer", () => hovers(document.uri, place(document, "part(")));
    }
    assert.match(await hovers(first.uri, place(first, "part(")), /Twice/);
    assert.match(await hovers(second.uri, place(second, "part(")), /Thrice/);
    assert.equal(children().filter((line) => /\blsp\b/.test(line)).length, 1);
  });

  test("settings hold for their folder alone", async () => {
    const found = await until("diagnostics of both", async () => {
      const both = [await open(0, "wrong.sknd"), await open(1, "wrong.sknd")];
      const all = both.map((document) => vscode.languages.getDiagnostics(document.uri));
      return all.every((each) => each.length === 1) && all.map((each) => each[0]!);
    });
    for (const each of found) {
      assert.equal(typeof each.code === "object" ? each.code.value : each.code, MISTAKE);
    }
    const { Error, Warning } = vscode.DiagnosticSeverity;
    await until("the settings", async () => {
      const both = [await open(0, "wrong.sknd"), await open(1, "wrong.sknd")];
      const [first, second] = both.map((document) => vscode.languages.getDiagnostics(document.uri)[0]?.severity);
      return first === Error && second === Warning;
    });
  });

  async function changed(change: () => boolean): Promise<void> {
    const done = new Promise<void>((resolve) => {
      const listening = vscode.workspace.onDidChangeWorkspaceFolders(() => {
        listening.dispose();
        resolve();
      });
    });
    assert.ok(change());
    await done;
  }

  test("a folder that is removed, and added again, is known", async () => {
    const removed = folders()[1]!;
    await changed(() => vscode.workspace.updateWorkspaceFolders(1, 1));
    assert.equal(folders().length, 1);
    await changed(() => vscode.workspace.updateWorkspaceFolders(1, 0, { uri: removed.uri, name: removed.name }));
    assert.equal(folders().length, 2);
    const second = await open(1, "main.sknd");
    await until("an answer", async () => /Thrice/.test(await hovers(second.uri, place(second, "part("))));
  });
});
