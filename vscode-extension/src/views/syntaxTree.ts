/**
 * The syntax tree of a document, as a read-only document beside it that follows edits. The node at the cursor of
 * either is marked in the other.
 */
import * as vscode from "vscode";
import { syntaxTree } from "../protocol";
import type { Guard } from "../commands/guard";
import type { SndClient } from "../server/client";
import { lineOf, treeText, type TreeText } from "./treeText";
import { VirtualDocuments } from "./virtualDocuments";

const SCHEME = "snd-tree";
const PAUSE_MS = 200;

export function registerSyntaxTree(client: SndClient, guard: Guard): vscode.Disposable[] {
  const trees = new SyntaxTrees(client);
  const show = guard.editorCommand("snd.showSyntaxTree", (_, editor) => trees.show(editor));
  return [trees, show];
}

class SyntaxTrees implements vscode.Disposable {
  private readonly documents = new VirtualDocuments(SCHEME, (uri) => this.make(uri));
  private readonly trees = new Map<string, TreeText>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly mark = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.selectionHighlightBackground"),
    isWholeLine: false,
  });
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly client: SndClient) {
    this.subscriptions = [
      this.documents,
      this.mark,
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.soon(document)),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document.uri.scheme === SCHEME) this.trees.delete(document.uri.toString());
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        if (kind !== undefined) this.moved(textEditor);
      }),
    ];
  }

  async show(editor: vscode.TextEditor): Promise<void> {
    const uri = treeUri(editor.document.uri);
    const tree = await vscode.window.showTextDocument(uri, {
      viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true,
    });
    this.follow(editor, tree);
  }

  dispose(): void {
    for (const each of this.timers.values()) clearTimeout(each);
    for (const each of this.subscriptions) each.dispose();
  }

  private async make(uri: vscode.Uri): Promise<string> {
    try {
      const source = this.client.code2ProtocolConverter.asUri(sourceUri(uri));
      const root = await this.client.sendRequest(syntaxTree, { textDocument: { uri: source } });
      const tree = treeText(root);
      this.trees.set(uri.toString(), tree);
      return tree.text;
    } catch (error) {
      return `There is no tree: ${error instanceof Error ? error.message : String(error)}\n`;
    }
  }

  private soon(document: vscode.TextDocument): void {
    const uri = treeUri(document.uri);
    const key = uri.toString();
    if (!this.trees.has(key)) return;
    clearTimeout(this.timers.get(key));
    this.timers.set(key, setTimeout(() => this.documents.refresh(uri), PAUSE_MS));
  }

  private moved(editor: vscode.TextEditor): void {
    const { document } = editor;
    if (document.uri.scheme === SCHEME) {
      const node = this.trees.get(document.uri.toString())?.nodes[editor.selection.active.line];
      const source = shownEditor(sourceUri(document.uri));
      if (node === undefined || source === undefined) return;
      const range = this.client.protocol2CodeConverter.asRange(node.range);
      source.setDecorations(this.mark, [range]);
      source.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      return;
    }
    const tree = shownEditor(treeUri(document.uri));
    if (tree !== undefined) this.follow(editor, tree);
  }

  private follow(source: vscode.TextEditor, tree: vscode.TextEditor): void {
    const nodes = this.trees.get(tree.document.uri.toString())?.nodes;
    if (nodes === undefined) return;
    source.setDecorations(this.mark, []);
    const line = tree.document.validatePosition(new vscode.Position(lineOf(nodes, source.selection.active), 0)).line;
    const { range } = tree.document.lineAt(line);
    tree.setDecorations(this.mark, [range]);
    tree.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

function treeUri(source: vscode.Uri): vscode.Uri {
  const name = source.path.split("/").at(-1) ?? "";
  return vscode.Uri.from({ scheme: SCHEME, path: `/${name} (syntax tree)`, query: source.toString() });
}

function sourceUri(tree: vscode.Uri): vscode.Uri {
  return vscode.Uri.parse(tree.query);
}

function shownEditor(uri: vscode.Uri): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find((each) => each.document.uri.toString() === uri.toString());
}
