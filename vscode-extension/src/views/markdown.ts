/** Shows a document as rendered Markdown, beside the editor, which keeps the focus. */
import * as vscode from "vscode";

const PREVIEW = "vscode.markdown.preview.editor";

export async function showMarkdown(uri: vscode.Uri): Promise<void> {
  const options = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true };
  try {
    await vscode.commands.executeCommand("vscode.openWith", uri, PREVIEW, options);
  } catch {
    // The extension that renders Markdown can be switched off.
    await vscode.window.showTextDocument(uri, options);
  }
}
