import assert from "node:assert/strict";
import * as vscode from "vscode";
import { hovers, place, shown, until } from "../editing";

const asked = vscode.commands.executeCommand;
const EXTENSION = "snd-lang.skriptnd";

suite("commands and settings", () => {
  let document: vscode.TextDocument;

  suiteSetup(async () => {
    document = (await shown("main.sknd")).document;
    await until("the server", () => hovers(document.uri, place(document, "block{channels=4}")));
  });

  test("every command that is declared is there", async () => {
    const declared: { command: string }[] = vscode.extensions.getExtension(EXTENSION)!.packageJSON.contributes.commands;
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(declared.map((each) => each.command).filter((each) => !known.has(each)), []);
    assert.ok(declared.length > 10);
  });

  test("commands of the server are not declared twice", async () => {
    const known = await vscode.commands.getCommands(true);
    const ours = known.filter((each) => each.startsWith("snd."));
    assert.equal(new Set(ours).size, ours.length);
    for (const name of ["snd.evaluate", "snd.refresh", "snd.record", "snd.cancel"]) assert.ok(ours.includes(name), name);
  });

  test("views open", async () => {
    for (const command of ["snd.showShapes", "snd.showSyntaxTree", "snd.showOutput", "snd.showGraph"]) {
      await shown("main.sknd");
      await asked(command);
    }
  });

  test("the syntax tree is a document that follows edits", async () => {
    await shown("main.sknd");
    await asked("snd.showSyntaxTree");
    const tree = await until("the tree", () =>
      vscode.workspace.textDocuments.find((each) => each.uri.scheme !== "file" && /small_net/.test(each.getText())),
    );
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, wordAt("small_net"), "tiny_net");
    await vscode.workspace.applyEdit(edit);
    await until("the tree of the new text", () => /tiny_net/.test(tree.getText()));
    await shown("main.sknd");
    await asked("undo");
    await until("the tree of the old text", () => /small_net/.test(tree.getText()));
    await asked("workbench.action.files.revert");
  });

  test("the page of a rule opens by its name", async () => {
    await asked("snd.openRulePage", "undefined-name");
    await until("the page", () =>
      vscode.window.tabGroups.all.some((group) => group.tabs.some((tab) => tab.label.includes("undefined-name"))),
    );
  });

  test("the sample at the cursor is evaluated, refreshed and cancelled", async () => {
    const editor = await shown("samples.sknd");
    const at = place(editor.document, "wave", "# >>> wave");
    editor.selection = new vscode.Selection(at, at);
    for (const command of ["evaluate", "refresh", "cancel"]) await asked(`snd.${command}SampleAtCursor`);
  });

  test("the server restarts when it is told to", async () => {
    const { document: broken } = await shown("broken.sknd");
    await until("a diagnostic", () => vscode.languages.getDiagnostics(broken.uri).length === 1);
    await asked("snd.restartServer");
    await until("a diagnostic again", () => vscode.languages.getDiagnostics(broken.uri).length === 1);
    await until("an answer", () => hovers(document.uri, place(document, "block{channels=4}")));
  });

  test("settings reach the server, and take effect at once", async () => {
    const { document: broken } = await shown("broken.sknd");
    await until("a diagnostic", () => vscode.languages.getDiagnostics(broken.uri).length === 1);
    const settings = vscode.workspace.getConfiguration("snd", broken.uri);
    await settings.update("warn", ["undefined-name"], vscode.ConfigurationTarget.Workspace);
    await until("a warning", () =>
      vscode.languages.getDiagnostics(broken.uri)[0]?.severity === vscode.DiagnosticSeverity.Warning,
    );
    await settings.update("warn", undefined, vscode.ConfigurationTarget.Workspace);
    await until("an error", () =>
      vscode.languages.getDiagnostics(broken.uri)[0]?.severity === vscode.DiagnosticSeverity.Error,
    );
  });

  test("a file snd.toml takes effect when it is saved", async () => {
    const { document: broken } = await shown("broken.sknd");
    const toml = vscode.Uri.joinPath(broken.uri, "../snd.toml");
    await until("a diagnostic", () => vscode.languages.getDiagnostics(broken.uri).length === 1);
    await vscode.workspace.fs.writeFile(toml, Buffer.from('warn = ["undefined-name"]\n'));
    await until("a warning", () =>
      vscode.languages.getDiagnostics(broken.uri)[0]?.severity === vscode.DiagnosticSeverity.Warning,
    );
    await vscode.workspace.fs.delete(toml);
    await until("an error", () =>
      vscode.languages.getDiagnostics(broken.uri)[0]?.severity === vscode.DiagnosticSeverity.Error,
    );
  });

  test("every setting that is declared has a default of its type", () => {
    const { configuration } = vscode.extensions.getExtension(EXTENSION)!.packageJSON.contributes;
    for (const { properties } of [configuration].flat() as { properties: Record<string, { default: unknown }> }[]) {
      for (const [key, declared] of Object.entries(properties)) {
        assert.deepEqual(vscode.workspace.getConfiguration().inspect(key)!.defaultValue, declared.default, key);
      }
    }
  });

  function wordAt(word: string): vscode.Range {
    const at = place(document, word);
    return new vscode.Range(at, at.translate(0, word.length));
  }
});
