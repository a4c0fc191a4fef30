/** The editor that a command is about. */
import * as vscode from "vscode";
import { LANGUAGES } from "../languages";

/** The context key that is true while there is such an editor: a condition in package.json. */
export const IN_SIGHT = "snd.inSight";

/** The active editor, or one that can be seen while something else has the focus, such as a preview. */
export function editorInSight(): vscode.TextEditor | undefined {
  const editors = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors];
  return editors.find((each) => each !== undefined && LANGUAGES.includes(each.document.languageId));
}

/** Keeps the condition up to date. */
export function followEditors(): vscode.Disposable {
  const tell = () => void vscode.commands.executeCommand("setContext", IN_SIGHT, editorInSight() !== undefined);
  tell();
  return vscode.Disposable.from(
    vscode.window.onDidChangeVisibleTextEditors(tell),
    vscode.workspace.onDidOpenTextDocument(tell),
  );
}
