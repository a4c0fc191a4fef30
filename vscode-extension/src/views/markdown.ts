/** Shows a document as rendered Markdown, beside the editor. */
import * as vscode from "vscode";

export async function showMarkdown(uri: vscode.Uri): Promise<void> {
  try {
    await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
  } catch {
    // The extension that renders Markdown can be switched off.
    await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preview: true });
  }
}
