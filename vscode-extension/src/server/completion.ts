/** Lists of completions that come too late. */
import * as vscode from "vscode";
import type { CompletionMiddleware } from "vscode-languageclient";

/**
 * What is offered behind a character such as `=` is dropped if a word has been begun by the time it comes: VS Code would
 * choose from that list alone what fits to the word, find nothing, and ask no more, whether the list is incomplete or
 * not. With nothing at hand, it asks for the word.
 */
export const provideCompletionItem: CompletionMiddleware["provideCompletionItem"] = async (document, position, context, token, next) => {
  const asked = document.version;
  const answer = await next(document, position, context, token);
  const isLate = context.triggerKind === vscode.CompletionTriggerKind.TriggerCharacter && document.version !== asked;
  return isLate && beginsWord(document.lineAt(position.line).text.slice(position.character)) ? undefined : answer;
};

/** Returns whether a text written behind a list's position begins a word of its own. */
function beginsWord(text: string): boolean {
  return /^\s+\w/.test(text);
}
