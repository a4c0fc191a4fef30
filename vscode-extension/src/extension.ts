import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const settings = vscode.workspace.getConfiguration("snd");
  const command = settings.get<string>("server.path") || "snd";
  client = new LanguageClient("snd", "SkriptND", { command, args: ["lsp"] }, { documentSelector: [{ language: "skriptnd" }] });
  context.subscriptions.push(client);
  await client.start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
