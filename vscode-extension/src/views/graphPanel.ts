/** The drawing of a graph beside its source: it follows edits and the cursor, and leads back to the source. */
import * as vscode from "vscode";
import { RequestType, State as ClientState, type Range, type TextDocumentIdentifier } from "vscode-languageclient/node";
import type { GraphModel } from "../graph/model";
import type { FromHost, ToHost } from "../graph/page/host";
import { LANGUAGES } from "../languages";
import { evaluateChosen } from "../protocol";
import type { SndClient } from "../server/client";
import { graphAt, graphsOf } from "./activeGraph";
import { drawing } from "./drawing";
import { graphPage } from "./graphPage";
import { valuesOf } from "./graphValues";

const VIEW = "snd.graph";
const PAUSE_MS = 300;
const graphView = new RequestType<{ textDocument: TextDocumentIdentifier; graph?: string }, GraphModel, void>("snd/graphView");

export function registerGraphPanel(context: vscode.ExtensionContext, client: SndClient): void {
  const panels = new Map<string, GraphPanel>();
  const add = (target: Target, panel?: vscode.WebviewPanel): void => {
    const key = keyOf(target);
    const known = panels.get(key);
    if (known !== undefined && panel === undefined) return known.show();
    const shown = panel ?? vscode.window.createWebviewPanel(VIEW, target.graph, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
    const added = new GraphPanel(shown, target, client, context.extensionUri);
    panels.set(key, added);
    shown.onDidDispose(() => panels.get(key) === added && panels.delete(key));
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("snd.showGraph", async () => {
      const target = await chosen(client);
      if (target !== undefined) add(target);
    }),
    vscode.window.registerWebviewPanelSerializer(VIEW, {
      deserializeWebviewPanel: async (panel, state: { key?: string } | undefined) => {
        const target = targetOf(state?.key);
        if (target === undefined) panel.dispose();
        else add(target, panel);
      },
    }),
    new vscode.Disposable(() => panels.forEach((each) => each.dispose())),
  );
}

interface Target {
  readonly uri: vscode.Uri;
  readonly graph: string;
}

function keyOf({ uri, graph }: Target): string {
  return JSON.stringify([uri.toString(), graph]);
}

function targetOf(key: string | undefined): Target | undefined {
  try {
    const [uri, graph] = JSON.parse(key ?? "") as [string, string];
    return { uri: vscode.Uri.parse(uri, true), graph };
  } catch {
    return undefined;
  }
}

/** The graph at the cursor; else the first of the file, if there is one. */
async function chosen(client: SndClient): Promise<Target | undefined> {
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors.find((each) => LANGUAGES.includes(each.document.languageId));
  if (editor === undefined || !LANGUAGES.includes(editor.document.languageId)) {
    void vscode.window.showInformationMessage("Open a SkriptND file first: this command works on the file in the editor.");
    return undefined;
  }
  if (client.state !== ClientState.Running) {
    void vscode.window.showInformationMessage("The SkriptND server is not running.");
    return undefined;
  }
  const graphs = await graphsOf(client, editor.document);
  const graph = graphAt(graphs, editor.selection.active) ?? graphs[0];
  if (graph === undefined) {
    void vscode.window.showInformationMessage("There is no graph in this file.");
    return undefined;
  }
  return { uri: editor.document.uri, graph: graph.name };
}

class GraphPanel implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[] = [];
  private ready = false;
  private timer: NodeJS.Timeout | undefined;
  private question: vscode.CancellationTokenSource | undefined;

  constructor(
    private readonly panel: vscode.WebviewPanel,
    private readonly target: Target,
    private readonly client: SndClient,
    extension: vscode.Uri,
  ) {
    panel.title = target.graph;
    const image = (name: string) => vscode.Uri.joinPath(extension, "images", name);
    panel.iconPath = { light: image("file-light.svg"), dark: image("file-dark.svg") };
    panel.webview.options = { enableScripts: true, localResourceRoots: [] };
    this.subscriptions.push(
      panel.webview.onDidReceiveMessage((message: ToHost) => void this.receive(message)),
      panel.onDidChangeViewState(() => panel.visible && this.soon(0)),
      // An imported file may have changed.
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (LANGUAGES.includes(document.languageId)) this.soon();
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.highlight(textEditor)),
      client.onDidChangeState(({ newState }) => {
        if (newState === ClientState.Running) this.soon();
      }),
    );
    panel.onDidDispose(() => this.dispose());
    void this.fill(extension);
  }

  show(): void {
    this.panel.reveal(undefined, true);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.question?.cancel();
    for (const each of this.subscriptions.splice(0)) each.dispose();
  }

  private async fill(extension: vscode.Uri): Promise<void> {
    const { engine, page } = await drawing(vscode.Uri.joinPath(extension, "dist", "wheel").fsPath);
    this.panel.webview.html = graphPage(engine, page);
  }

  private async receive(message: ToHost): Promise<void> {
    switch (message.type) {
      case "ready":
        this.ready = true;
        return this.draw();
      case "reveal":
        return this.reveal(message.uri, message.range as Range);
      case "save":
        return this.save(message.name, message.base64);
      case "evaluate":
        return this.evaluate();
    }
  }

  private soon(pause = PAUSE_MS): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.draw(), pause);
  }

  private async draw(): Promise<void> {
    if (!this.ready || !this.panel.visible) return;
    if (this.client.state !== ClientState.Running) return this.send({ type: "message", text: "The server is not running." });
    this.question?.cancel();
    const question = (this.question = new vscode.CancellationTokenSource());
    try {
      // A document that nobody has opened yet, as after a restart, is one that the server does not know.
      await vscode.workspace.openTextDocument(this.target.uri);
      const model = await this.client.sendRequest(graphView, { textDocument: this.document, graph: this.target.graph }, question.token);
      if (question.token.isCancellationRequested) return;
      this.send({ type: "graph", model, key: keyOf(this.target) });
      const editor = vscode.window.activeTextEditor;
      if (editor !== undefined) this.highlight(editor);
    } catch (error) {
      if (question.token.isCancellationRequested) return;
      if (isOutdated(error)) return this.soon();
      // The drawing of what was there before stays.
      this.send({ type: "message", text: textOf(error) });
    }
  }

  private async evaluate(): Promise<void> {
    this.send({ type: "message", text: "Evaluating…" });
    try {
      const { graph } = this.target;
      const answer = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Window, title: `Evaluating ${graph}` },
        () => this.client.sendRequest(evaluateChosen, { textDocument: this.document, graph, chosen: true, trace: true }),
      );
      const { random, trace = [], outputs = [], diagnostics = [] } = answer;
      this.send({ type: "values", values: valuesOf([...(random?.inputs ?? []), ...trace, ...outputs]) });
      const failed = answer.message ?? diagnostics.find((each) => each.severity === "error")?.message;
      this.send({ type: "message", text: failed ?? null });
    } catch (error) {
      this.send({ type: "message", text: textOf(error) });
    }
  }

  private async reveal(uri: string, range: Range): Promise<void> {
    const converter = this.client.protocol2CodeConverter;
    const target = converter.asUri(uri);
    const visible = vscode.window.visibleTextEditors.find((each) => each.document.uri.toString() === target.toString());
    const selection = converter.asRange(range);
    const viewColumn = visible?.viewColumn ?? this.otherColumn();
    await vscode.window.showTextDocument(target, { selection, viewColumn, preserveFocus: false });
  }

  /** A column in which there is code, so that the drawing stays in sight. */
  private otherColumn(): vscode.ViewColumn {
    return vscode.window.visibleTextEditors.find((each) => each.viewColumn !== this.panel.viewColumn)?.viewColumn ??
      (this.panel.viewColumn === vscode.ViewColumn.One ? vscode.ViewColumn.Beside : vscode.ViewColumn.One);
  }

  private highlight({ document, selection }: vscode.TextEditor): void {
    if (!this.ready || !LANGUAGES.includes(document.languageId)) return;
    const converter = this.client.code2ProtocolConverter;
    this.send({ type: "highlight", uri: converter.asUri(document.uri), range: converter.asRange(selection) });
  }

  private async save(name: string, base64: string): Promise<void> {
    const folder = vscode.workspace.getWorkspaceFolder(this.target.uri)?.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
    const defaultUri = folder && vscode.Uri.joinPath(folder, name);
    const uri = await vscode.window.showSaveDialog({ defaultUri, filters: name.endsWith(".png") ? { PNG: ["png"] } : { SVG: ["svg"] } });
    if (uri !== undefined) await vscode.workspace.fs.writeFile(uri, Buffer.from(base64, "base64"));
  }

  private get document(): TextDocumentIdentifier {
    return { uri: this.client.code2ProtocolConverter.asUri(this.target.uri) };
  }

  private send(message: FromHost): void {
    void this.panel.webview.postMessage(message);
  }
}

/** Returns whether an answer was cancelled because the text has changed. */
function isOutdated(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && (error.code === -32801 || error.code === -32802);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
