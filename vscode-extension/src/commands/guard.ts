/** Commands that need a running server, and an editor with SkriptND in it: both are told if they are missing. */
import * as vscode from "vscode";
import type { SndClient } from "../server/client";
import type { ServerLife } from "../server/life";
import type { Messages } from "../server/messages";
import { editorInSight } from "./editors";

type Action = (client: SndClient, editor: vscode.TextEditor) => Promise<unknown>;

export class Guard {
  constructor(
    private readonly life: ServerLife,
    private readonly messages: Messages,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** A command about the editor with SkriptND. */
  editorCommand(name: string, action: Action): vscode.Disposable {
    return vscode.commands.registerCommand(name, async () => {
      const editor = editorInSight();
      if (editor === undefined) {
        void vscode.window.showInformationMessage("Open a SkriptND file first: this command works on the file in the editor.");
        return undefined;
      }
      return this.withServer((client) => action(client, editor));
    });
  }

  /** Does something with the server. What goes wrong is told in one line, and logged. */
  async withServer<T>(action: (client: SndClient) => Promise<T>): Promise<T | undefined> {
    if (this.life.state.kind === "searching" || this.life.state.kind === "starting") await this.life.settled();
    const state = this.life.state;
    if (state.kind !== "running") {
      if (state.kind === "missing" || state.kind === "failed") void this.messages.tell(state);
      else void vscode.window.showInformationMessage("The SkriptND server is not running.");
      return undefined;
    }
    try {
      return await action(this.life.client);
    } catch (error) {
      if (error instanceof vscode.CancellationError) return undefined;
      const message = error instanceof Error ? error.message : String(error);
      this.log.warn(message);
      void vscode.window.showWarningMessage(`SkriptND: ${message}`);
      return undefined;
    }
  }
}
