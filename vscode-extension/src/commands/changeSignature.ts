/** Changes the signature of the operator at the cursor; the server lets all invocations follow. */
import * as vscode from "vscode";
import { DocumentSymbolRequest, ExecuteCommandRequest, SymbolKind, type DocumentSymbol } from "vscode-languageclient/node";
import type { SndClient } from "../server/client";
import type { Guard } from "./guard";
import { added, codePoints, moved, optionsOf, removed, renamed, signatureOf, type Kind, type Signature } from "./signature";

const COMMAND = "snd.changeSignature";

interface Slot extends vscode.QuickPickItem {
  /** A parameter, or without `at` a new one. */
  readonly slot?: { readonly kind: Kind; readonly at?: number };
}

export function registerChangeSignature(guard: Guard): vscode.Disposable {
  return guard.editorCommand(COMMAND, async (client, editor) => {
    const operator = await operatorAt(client, editor);
    if (operator === undefined) {
      void vscode.window.showInformationMessage("There is no operator at the cursor.");
      return;
    }
    const signature = await chosen(operator.name, signatureOf(namesIn(operator, "@attrib"), namesIn(operator, "@input")));
    if (signature === undefined) return;
    const { document } = editor;
    const start = client.protocol2CodeConverter.asPosition(operator.selectionRange.start);
    const offset = codePoints(document.getText(new vscode.Range(new vscode.Position(0, 0), start)));
    const uri = client.code2ProtocolConverter.asUri(document.uri);
    const given = [uri, "signature", offset, offset, optionsOf(signature)];
    await client.sendRequest(ExecuteCommandRequest.type, { command: "snd.refactor", arguments: given });
  });
}

async function operatorAt(client: SndClient, editor: vscode.TextEditor): Promise<DocumentSymbol | undefined> {
  const textDocument = client.code2ProtocolConverter.asTextDocumentIdentifier(editor.document);
  const symbols = (await client.sendRequest(DocumentSymbolRequest.type, { textDocument })) ?? [];
  const { line } = editor.selection.active;
  return symbols.find((each): each is DocumentSymbol =>
    "selectionRange" in each && each.kind === SymbolKind.Function && each.range.start.line <= line && line <= each.range.end.line,
  );
}

function namesIn(operator: DocumentSymbol, block: string): string[] {
  const blocks = operator.children?.filter((each) => each.kind === SymbolKind.Namespace && each.name === block) ?? [];
  return blocks.flatMap((each) => each.children ?? []).map((each) => each.name);
}

// ---- choosing -------------------------------------------------------------------------------------------------------
async function chosen(operator: string, before: Signature): Promise<Signature | undefined> {
  let signature = before;
  for (;;) {
    const title = `Signature of ${operator}`;
    const placeHolder = "Apply, or choose a parameter to change";
    const picked = await vscode.window.showQuickPick(slotsOf(signature), { title, placeHolder, ignoreFocusOut: true });
    if (picked === undefined) return undefined;
    if (picked.slot === undefined) return signature;
    const { kind, at } = picked.slot;
    signature = at === undefined ? await withNew(signature, kind) : await withOther(signature, kind, at);
  }
}

function slotsOf(signature: Signature): Slot[] {
  const list = (kind: Kind, one: string, icon: string): Slot[] => [
    { label: kind, kind: vscode.QuickPickItemKind.Separator },
    ...signature[kind].map((each, at): Slot => ({
      label: `$(${icon}) ${each.name}`,
      description: each.was === undefined ? `new: ${each.type}` : each.was === each.name ? "" : `was ${each.was}`,
      slot: { kind, at },
    })),
    { label: `$(add) Add an ${one}`, slot: { kind } },
  ];
  return [
    { label: "$(check) Apply", alwaysShow: true },
    ...list("attributes", "attribute", "symbol-property"),
    ...list("inputs", "input", "symbol-field"),
  ];
}

async function withOther(signature: Signature, kind: Kind, at: number): Promise<Signature> {
  const { name } = signature[kind][at]!;
  const changes: (vscode.QuickPickItem & { readonly change: () => Promise<Signature> | Signature })[] = [
    { label: "$(edit) Rename…", change: () => withName(signature, kind, at, name) },
    { label: "$(arrow-up) Move up", change: () => moved(signature, kind, at, -1) },
    { label: "$(arrow-down) Move down", change: () => moved(signature, kind, at, 1) },
    { label: "$(trash) Remove", change: () => removed(signature, kind, at) },
  ];
  const picked = await vscode.window.showQuickPick(changes, { title: name, ignoreFocusOut: true });
  return picked === undefined ? signature : picked.change();
}

async function withName(signature: Signature, kind: Kind, at: number, value: string): Promise<Signature> {
  const name = await vscode.window.showInputBox({ title: `New name of ${value}`, value, ignoreFocusOut: true });
  return name === undefined || name.trim() === "" ? signature : renamed(signature, kind, at, name.trim());
}

async function withNew(signature: Signature, kind: Kind): Promise<Signature> {
  const one = kind === "inputs" ? "input" : "attribute";
  const ask = (title: string, prompt: string) => vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true });
  const name = (await ask(`Name of the new ${one}`, "Letters, digits and _"))?.trim();
  if (!name) return signature;
  const type = (await ask(`Type of ${name}`, kind === "inputs" ? "For example: optional real[n]" : "For example: int or real.."))?.trim();
  if (!type) return signature;
  const value = (await ask(`Default of ${name}`, "Empty if it is optional: invocations leave it out"))?.trim();
  return added(signature, kind, value ? { name, type, default: value } : { name, type });
}
