/** Commands about the server itself, and the list of them behind the status bar item. */
import * as vscode from "vscode";
import { existingEnvironment } from "../server/privateEnvironment";
import type { ServerLife } from "../server/life";
import type { Setup } from "../server/setup";
import { SHOW_ACTIONS } from "../server/status";

interface ActionItem extends vscode.QuickPickItem {
  readonly command?: string;
  readonly arguments?: readonly unknown[];
}

export function registerServerCommands(
  life: ServerLife,
  setup: Setup,
  log: vscode.LogOutputChannel,
): vscode.Disposable[] {
  const register = vscode.commands.registerCommand;
  return [
    register("snd.restartServer", () => life.restart()),
    register("snd.showOutput", () => log.show()),
    register("snd.selectServer", async () => {
      if (await setup.choosePath()) await life.restart();
    }),
    register("snd.createEnvironment", async () => {
      if (!(await setup.create())) return false;
      await life.lookAgain();
      const state = life.state;
      if (state.kind === "running" && state.server.source !== "private") {
        void vscode.window.showInformationMessage(
          `The server is installed, but the extension still uses ${state.server.place}, which it finds first.`,
        );
      }
      return (await existingEnvironment(setup.storage)) !== undefined;
    }),
    register(SHOW_ACTIONS, () => showActions(life)),
  ];
}

async function showActions(life: ServerLife): Promise<void> {
  const state = life.state;
  const place = "server" in state ? state.server.place : undefined;
  const items: ActionItem[] = [
    { label: "$(debug-restart) Restart Server", description: place, command: "snd.restartServer" },
    { label: "$(output) Show Output", command: "snd.showOutput" },
    { label: "Server", kind: vscode.QuickPickItemKind.Separator },
    { label: "$(folder-opened) Choose Path of Server…", command: "snd.selectServer" },
    { label: "$(package) Create Environment for Server", command: "snd.createEnvironment" },
    { label: "Views", kind: vscode.QuickPickItemKind.Separator },
    { label: "$(table) Show Composed Shapes", command: "snd.showShapes" },
    { label: "$(type-hierarchy) Show Graph", command: "snd.showGraph" },
    { label: "$(list-tree) Show Syntax Tree", command: "snd.showSyntaxTree" },
    { label: "$(book) Open Page of Rule…", command: "snd.openRulePage" },
    { label: "", kind: vscode.QuickPickItemKind.Separator },
    { label: "$(gear) Settings", command: "workbench.action.openSettings", arguments: ["@ext:snd-lang.skriptnd"] },
  ];
  const picked = await vscode.window.showQuickPick(items, { title: "SkriptND" });
  if (picked?.command !== undefined) await vscode.commands.executeCommand(picked.command, ...(picked.arguments ?? []));
}
