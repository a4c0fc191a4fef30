/** The graph of a document that contains the cursor. */
import * as vscode from "vscode";
import { DocumentSymbolRequest, SymbolKind, type DocumentSymbol } from "vscode-languageclient/node";
import type { SndClient } from "../server/client";

/** The names of the graphs of a document, in order. */
export async function graphsOf(client: SndClient, document: vscode.TextDocument): Promise<DocumentSymbol[]> {
  const textDocument = client.code2ProtocolConverter.asTextDocumentIdentifier(document);
  const symbols = (await client.sendRequest(DocumentSymbolRequest.type, { textDocument })) ?? [];
  return symbols.filter((each): each is DocumentSymbol => "selectionRange" in each && each.kind === SymbolKind.Class);
}

/** The graph around a position; undefined if it is in none. */
export function graphAt(graphs: readonly DocumentSymbol[], { line }: vscode.Position): DocumentSymbol | undefined {
  return graphs.find(({ range }) => range.start.line <= line && line <= range.end.line);
}
