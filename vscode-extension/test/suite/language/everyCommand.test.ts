import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { api, hovers, PATIENCE, place, shown, until, write } from "../editing";

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
    this.timeout(5_000 * PATIENCE);
    await asked("workbench.action.closeAllEditors");
    for (const command of declared()) {
      await run(command);
      await asked("workbench.action.closeAllEditors");
    }
  });

  test("runs with an editor", async function () {
    this.timeout(5_000 * PATIENCE);
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

  test("does what its title says", async function () {
    this.timeout(10_000 * PATIENCE);
    const { commands } = vscode.extensions.getExtension("snd-lang.skriptnd")!.packageJSON.contributes;
    assert.deepEqual(Object.keys(EFFECTS).sort(), (commands as { command: string }[]).map((each) => each.command).sort());
    for (const [command, check] of Object.entries(EFFECTS)) {
      await asked("workbench.action.closeAllEditors");
      await check(command);
    }
    await asked("workbench.action.closeAllEditors");
  });
});

// ---- what commands do ----------------------------------------------------------------------------------------------
const TESTS = join(__dirname, "../../../../tests/editors/vscode");

/** A test that drives a window: the API does not tell what lists and pages show. */
const seenBy = (file: string, test: string) => () => {
  assert.match(readFileSync(join(TESTS, file), "utf8"), new RegExp(`^def ${test}\\b`, "m"));
};

const tab = (label: RegExp) => () =>
  vscode.window.tabGroups.all.some((group) => group.tabs.some((each) => label.test(each.label)));

/** Shows a file with the cursor at a text. */
async function at(name: string, text: string): Promise<vscode.TextDocument> {
  const editor = await shown(name);
  const there = place(editor.document, text);
  editor.selection = new vscode.Selection(there, there);
  return editor.document;
}

async function lensesAt(document: vscode.TextDocument, text: string): Promise<string[]> {
  const { line } = place(document, text);
  const found = await asked<vscode.CodeLens[]>("vscode.executeCodeLensProvider", document.uri, 50);
  return found.filter((each) => each.range.start.line === line).map((each) => each.command?.title ?? "");
}

/** Longer than an evaluation that nobody asked for takes to begin and to end. */
const QUIET_MS = 1500;

/** Acts, told its last number, on a sample that is not evaluated by itself. */
async function unasked(act: (document: vscode.TextDocument, last: number) => Promise<void>): Promise<void> {
  const settings = vscode.workspace.getConfiguration("snd.evaluation");
  await settings.update("automatic", false);
  const document = await at("samples.sknd", ">>> ramp{slope=3.0}");
  const before = document.getText();
  try {
    let last = 4;
    // The setting may reach the server after the edit, which then is evaluated once more: the next one won't be.
    await until("a sample without values", async () => {
      await write(document, before.replace("[1.0, 2.0])", `[1.0, ${++last}.0])`));
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      return (await lensesAt(document, ">>> ramp{slope=3.0}")).includes("evaluate");
    });
    await at("samples.sknd", ">>> ramp{slope=3.0}");
    await act(document, last);
  } finally {
    await write(document, before);
    await document.save();
    await settings.update("automatic", undefined);
  }
}

async function evaluatedBy(command: string): Promise<void> {
  await unasked(async (document) => {
    await asked(command);
    await until("values", async () => (await lensesAt(document, ">>> ramp{slope=3.0}")).includes("refresh"));
  });
}

const EFFECTS: Record<string, (command: string) => unknown> = {
  "snd.evaluateSampleAtCursor": evaluatedBy,
  "snd.refreshSampleAtCursor": evaluatedBy,
  "snd.recordSampleAtCursor": (command) =>
    unasked(async (document, last) => {
      await asked(command);
      await until("the result", () => document.getText().includes(`# y: real[2] = [3.0, ${3 * last}.0]`));
    }),
  // That what takes long ends is tested where there is something that takes long: tests/server/lsp/test_evaluation.py.
  "snd.cancelSampleAtCursor": async (command) => {
    await at("samples.sknd", ">>> wave");
    await asked(command);
  },
  "snd.evaluateGraphWithInputs": async (command) => {
    await at("main.sknd", "edges =");
    const done = asked(command);
    await until("the page of values", async () => {
      await asked("workbench.action.acceptSelectedQuickOpenItem");
      return tab(/small_net/)();
    });
    await done;
  },
  "snd.showGraph": async (command) => {
    await at("main.sknd", "edges =");
    await asked(command);
    const input = await until("the drawing", () =>
      vscode.window.tabGroups.all.flatMap((group) => group.tabs).find((each) => each.label === "small_net")?.input,
    );
    assert.ok(input instanceof vscode.TabInputWebview && input.viewType.endsWith("snd.graph"));
  },
  "snd.changeSignature": seenBy("test_ui.py", "test_the_signature_of_an_operator_is_changed"),
  "snd.showDataFlow": seenBy("test_ui.py", "test_the_data_flow_is_drawn_and_an_arrow_key_asks_about_another_cell"),
  "snd.showSyntaxTree": async (command) => {
    await at("main.sknd", "edges =");
    await asked(command);
    await until("the tree", () => vscode.window.visibleTextEditors.some((each) => each.document.uri.scheme === "snd-tree"));
  },
  "snd.openRulePage": async (command) => {
    const document = await at("broken.sknd", "imag)");
    await until("the mistake", () => vscode.languages.getDiagnostics(document.uri).length === 1);
    await asked(command);
    await until("the page", tab(/undefined-name/));
  },
  "snd.showOutput": async (command) => {
    await asked(command);
    await until("the output", () =>
      vscode.workspace.textDocuments.some((each) => each.uri.scheme === "output" && each.getText().includes("Server ")),
    );
  },
  "snd.restartServer": async (command) => {
    const { serverProcessId: before } = await api();
    assert.ok(before !== undefined);
    await asked(command);
    await until("another process", async () => {
      const { serverProcessId, state } = await api();
      return state.kind === "running" && serverProcessId !== undefined && serverProcessId !== before;
    });
  },
  "snd.showShapes": seenBy("test_ui.py", "test_the_table_of_shapes_has_every_tensor"),
  "snd.showActions": seenBy("test_ui.py", "test_the_status_bar_tells_the_version_of_the_server"),
  "snd.selectServer": seenBy("test_servers.py", "test_the_path_of_a_server_is_chosen"),
  "snd.createEnvironment": seenBy("test_servers.py", "test_the_extension_installs_the_server_that_it_carries"),
};
