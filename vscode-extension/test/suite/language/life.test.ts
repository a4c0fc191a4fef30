import assert from "node:assert/strict";
import * as vscode from "vscode";
import { children, hovers, place, shown, until } from "../editing";

/** The language servers of this extension host, by their process numbers. */
function servers(): number[] {
  return children().filter((line) => /\blsp\b/.test(line)).map((line) => Number.parseInt(line, 10));
}

suite("life of the server", () => {
  let document: vscode.TextDocument;

  suiteSetup(async () => {
    document = (await shown("main.sknd")).document;
    await until("the server", () => hovers(document.uri, place(document, "block{channels=4}")));
  });

  test("there is one server for the window", () => {
    assert.equal(servers().length, 1);
  });

  test("a server that is killed is started again, later each time, and knows what was not saved", async () => {
    const unsaved = new vscode.WorkspaceEdit();
    unsaved.insert(document.uri, place(document, "edges ="), "unsaved_name = blocks.block{channels=2}(image);\n        ");
    await vscode.workspace.applyEdit(unsaved);
    const pauses: number[] = [];
    for (let times = 0; times < 2; times++) {
      const [old] = await until("a server", () => servers().length === 1 && servers());
      await until("an answer", () => hovers(document.uri, place(document, "unsaved_name")));
      process.kill(old!, "SIGKILL");
      const killed = Date.now();
      await until("another server", () => servers().some((each) => each !== old));
      pauses.push(Date.now() - killed);
    }
    const text = await until("an answer", () => hovers(document.uri, place(document, "unsaved_name")));
    assert.match(text, /\[1, ?2, ?16, ?16\]/);
    assert.ok(pauses[0]! >= 900 && pauses[1]! >= 1900, `${pauses} ms`);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });
});
