/** The display of the server: an item in the status bar, and one among the language's items. */
import * as vscode from "vscode";
import { editorInSight } from "../commands/editors";
import { evaluationStatus, type EvaluationStatus } from "../protocol";
import { sourceText } from "./candidates";
import { SELECTOR } from "./client";
import type { LifeState, ServerLife } from "./life";

export const SHOW_ACTIONS = "snd.showActions";
// For shorter work the item does not change: it would flicker with every edit.
const UNSEEN_MS = 400;
const IDLE: EvaluationStatus = { running: 0, pending: 0 };

interface Appearance {
  readonly icon: string;
  readonly text: string;
  readonly detail: string;
  readonly severity: vscode.LanguageStatusSeverity;
  readonly busy: boolean;
}

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("snd.server", vscode.StatusBarAlignment.Right, 90);
  private readonly languageItem = vscode.languages.createLanguageStatusItem("snd.server", SELECTOR);
  private readonly subscriptions: vscode.Disposable[];
  private evaluation = IDLE;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly life: ServerLife) {
    this.item.name = "SkriptND";
    this.item.command = SHOW_ACTIONS;
    this.languageItem.name = "SkriptND";
    this.languageItem.command = { command: SHOW_ACTIONS, title: "Actions" };
    this.subscriptions = [
      this.item,
      this.languageItem,
      life.onDidChange((state) => {
        if (state.kind !== "running") this.evaluation = IDLE;
        this.show();
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => this.show()),
      life.client.onNotification(evaluationStatus, (status) => this.evaluates(status)),
    ];
    this.show();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const each of this.subscriptions) each.dispose();
  }

  private evaluates(status: EvaluationStatus): void {
    this.evaluation = status;
    clearTimeout(this.timer);
    const pause = status.running + status.pending === 0 ? 0 : UNSEEN_MS;
    this.timer = setTimeout(() => this.show(), pause);
  }

  private show(): void {
    const { icon, text, detail, severity, busy } = appearance(this.life.state, this.evaluation);
    this.item.text = `$(${icon}) ${text}`;
    this.item.tooltip = `SkriptND: ${detail}`;
    this.item.accessibilityInformation = { label: `SkriptND: ${detail}`, role: "button" };
    this.item.backgroundColor =
      severity === vscode.LanguageStatusSeverity.Error ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
    Object.assign(this.languageItem, { text, detail, severity, busy });
    const isNeeded = severity !== vscode.LanguageStatusSeverity.Information;
    if (isNeeded || editorInSight() !== undefined) this.item.show();
    else this.item.hide();
  }
}

/** The look of a state. */
export function appearance(state: LifeState, evaluation: EvaluationStatus): Appearance {
  const { Information, Warning, Error } = vscode.LanguageStatusSeverity;
  const looks = (icon: string, text: string, detail: string, severity = Information, busy = false): Appearance => ({
    icon, text, detail, severity, busy,
  });
  switch (state.kind) {
    case "stopped": return looks("circle-slash", "snd", "the server is stopped");
    case "searching": return looks("loading~spin", "snd", "looking for the server", Information, true);
    case "starting": return looks("loading~spin", `snd ${state.server.version}`, "the server starts", Information, true);
    case "waiting": return looks("warning", `snd ${state.server.version}`, `the server crashed; it starts again in ${state.seconds} s`, Warning);
    case "failed": return looks("error", "snd", "the server crashed too often", Error);
    case "missing": return looks("error", "snd", "there is no server", Error);
    case "running": {
      const { running, pending } = evaluation;
      const from = `server ${state.server.version} from ${sourceText(state.server.source)}`;
      if (running + pending === 0) return looks("check", `snd ${state.server.version}`, `${from}, nothing to evaluate`);
      const rest = pending === 0 ? "" : `, ${pending} waiting`;
      return looks("sync~spin", `snd ${state.server.version}`, `${from}, evaluating${rest}`, Information, true);
    }
  }
}
