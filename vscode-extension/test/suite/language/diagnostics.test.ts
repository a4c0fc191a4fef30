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
    const code = found[0]!.code as { value: string; target: vscode.Uri };
    assert.equal(code.value, "undefined-name");
    await vscode.commands.executeCommand("vscode.open", code.target);
    const tab = await until("the page of the rule", () => {
      const active = vscode.window.tabGroups.activeTabGroup.activeTab;
      return active?.input instanceof vscode.TabInputCustom && active;
    });
    assert.equal((tab.input as vscode.TabInputCustom).uri.toString(), "snd-rule:/undefined-name.md");
    assert.match((await vscode.workspace.openTextDocument(code.target)).getText(), /undefined-name/);
    await vscode.window.tabGroups.close(tab);
    assert.equal(vscode.languages.getDiagnostics(file("main.sknd")).length, 0);
  });
});
