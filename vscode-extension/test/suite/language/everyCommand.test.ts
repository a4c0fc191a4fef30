import assert from "node:assert/strict";
import * as vscode from "vscode";
import { hovers, place, shown, until } from "../editing";

const asked = vscode.commands.executeCommand;
// This one installs the server: tests/editors/vscode/test_servers.py has it done.
const INSTALLS = "snd.createEnvironment";

function declared(): string[] {
  const { contributes } = vscode.extensions.getExtension("snd-lang.skriptnd")!.packageJSON;
  const names = (contributes.commands as { command: string }[]).map((each) => each.command);
  assert.ok(names.includes(INSTALLS));
  return names.filter((name) => name !== INSTALLS);
}

/** Runs a command to its end. What it asks for is not answered: the box is closed. */
async function run(command: string): Promise<void> {
  let isDone = false;
  const done = Promise.resolve(asked(command)).finally(() => (isDone = true));
  done.catch(() => undefined); // told below
  await until(`the end of ${command}`, async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (!isDone) await asked("workbench.action.closeQuickOpen");
    return isDone;
  });
  await done;
}

suite("every command", () => {
  suiteSetup(async () => {
    const { document } = await shown("samples.sknd");
    await until("the server", () => hovers(document.uri, place(document, "ramp", "operator ramp")));
  });

  test("runs without an editor", async function () {
    this.timeout(60_000);
    await asked("workbench.action.closeAllEditors");
    for (const command of declared()) {
      await run(command);
      await asked("workbench.action.closeAllEditors");
    }
  });

  test("runs with an editor", async function () {
    this.timeout(60_000);
    for (const command of declared()) {
      const editor = await shown("samples.sknd");
      const at = place(editor.document, "wave", "# >>> wave");
      editor.selection = new vscode.Selection(at, at);
      await run(command);
      await shown("samples.sknd");
      await asked("workbench.action.files.revert");
    }
    await asked("workbench.action.closeAllEditors");
  });
});
