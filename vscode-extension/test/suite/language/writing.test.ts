import assert from "node:assert/strict";
import * as vscode from "vscode";
import { file, hovers, place, shown, until, write } from "../editing";

const asked = vscode.commands.executeCommand;

suite("writing", () => {
  let document: vscode.TextDocument;
  let text: string;

  suiteSetup(async () => {
    document = (await shown("main.sknd")).document;
    text = document.getText();
    await until("the server", () => hovers(document.uri, place(document, "block{channels=4}")));
  });

  teardown(async () => {
    await write(document, text);
    await document.save();
  });

  async function completed(at: vscode.Position, resolved = 0): Promise<vscode.CompletionItem[]> {
    const list = await asked<vscode.CompletionList>(
      "vscode.executeCompletionItemProvider", document.uri, at, undefined, resolved,
    );
    return list.items.filter((each) => each.kind !== vscode.CompletionItemKind.Text);
  }
  const named = (items: vscode.CompletionItem[], name: string) =>
    items.find((each) => (typeof each.label === "string" ? each.label : each.label.label) === name);

  test("members of modules are offered behind the dot", async () => {
    await write(document, text.replace("math.tanh(parts)", "math."));
    const items = await completed(place(document, ";", "math.;"));
    for (const name of ["tanh", "exp", "add"]) assert.ok(named(items, name), name);
  });

  test("what is not imported yet brings its import", async () => {
    await write(document, text.replace("math.tanh(parts)", "softm"));
    const end = place(document, "softm").translate(0, "softm".length);
    const items = await completed(end, 50);
    const found = items.find((each) => JSON.stringify(each.additionalTextEdits ?? []).includes("nn"));
    assert.ok(found, items.map((each) => JSON.stringify(each.label)).join(" "));
  });

  test("attributes are offered between braces", async () => {
    await write(document, text.replace("block{channels=8}", "block{channels=8, }"));
    const items = await completed(place(document, "}", "channels=8, }"));
    assert.ok(items.some((each) => JSON.stringify(each.label).includes("size")));
  });

  test("signatures help with the argument that is being written", async () => {
    const at = place(document, "image);").translate(0, 2);
    const found = await asked<vscode.SignatureHelp>("vscode.executeSignatureHelpProvider", document.uri, at);
    assert.match(found.signatures[found.activeSignature]!.label, /block/);
    const parameter = found.signatures[0]!.parameters[found.activeParameter]!;
    const label = found.signatures[0]!.label;
    const name = typeof parameter.label === "string" ? parameter.label : label.slice(...parameter.label);
    assert.match(name, /^x\b/);
  });

  test("renaming changes all files", async () => {
    const blocks = await vscode.workspace.openTextDocument(file("blocks.sknd"));
    const before = blocks.getText();
    const edit = await asked<vscode.WorkspaceEdit>(
      "vscode.executeDocumentRenameProvider", document.uri, place(document, "block{channels=4}"), "stage",
    );
    assert.equal(edit.entries().length, 2);
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.match(blocks.getText(), /^operator stage \{/m);
    assert.match(document.getText(), /blocks\.stage\{channels=4\}[^]*blocks\.stage\{channels=8\}/);
    await write(blocks, before);
    await blocks.save();
  });

  test("a name that can't be is refused", async () => {
    const at = place(document, "block{channels=4}");
    const renamed = asked("vscode.executeDocumentRenameProvider", document.uri, at, "graph");
    await assert.rejects(Promise.resolve(renamed));
  });

  test("files that are renamed keep their imports right", async () => {
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(file("blocks.sknd"), file("parts.sknd"));
    assert.ok(await vscode.workspace.applyEdit(edit));
    await until("the import to follow", () => document.getText().includes("import parts"));
    const back = new vscode.WorkspaceEdit();
    back.renameFile(file("parts.sknd"), file("blocks.sknd"));
    assert.ok(await vscode.workspace.applyEdit(back));
    await until("the import to follow back", () => document.getText().includes("import blocks"));
  });

  test("documents are formatted", async () => {
    const { document: crooked } = await shown("unformatted.sknd");
    const edits = await asked<vscode.TextEdit[]>(
      "vscode.executeFormatDocumentProvider", crooked.uri, { tabSize: 4, insertSpaces: true },
    );
    const edit = new vscode.WorkspaceEdit();
    edit.set(crooked.uri, edits);
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.match(crooked.getText(), /^operator negate \{\n {4}@input \{\n/);
    await asked("workbench.action.files.revert");
  });

  test("a quick fix mends a mistake", async () => {
    const { document: broken } = await shown("broken.sknd");
    const found = await until("a diagnostic", () => vscode.languages.getDiagnostics(broken.uri)[0]);
    const actions = await asked<vscode.CodeAction[]>("vscode.executeCodeActionProvider", broken.uri, found.range);
    const fix = actions.find((each) => /image/.test(each.title));
    assert.ok(fix, actions.map((each) => each.title).join(", "));
    const before = broken.getText();
    const resolved = fix.edit ?? (await resolvedEdit(broken.uri, found.range, fix.title));
    assert.ok(await vscode.workspace.applyEdit(resolved));
    await until("no diagnostics", () => vscode.languages.getDiagnostics(broken.uri).length === 0);
    await write(broken, before);
    await until("the diagnostic again", () => vscode.languages.getDiagnostics(broken.uri).length === 1);
    await broken.save();
  });

  async function resolvedEdit(uri: vscode.Uri, range: vscode.Range, title: string): Promise<vscode.WorkspaceEdit> {
    const actions = await asked<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider", uri, range, undefined, 30,
    );
    return actions.find((each) => each.title === title)!.edit!;
  }

  test("documents that are no files are served too", async () => {
    const untitled = await vscode.workspace.openTextDocument({
      language: "skriptnd",
      content: "import nn;\ngraph g { @input { x: real[2]; } @output { y: real[2]; } @compose { y = nn.relu(z); } }\n",
    });
    await vscode.window.showTextDocument(untitled);
    const found = await until("a diagnostic", () => vscode.languages.getDiagnostics(untitled.uri)[0]);
    assert.equal(untitled.getText(found.range), "z");
    assert.match(await hovers(untitled.uri, place(untitled, "relu")), /relu/);
    await asked("workbench.action.revertAndCloseActiveEditor");
  });
});
