import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import * as vscode from "vscode";
import { file, hovers, place, shown, until } from "../editing";

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

  test("folders of modules that are moved or deleted by others are noticed", async () => {
    const [parts, pieces, main] = ["parts", "pieces", "importing.sknd"].map((name) => file(name).fsPath);
    mkdirSync(`${parts}/inner`, { recursive: true });
    writeFileSync(`${parts}/inner/copies.sknd`, "operator copy { @input { x: real[n]; } @output { y: real[n]; } @lower { y[i,] = x[i,], i < n; } }\n");
    writeFileSync(main!, "import parts.inner.copies;\n\ngraph g { @input { a: real[4]; } @output { b: real[4]; } @compose { b = parts.inner.copies.copy(a); } }\n");
    const { document } = await shown("importing.sknd");
    const rules = () =>
      vscode.languages.getDiagnostics(document.uri).map((each) => (each.code as { value: string }).value);
    const missing = () => rules().includes("module-not-found");
    await until("an answer", () => hovers(document.uri, place(document, "copy(")));
    assert.ok(!missing());
    renameSync(parts!, pieces!);
    await until("the module to be missing", missing);
    renameSync(pieces!, parts!);
    await until("the module to be found", () => !missing());
    rmSync(parts!, { recursive: true });
    await until("the module to be missing", missing);
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    rmSync(main!);
  });
});
