import assert from "node:assert/strict";
import * as vscode from "vscode";
import { hovers, place, shown, until } from "../editing";

const asked = vscode.commands.executeCommand;
const label = (hint: vscode.InlayHint) =>
  typeof hint.label === "string" ? hint.label : hint.label.map((part) => part.value).join("");

suite("what is shown in and beside the code", () => {
  let document: vscode.TextDocument;

  suiteSetup(async () => {
    document = (await shown("main.sknd")).document;
    await until("the server", () => hovers(document.uri, place(document, "block{channels=4}")));
  });

  test("semantic tokens tell what names are", async () => {
    const legend = await asked<vscode.SemanticTokensLegend>(
      "vscode.provideDocumentSemanticTokensLegend", document.uri,
    );
    const tokens = await asked<vscode.SemanticTokens>("vscode.provideDocumentSemanticTokens", document.uri);
    const kinds = new Map<string, string>();
    let [line, character] = [0, 0];
    for (let at = 0; at < tokens.data.length; at += 5) {
      const [down, right, length, kind] = tokens.data.slice(at, at + 4) as unknown as [number, number, number, number];
      character = down === 0 ? character + right : right;
      line += down;
      const text = document.getText(new vscode.Range(line, character, line, character + length));
      kinds.set(text, legend.tokenTypes[kind]!);
    }
    assert.equal(kinds.get("math"), "namespace");
    assert.equal(kinds.get("block"), "function");
    assert.equal(kinds.get("image"), "parameter");
    assert.equal(kinds.get("edges"), "variable");
  });

  test("shapes stand beside the code", async () => {
    const whole = new vscode.Range(0, 0, document.lineCount, 0);
    const found = await until("shapes", async () => {
      const hints = await asked<vscode.InlayHint[]>("vscode.executeInlayHintProvider", document.uri, whole);
      return hints.length > 0 && hints;
    });
    const edges = place(document, "edges =").line;
    const shown = found.filter((each) => each.position.line === edges).map(label).join(" ");
    assert.match(shown, /\[1, ?4, ?16, ?16\]/);
  });

  test("lenses count references", async () => {
    const { document: blocks } = await shown("blocks.sknd");
    const found = await until("lenses", async () => {
      const lenses = await asked<vscode.CodeLens[]>("vscode.executeCodeLensProvider", blocks.uri, 20);
      return lenses.some((each) => /reference/.test(each.command?.title ?? "")) && lenses;
    });
    const ofBlock = found.find((each) => each.range.start.line === place(blocks, "operator block").line);
    assert.match(ofBlock!.command!.title, /^2 references/);
    assert.equal(ofBlock!.command!.command, "snd.showReferences");
    const uses = ofBlock!.command!.arguments![2] as { uri: string }[];
    assert.deepEqual(uses.map((each) => /[^/]*$/.exec(each.uri)![0]), ["main.sknd", "main.sknd"]);
    await asked("workbench.action.closeAllEditors");
    await asked(ofBlock!.command!.command, ...ofBlock!.command!.arguments!);
    await until("the places", () => vscode.window.activeTextEditor?.document.uri.toString() === blocks.uri.toString());
    await asked("closeReferenceSearch");
    await shown("main.sknd");
  });

  test("brackets, comments and words are those of the language", async () => {
    const { document: untitled } = await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument({ language: "skriptnd", content: "y = f(xs..);\n" }),
    );
    await asked("editor.action.commentLine");
    assert.equal(untitled.getText().split("\n")[0], "# y = f(xs..);");
    assert.equal(untitled.getText(untitled.getWordRangeAtPosition(place(untitled, "xs"))), "xs");
    await asked("workbench.action.revertAndCloseActiveEditor");
  });
});
