import assert from "node:assert/strict";
import * as vscode from "vscode";
import { shown, until } from "../editing";

suite("lenses", () => {
  test("no line has the same lens twice", async () => {
    for (const name of ["main.sknd", "blocks.sknd", "samples.sknd"]) {
      const { document } = await shown(name);
      const lenses = await until("lenses", async () => {
        const found = await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", document.uri, 50);
        return found.some((each) => / references?$/.test(each.command?.title ?? "")) && found;
      });
      const said = lenses.map((each) => `${each.range.start.line} ${each.command?.title}`);
      assert.deepEqual(said, [...new Set(said)]);
    }
  });
});
