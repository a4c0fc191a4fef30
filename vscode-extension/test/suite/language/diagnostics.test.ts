import assert from "node:assert/strict";
import * as vscode from "vscode";
import { file, shown, until } from "../editing";

suite("diagnostics", () => {
  test("the language is known by the suffix", async () => {
    const { document } = await shown("main.sknd");
    assert.equal(document.languageId, "skriptnd");
  });

  test("a mistake is told where it is, with the rule and its page", async () => {
    const { document } = await shown("broken.sknd");
    const found = await until("a diagnostic", () => {
      const all = vscode.languages.getDiagnostics(document.uri);
      return all.length > 0 && all;
    });
    assert.deepEqual(found.map((each) => document.getText(each.range)), ["imag"]);
    assert.equal(found[0]!.source, "snd");
    assert.equal(vscode.languages.getDiagnostics(file("main.sknd")).length, 0);
  });
});
