// Helpers for tests in the extension host: documents of the workspace, places in them, and patience.
import { execFileSync } from "node:child_process";
import * as vscode from "vscode";
import type { Api } from "../../src/extension";

/** The URI of a file of the first workspace folder. */
export function file(name: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders![0]!;
  return vscode.Uri.joinPath(folder.uri, name);
}

/** Opens a file of the workspace, and shows it. */
export async function shown(name: string): Promise<vscode.TextEditor> {
  return await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file(name)));
}

/** The place of a text in a document: of `within`, the first occurrence of `text`. */
export function place(document: vscode.TextDocument, text: string, within = text): vscode.Position {
  const around = document.getText().indexOf(within);
  const at = around < 0 ? -1 : document.getText().indexOf(text, around);
  if (at < 0) throw new Error(`'${text}' does not occur in ${document.uri}`);
  return document.positionAt(at);
}

/** Seconds for anything, on a machine however busy. */
export const PATIENCE = 60;

/** Asks until the answer counts as true; fails with the last answer after some seconds. */
export async function until<T>(
  what: string,
  ask: () => T | undefined | false | null | Thenable<T | undefined | false | null>,
  seconds = PATIENCE,
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}; at last: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Replaces the text of a document, without saving it. */
export async function write(document: vscode.TextDocument, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  await vscode.workspace.applyEdit(edit);
}

/** The texts of hovers at a place. */
export async function hovers(uri: vscode.Uri, at: vscode.Position): Promise<string> {
  const found = await vscode.commands.executeCommand<vscode.Hover[]>("vscode.executeHoverProvider", uri, at);
  return found.flatMap((hover) => hover.contents.map((each) => (typeof each === "string" ? each : each.value))).join("\n");
}

/** The processes of this extension host: number and command line, however long, of each. */
export function children(): string[] {
  const listed = execFileSync("ps", ["-ww", "-o", "pid=,args=", "--ppid", `${process.pid}`], { encoding: "utf8" });
  return listed.split("\n").filter((line) => line.trim() !== "");
}

/** The interface of the extension for others. */
export async function api(): Promise<Api> {
  return await vscode.extensions.getExtension<Api>("snd-lang.skriptnd")!.activate();
}
