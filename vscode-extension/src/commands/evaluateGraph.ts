/** Evaluates a graph with inputs and attributes that the user chooses; they are remembered for the next time. */
import * as vscode from "vscode";
import { ExecuteCommandRequest, SymbolKind, type DocumentSymbol } from "vscode-languageclient/node";
import { composedGraph, evaluateGraph, type ComposedGraph } from "../protocol";
import type { SndClient } from "../server/client";
import { graphAt, graphsOf } from "../views/activeGraph";
import { valuesMarkdown } from "../views/valueText";
import { VirtualDocuments } from "../views/virtualDocuments";
import { showMarkdown } from "../views/markdown";
import type { Guard } from "./guard";

const COMMAND = "snd.evaluateGraphWithInputs";
const SCHEME = "snd-values";
const FORMS = "random[2,3], iota[2,3], zeros[2,3], ones[2,3], or nested lists such as [[1, 2], [3, 4]]";

/** Texts by name; the server chooses missing values. */
interface Choice {
  readonly attributes: Readonly<Record<string, string>>;
  readonly inputs: Readonly<Record<string, string>>;
}

/** An input or attribute that can be given a value. */
interface Slot extends vscode.QuickPickItem {
  readonly slot?: { readonly kind: keyof Choice; readonly name: string };
}

export function registerEvaluateGraph(context: vscode.ExtensionContext, guard: Guard): vscode.Disposable[] {
  const results = new Map<string, string>();
  const documents = new VirtualDocuments(SCHEME, (uri) => results.get(uri.toString()) ?? "Evaluate the graph again.\n");
  const command = guard.editorCommand(COMMAND, async (client, editor) => {
    const graph = await chosenGraph(client, editor);
    if (graph === undefined) return;
    const choice = await chosenValues(context.workspaceState, client, editor.document, graph);
    if (choice === undefined) return;
    const text = await evaluated(client, editor.document, graph.name, choice);
    if (text === undefined) return;
    const path = `/${graph.name}.md`;
    const uri = vscode.Uri.from({ scheme: SCHEME, path, query: editor.document.uri.toString() });
    results.set(uri.toString(), text);
    documents.refresh(uri);
    await showMarkdown(uri);
  });
  return [documents, command];
}

async function chosenGraph(client: SndClient, editor: vscode.TextEditor): Promise<DocumentSymbol | undefined> {
  const graphs = await graphsOf(client, editor.document);
  const found = graphAt(graphs, editor.selection.active) ?? (graphs.length === 1 ? graphs[0] : undefined);
  if (found !== undefined) return found;
  if (graphs.length === 0) throw new Error("there is no graph in this file");
  const items = graphs.map((graph) => ({ label: graph.name, description: graph.detail, graph }));
  return (await vscode.window.showQuickPick(items, { title: "Evaluate which graph?" }))?.graph;
}

// ---- choosing -------------------------------------------------------------------------------------------------------
async function chosenValues(
  memory: vscode.Memento, client: SndClient, document: vscode.TextDocument, graph: DocumentSymbol,
): Promise<Choice | undefined> {
  const key = `evaluate ${document.uri.toString()} ${graph.name}`;
  const textDocument = client.code2ProtocolConverter.asTextDocumentIdentifier(document);
  const composed = await client.sendRequest(composedGraph, { textDocument, graph: graph.name }).catch(() => undefined);
  let choice = memory.get<Choice>(key) ?? { attributes: {}, inputs: {} };
  for (;;) {
    const picked = await vscode.window.showQuickPick(slotsOf(graph, composed, choice), {
      title: `Evaluate ${graph.name}`,
      placeHolder: "Evaluate, or choose what to give a value",
      ignoreFocusOut: true,
    });
    if (picked === undefined) return undefined;
    if (picked.slot === undefined) return choice;
    const { kind, name } = picked.slot;
    const text = await vscode.window.showInputBox({
      title: kind === "inputs" ? `Input ${name}` : `Attribute ${name}`,
      value: choice[kind][name] ?? "",
      prompt: kind === "inputs" ? `${FORMS}. Empty: it is made.` : "Write it as in SkriptND, or leave it empty for the default.",
      ignoreFocusOut: true,
      validateInput: (value) => (value.trim().startsWith("@") ? "Files are not supported here." : undefined),
    });
    if (text === undefined) continue;
    const values = Object.fromEntries(Object.entries(choice[kind]).filter(([other]) => other !== name));
    choice = { ...choice, [kind]: text.trim() === "" ? values : { ...values, [name]: text.trim() } };
    await memory.update(key, choice);
  }
}

function slotsOf(graph: DocumentSymbol, composed: ComposedGraph | undefined, choice: Choice): Slot[] {
  const attributes = inBlock(graph, "@attrib").map((each): Slot => {
    const known = composed?.attributes[each.name];
    const value = choice.attributes[each.name] ?? (known === undefined ? "default" : JSON.stringify(known));
    const description = [value, each.detail].filter(Boolean).join("  —  ");
    return { label: `$(symbol-property) ${each.name}`, description, slot: { kind: "attributes", name: each.name } };
  });
  const inputs = inBlock(graph, "@input").map((each): Slot => {
    const tensor = composed?.inputs.find((one) => one.name === each.name);
    const type = tensor?.shape ? `${tensor.dtype}[${tensor.shape.join(",")}]` : each.detail;
    const description = [choice.inputs[each.name] ?? "made", type].filter(Boolean).join("  —  ");
    return { label: `$(symbol-field) ${each.name}`, description, slot: { kind: "inputs", name: each.name } };
  });
  const separator = (label: string): Slot => ({ label, kind: vscode.QuickPickItemKind.Separator });
  return [
    { label: "$(play) Evaluate", alwaysShow: true },
    ...(inputs.length > 0 ? [separator("inputs"), ...inputs] : []),
    ...(attributes.length > 0 ? [separator("attributes"), ...attributes] : []),
  ];
}

function inBlock(graph: DocumentSymbol, block: string): DocumentSymbol[] {
  const blocks = graph.children?.filter((each) => each.kind === SymbolKind.Namespace && each.name === block) ?? [];
  return blocks.flatMap((each) => each.children ?? []);
}

// ---- evaluating -----------------------------------------------------------------------------------------------------
function evaluated(
  client: SndClient, document: vscode.TextDocument, graph: string, choice: Choice,
): Thenable<string | undefined> {
  const pairs = (values: Readonly<Record<string, string>>) => Object.entries(values).map(([name, value]) => `${name}=${value}`);
  const [attributes, inputs] = [pairs(choice.attributes), pairs(choice.inputs)];
  const textDocument = client.code2ProtocolConverter.asTextDocumentIdentifier(document);
  const options = { location: vscode.ProgressLocation.Notification, title: `Evaluating ${graph}`, cancellable: true };
  return vscode.window.withProgress(options, async (_, token) => {
    const answer = await client.sendRequest(evaluateGraph, { textDocument, graph, attributes, inputs }, token);
    if (token.isCancellationRequested) return undefined;
    await showBesideCode(client, textDocument.uri, graph, { attributes, inputs });
    const file = vscode.workspace.asRelativePath(document.uri);
    return valuesMarkdown({ file, graph, attributes, inputs, answer });
  });
}

/** The values that stand beside the statements are those of the same inputs, from now on. */
async function showBesideCode(client: SndClient, uri: string, graph: string, given: object): Promise<void> {
  const command = "snd.evaluateGraph";
  if (!client.initializeResult?.capabilities.executeCommandProvider?.commands.includes(command)) return;
  await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [uri, graph, given] });
}
