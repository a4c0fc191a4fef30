/** The view of composed shapes: a table of the tensors of the graph at the cursor, which follows cursor and edits. */
import * as vscode from "vscode";
import { State as ClientState } from "vscode-languageclient/node";
import { LANGUAGES } from "../../languages";
import { composedGraph, type ComposedGraph } from "../../protocol";
import type { SndClient } from "../../server/client";
import { graphAt, graphsOf } from "../activeGraph";
import { pageOf } from "../pageOf";
import type { FromPage, ToPage } from "./messages";
import { placeOfName } from "./place";
import { rowsOf } from "./rows";

const VIEW = "snd.shapes";
const PAUSE_MS = 250;

export function registerShapes(context: vscode.ExtensionContext, client: SndClient): void {
  const view = new ShapesView(context.extensionUri, client);
  context.subscriptions.push(
    view,
    vscode.window.registerWebviewViewProvider(VIEW, view),
    vscode.commands.registerCommand("snd.showShapes", async () => {
      view.follow(vscode.window.activeTextEditor);
      await vscode.commands.executeCommand(`${VIEW}.focus`, { preserveFocus: true });
    }),
  );
}

/** The contents of the table, so that a move of the cursor alone requests nothing. */
interface Shown {
  readonly document: vscode.TextDocument;
  readonly version: number;
  readonly graph: string | undefined;
}

class ShapesView implements vscode.WebviewViewProvider, vscode.Disposable {
  private view: vscode.WebviewView | undefined;
  private document: vscode.TextDocument | undefined;
  private shown: Shown | undefined;
  private timer: NodeJS.Timeout | undefined;
  private question: vscode.CancellationTokenSource | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly extension: vscode.Uri,
    private readonly client: SndClient,
  ) {
    this.subscriptions = [
      vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor)),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.follow(textEditor)),
      // An imported file may have changed.
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (LANGUAGES.includes(document.languageId)) this.soon(true);
      }),
      client.onDidChangeState(({ newState }) => {
        if (newState !== ClientState.Starting) this.soon(true);
      }),
    ];
    this.follow(vscode.window.activeTextEditor);
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const each of this.subscriptions) each.dispose();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    const folder = vscode.Uri.joinPath(this.extension, "dist");
    view.webview.options = { enableScripts: true, localResourceRoots: [folder] };
    view.webview.onDidReceiveMessage((message: FromPage) => {
      if (message.type === "ready") this.soon(true, 0);
      else void this.reveal(message.line, message.name);
    });
    view.onDidChangeVisibility(() => this.soon(true, 0));
    view.onDidDispose(() => (this.view = undefined));
    view.webview.html = pageOf(view.webview, this.extension, "shapes");
  }

  /** The table is of what is in this editor, from now on; other editors leave it as it is. */
  follow(editor: vscode.TextEditor | undefined): void {
    if (editor === undefined || !LANGUAGES.includes(editor.document.languageId)) return;
    this.document = editor.document;
    this.soon(false);
  }

  private soon(again: boolean, pause = PAUSE_MS): void {
    if (again) this.shown = undefined;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.show(), pause);
  }

  private async show(): Promise<void> {
    const document = this.document;
    if (this.view?.visible !== true) return;
    if (document === undefined || document.isClosed) return this.send({ type: "nothing", note: "Open a SkriptND file with a graph." });
    if (this.client.state !== ClientState.Running) return this.send({ type: "nothing", note: "The server is not running." });
    const position = this.editor()?.selection.active ?? new vscode.Position(0, 0);
    this.question?.cancel();
    const question = (this.question = new vscode.CancellationTokenSource());
    try {
      const graphs = await graphsOf(this.client, document);
      const graph = graphAt(graphs, position)?.name;
      const isShown = this.shown?.document === document && this.shown.version === document.version && this.shown.graph === graph;
      if (!isShown) {
        if (graphs.length === 0) return this.send({ type: "nothing", note: "There is no graph in this file." });
        const textDocument = this.client.code2ProtocolConverter.asTextDocumentIdentifier(document);
        const version = document.version;
        const composed = await this.client.sendRequest(composedGraph, { textDocument, graph }, question.token);
        if (question.token.isCancellationRequested) return;
        this.send(tableOf(composed));
        this.shown = { document, version, graph };
      }
      this.send({ type: "cursor", line: position.line + 1 });
    } catch (error) {
      if (question.token.isCancellationRequested) return;
      if (isOutdated(error)) return this.soon(true);
      this.send({ type: "nothing", note: error instanceof Error ? error.message : String(error) });
    }
  }

  private editor(): vscode.TextEditor | undefined {
    const editors = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors];
    return editors.find((each) => each?.document === this.document);
  }

  /** Shows where a tensor is made, and selects its name there. */
  private async reveal(line: number, name: string): Promise<void> {
    const document = this.document;
    if (document === undefined || line > document.lineCount) return;
    const [start, end] = placeOfName(document.lineAt(line - 1).text, name);
    const editor = this.editor();
    const selection = new vscode.Range(line - 1, start, line - 1, end);
    await vscode.window.showTextDocument(document, { selection, viewColumn: editor?.viewColumn, preserveFocus: false });
  }

  private send(message: ToPage): void {
    void this.view?.webview.postMessage(message);
    if (message.type === "table") this.view!.description = message.graph;
  }
}

function tableOf(composed: ComposedGraph): ToPage {
  const given = Object.entries(composed.attributes).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const errors = composed.diagnostics.filter((each) => each.severity === "error");
  const first = errors.at(0);
  const note = first === undefined ? "" : `Not all is known: ${first.message} (line ${first.range.start.line})`;
  return { type: "table", graph: composed.graph, attributes: given.join(", "), rows: rowsOf(composed), note };
}

/** Returns whether an answer was cancelled because the text has changed. */
function isOutdated(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && (error.code === -32801 || error.code === -32802);
}
