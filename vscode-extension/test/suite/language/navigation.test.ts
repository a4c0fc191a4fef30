import assert from "node:assert/strict";
import * as vscode from "vscode";
import { hovers, place, shown, until } from "../editing";

const asked = vscode.commands.executeCommand;
type Place = vscode.Location | vscode.LocationLink;

function target(found: Place): string {
  const uri = "targetUri" in found ? found.targetUri : found.uri;
  const range = "targetUri" in found ? (found.targetSelectionRange ?? found.targetRange) : found.range;
  return `${uri.path.replace(/^.*\//, "")}:${range.start.line + 1}`;
}

suite("finding one's way", () => {
  let document: vscode.TextDocument;

  suiteSetup(async () => {
    document = (await shown("main.sknd")).document;
    await until("the server", () => hovers(document.uri, place(document, "block{channels=4}")));
  });

  test("hovers tell the signature and what the comment says", async () => {
    const text = await hovers(document.uri, place(document, "block{channels=4}"));
    assert.match(text, /operator block/);
    assert.match(text, /A convolution, and what is usual behind it/);
  });

  test("hovers of tensors tell their shapes", async () => {
    assert.match(await hovers(document.uri, place(document, "edges =")), /real\[1, ?4, ?16, ?16\]/);
  });

  test("a definition is found in another file", async () => {
    const at = place(document, "block{channels=4}");
    const found = await asked<Place[]>("vscode.executeDefinitionProvider", document.uri, at);
    assert.deepEqual(found.map(target), ["blocks.sknd:4"]);
  });

  test("a definition is found in the standard library, whose file opens", async () => {
    const found = await asked<Place[]>("vscode.executeDefinitionProvider", document.uri, place(document, "tanh("));
    assert.equal(found.length, 1);
    const uri = "targetUri" in found[0]! ? found[0].targetUri : (found[0] as vscode.Location).uri;
    const opened = await vscode.workspace.openTextDocument(uri);
    assert.match(opened.fileName, /math\.sknd$/);
    assert.equal(opened.languageId, "skriptnd");
  });

  test("references are found in all files, with and without the declaration", async () => {
    const blocks = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(document.uri, "../blocks.sknd"));
    const at = place(blocks, "block {");
    const found = await asked<vscode.Location[]>("vscode.executeReferenceProvider", blocks.uri, at);
    assert.deepEqual(found.map(target).sort(), ["blocks.sknd:4", "main.sknd:15", "main.sknd:16"]);
  });

  test("the other places of a name are highlighted", async () => {
    const at = place(document, "edges =");
    const found = await asked<vscode.DocumentHighlight[]>("vscode.executeDocumentHighlights", document.uri, at);
    assert.deepEqual(found.map((each) => each.range.start.line + 1).sort(), [15, 16]);
  });

  test("the outline has graphs with what they declare", async () => {
    const found = await asked<vscode.DocumentSymbol[]>("vscode.executeDocumentSymbolProvider", document.uri);
    assert.deepEqual(found.map((each) => each.name), ["small_net"]);
    const inside = JSON.stringify(found[0]!.children.flatMap((block) => block.children.map((each) => each.name)));
    for (const name of ["batch", "image", "activity"]) assert.ok(inside.includes(name), inside);
  });

  test("symbols of the workspace are found by their names", async () => {
    const found = await asked<vscode.SymbolInformation[]>("vscode.executeWorkspaceSymbolProvider", "smallnet");
    assert.ok(found.some((each) => each.name.includes("small_net") && target(each.location) === "main.sknd:4"));
  });

  test("calls are told both ways", async () => {
    const [item] = await asked<vscode.CallHierarchyItem[]>(
      "vscode.prepareCallHierarchy", document.uri, place(document, "block{channels=4}"),
    );
    assert.equal(item!.name, "block");
    const into = await asked<vscode.CallHierarchyIncomingCall[]>("vscode.provideIncomingCalls", item);
    assert.deepEqual(into.map((each) => [each.from.name, each.fromRanges.length]), [["small_net", 2]]);
    const out = await asked<vscode.CallHierarchyOutgoingCall[]>("vscode.provideOutgoingCalls", item);
    assert.deepEqual(out.map((each) => each.to.name).sort(), ["conv", "relu"]);
  });

  test("blocks can be folded", async () => {
    const found = await asked<vscode.FoldingRange[]>("vscode.executeFoldingRangeProvider", document.uri);
    const lines = found.map((each) => each.start + 1);
    for (const line of [4, 5, 8, 11, 14]) assert.ok(lines.includes(line), `line ${line} of ${lines}`);
  });

  test("selections grow by the syntax", async () => {
    const [found] = await asked<vscode.SelectionRange[]>(
      "vscode.executeSelectionRangeProvider", document.uri, [place(document, "edges =")],
    );
    const texts: string[] = [];
    for (let range: vscode.SelectionRange | undefined = found; range; range = range.parent) {
      texts.push(document.getText(range.range));
    }
    assert.equal(texts[0], "edges");
    assert.ok(texts.includes("edges = blocks.block{channels=4}(image);"), texts.join("\n---\n"));
  });
});
