/** The page of a rule, from the server itself: there is no need of a network. */
import * as vscode from "vscode";
import { run } from "../server/processes";
import type { ServerLife } from "../server/life";
import { showMarkdown } from "../views/markdown";
import { VirtualDocuments } from "../views/virtualDocuments";
import { editorInSight } from "./editors";
import type { Guard } from "./guard";

const SCHEME = "snd-rule";
const PAGE_MS = 20_000;

interface RuleItem extends vscode.QuickPickItem {
  readonly rule: string;
}

export function registerRulePageCommand(life: ServerLife, guard: Guard): vscode.Disposable[] {
  const pages = new VirtualDocuments(SCHEME, (uri) => page(life, nameOf(uri)));
  const open = vscode.commands.registerCommand("snd.openRulePage", (given?: unknown) =>
    guard.withServer(async () => {
      const name = typeof given === "string" ? given : await chosenRule(life);
      if (name === undefined) return;
      const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}.md` });
      pages.refresh(uri);
      await showMarkdown(uri);
    }),
  );
  return [pages, open];
}

/** The names of the rules of the diagnostics that touch a place, or failing that its line. */
export function rulesAt(diagnostics: readonly vscode.Diagnostic[], position: vscode.Position): string[] {
  const ours = diagnostics.filter((each) => each.source === "snd");
  const touched = ours.filter((each) => each.range.contains(position));
  const near = touched.length > 0 ? touched : ours.filter((each) => each.range.start.line === position.line);
  return [...new Set(near.map(ruleOf).filter((each) => each !== undefined))];
}

function ruleOf(diagnostic: vscode.Diagnostic): string | undefined {
  const code = typeof diagnostic.code === "object" ? diagnostic.code.value : diagnostic.code;
  return code === undefined ? undefined : String(code);
}

/** The rule of the diagnostic at the cursor; if there are several or none, one that the user picks. */
async function chosenRule(life: ServerLife): Promise<string | undefined> {
  const editor = editorInSight();
  const names =
    editor === undefined ? [] : rulesAt(vscode.languages.getDiagnostics(editor.document.uri), editor.selection.active);
  if (names.length === 1) return names[0];
  const all = JSON.parse(await told(life, ["--format", "json"])) as { name: string; severity: string; summary: string }[];
  const items: RuleItem[] = all
    .filter((each) => names.length === 0 || names.includes(each.name))
    .map((each) => ({ label: each.name, description: each.severity, detail: each.summary, rule: each.name }));
  const picked = await vscode.window.showQuickPick(items, { title: "Open the page of a rule", matchOnDetail: true });
  return picked?.rule;
}

function nameOf(uri: vscode.Uri): string {
  return uri.path.replace(/^\/|\.md$/g, "");
}

function page(life: ServerLife, name: string): Promise<string> {
  return told(life, ["--", name]);
}

async function told(life: ServerLife, args: readonly string[]): Promise<string> {
  const state = life.state;
  if (state.kind !== "running") throw new Error("the server is not running");
  const { command, args: before } = state.server;
  const answer = await run(command, [...before, "rule", ...args], { timeoutMs: PAGE_MS });
  if (answer.problem !== undefined) throw new Error(`the page can't be shown: ${answer.problem}`);
  return answer.stdout;
}
