/** Shows a document as rendered Markdown, beside the editor, which keeps the focus. */
import * as vscode from "vscode";

export async function showMarkdown(uri: vscode.Uri): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  try {
    await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
    if (editor !== undefined) await vscode.window.showTextDocument(editor.document, editor.viewColumn);
  } catch {
    // The extension that renders Markdown can be switched off.
    await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preview: true });
  }
}
