/** Data flow: which elements an element of a tensor is computed from, or is read for, in a panel beside the text. */
import * as vscode from "vscode";
import { LANGUAGES } from "../../languages";
import { dataFlow } from "../../protocol";
import type { Guard } from "../../commands/guard";
import type { SndClient } from "../../server/client";
import { pageOf } from "../pageOf";
import type { FromPage, ToPage } from "./messages";

const PAUSE_MS = 250;

export function registerDataFlow(extension: vscode.Uri, client: SndClient, guard: Guard): vscode.Disposable[] {
  const view = new FlowPanel(extension, client);
  return [view, guard.editorCommand("snd.showDataFlow", async (_, editor) => view.show(editor))];
}

/** The shown subject: a definition, and a cell of one of its tensors; without a cell, the server chooses. */
interface Shown {
  readonly document: vscode.TextDocument;
  readonly definition: string;
  readonly cell: string | undefined;
}

class FlowPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private shown: Shown | undefined;
  private timer: NodeJS.Timeout | undefined;
  private question: vscode.CancellationTokenSource | undefined;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly client: SndClient,
  ) {
    // An imported file may have changed.
    this.subscription = vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (this.panel !== undefined && LANGUAGES.includes(document.languageId)) this.soon();
    });
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscription.dispose();
    this.panel?.dispose();
  }

  /** Shows the definition at the cursor. Throws what the server has to say if it can't. */
  async show(editor: vscode.TextEditor): Promise<void> {
    const { document } = editor;
    const flow = await this.client.sendRequest(dataFlow, {
      textDocument: this.client.code2ProtocolConverter.asTextDocumentIdentifier(document),
      position: this.client.code2ProtocolConverter.asPosition(editor.selection.active),
    });
    this.shown = { document, definition: flow.definition, cell: undefined };
    this.panel ??= this.open();
    this.panel.title = `Data Flow: ${flow.definition}`;
    this.panel.reveal(undefined, true);
    this.send({ type: "flow", flow });
  }

  private open(): vscode.WebviewPanel {
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel("snd.dataFlow", "Data Flow", column, {
      enableScripts: true,
      localResourceRoots: [vscode.Uri.joinPath(this.extension, "dist")],
    });
    panel.webview.onDidReceiveMessage((message: FromPage) => {
      if (message.type === "cell" && this.shown !== undefined) this.shown = { ...this.shown, cell: message.cell };
      void this.refresh();
    });
    panel.onDidDispose(() => (this.panel = this.shown = undefined));
    panel.webview.html = pageOf(panel.webview, this.extension, "flow");
    return panel;
  }

  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), PAUSE_MS);
  }

  private async refresh(): Promise<void> {
    if (this.shown === undefined) return;
    const { document, definition, cell } = this.shown;
    this.question?.cancel();
    const question = (this.question = new vscode.CancellationTokenSource());
    try {
      const textDocument = this.client.code2ProtocolConverter.asTextDocumentIdentifier(document);
      const flow = await this.client.sendRequest(dataFlow, { textDocument, definition, cell }, question.token);
      if (!question.token.isCancellationRequested) this.send({ type: "flow", flow });
    } catch (error) {
      if (question.token.isCancellationRequested) return;
      this.send({ type: "nothing", note: error instanceof Error ? error.message : String(error) });
    }
  }

  private send(message: ToPage): void {
    void this.panel?.webview.postMessage(message);
  }
}
