// Every setting that is declared, with values of it and what can be seen of each.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { api, hovers, place, shown, until, write } from "../editing";

const asked = vscode.commands.executeCommand;
/** A value of a setting, and whether it is in effect. */
type Effect = readonly [value: unknown, inEffect: () => Promise<boolean>];

// ---- what can be seen ----------------------------------------------------------------------------------------------
async function hints(name = "shown.sknd"): Promise<string> {
  const { document } = await shown(name);
  const whole = new vscode.Range(0, 0, document.lineCount, 0);
  const found = await asked<vscode.InlayHint[]>("vscode.executeInlayHintProvider", document.uri, whole);
  return found.map(({ label }) => (typeof label === "string" ? label : label.map((part) => part.value).join(""))).join("\n");
}

async function lenses(): Promise<string[]> {
  const { document } = await shown("shown.sknd");
  const found = await asked<vscode.CodeLens[]>("vscode.executeCodeLensProvider", document.uri, 50);
  return found.map((each) => each.command?.title ?? "");
}

async function mistakes(name = "wrong.sknd"): Promise<string[]> {
  const { document } = await shown(name);
  return vscode.languages.getDiagnostics(document.uri).map(({ code, severity }) => {
    const rule = typeof code === "object" ? code.value : code;
    return `${rule} ${vscode.DiagnosticSeverity[severity]}`;
  }).sort();
}

const ERRORS = ["too-many-arguments Error", "undefined-name Error"];
const hint = (pattern: RegExp) => async () => pattern.test(await hints());
const noHint = (pattern: RegExp) => async () => {
  const found = await hints();
  return found !== "" && !pattern.test(found);
};
const lens = (title: string) => async () => (await lenses()).includes(title);
const noLens = (pattern: RegExp, other: RegExp) => async () => {
  const found = await lenses();
  return found.some((each) => other.test(each)) && !found.some((each) => pattern.test(each));
};
const mistake = (...expected: string[]) => async () => JSON.stringify(await mistakes()) === JSON.stringify(expected);

async function lines(): Promise<number> {
  const { document } = await shown("shown.sknd");
  const edits = await asked<vscode.TextEdit[] | undefined>("vscode.executeFormatDocumentProvider", document.uri, {
    tabSize: 4, insertSpaces: true,
  });
  return (edits ?? []).map((each) => each.newText.split("\n").length).reduce((one, other) => one + other, 0);
}

async function hasPicture(): Promise<boolean> {
  const { document } = await shown("shown.sknd");
  return /!\[[^\]]*\]\(data:image\/png/.test(await hovers(document.uri, place(document, "waves", "# >>> waves")));
}

/** The text of the output channel, which is a document as soon as it is shown. */
async function output(): Promise<string> {
  await asked("snd.showOutput");
  return vscode.workspace.textDocuments.filter((each) => each.uri.scheme === "output").map((each) => each.getText()).join("\n");
}

/** Makes all values those of another text. */
async function edited(): Promise<void> {
  const { document } = await shown("shown.sknd");
  const text = document.getText().replace(/x\[i,\] \+ 1(.0+)/, "x[i,] + 1$10");
  await write(document, text.replace(/size=(3|5)/, (_, size) => `size=${8 - Number(size)}`));
}
const afterAnEdit = (inEffect: () => Promise<boolean>) => {
  let isEdited: Promise<void> | undefined;
  return async () => {
    await (isEdited ??= edited());
    return await inEffect();
  };
};

// ---- the settings --------------------------------------------------------------------------------------------------
const VALUE = /y: real\[2\]/;
const GRAPH_VALUE = /real\[2, ?4, ?8, ?8\] n=/;
const SHAPE = /^real\[h, ?w\]$/m;
const outdated = async () => (await lenses()).includes("stale: refresh");
const allFresh = noLens(/stale|pending|running|over limit/, /refresh/);

suite("every setting", () => {
  let program: string;

  const EFFECTS: Record<string, readonly Effect[]> = {
    "snd.select": [[["undefined-name"], mistake("undefined-name Error")], [null, mistake(...ERRORS)]],
    "snd.ignore": [[["undefined-name"], mistake("too-many-arguments Error")], [null, mistake(...ERRORS)]],
    "snd.warn": [[["undefined-name"], mistake("too-many-arguments Error", "undefined-name Warning")]],
    "snd.error": [[["too-many-arguments"], mistake(...ERRORS)]],
    "snd.modulePaths": [
      [["elsewhere"], async () => (await mistakes("imports.sknd")).length === 0],
      [[], async () => (await mistakes("imports.sknd")).includes("module-not-found Error")],
    ],
    "snd.lineWidth": [[30, async () => (await lines()) > 5], [null, async () => (await lines()) === 0]],
    "snd.proofs": [],
    "snd.evaluation.enabled": [
      [false, noLens(/evaluate|refresh/, /reference/)],
      [true, hint(VALUE)],
    ],
    "snd.evaluation.automatic": [
      [false, afterAnEdit(outdated)],
      [true, allFresh],
    ],
    "snd.evaluation.graphs": [[false, afterAnEdit(outdated)], [true, allFresh]],
    "snd.evaluation.budget": [[1e-9, afterAnEdit(outdated)], [10, allFresh]],
    "snd.evaluation.timeout": [[1e-9, afterAnEdit(lens("over limit: evaluate again"))], [60, afterAnEdit(allFresh)]],
    "snd.evaluation.memory": [[1, afterAnEdit(lens("over limit: evaluate again"))], [500, afterAnEdit(allFresh)]],
    "snd.evaluation.real": [["f64", hint(/16777217/)], ["f32", noHint(/16777217/)]],
    "snd.evaluation.seed": [],
    "snd.evaluation.quantize": [],
    "snd.evaluation.pictures": [[false, async () => !(await hasPicture())], [true, hasPicture]],
    "snd.inlayHints.enabled": [[false, async () => (await hints()) === ""], [true, hint(SHAPE)]],
    "snd.inlayHints.shapes": [[false, noHint(SHAPE)], [true, hint(SHAPE)]],
    "snd.inlayHints.values": [[false, noHint(VALUE)], [true, hint(VALUE)]],
    "snd.inlayHints.graphValues": [[false, noHint(GRAPH_VALUE)], [true, hint(GRAPH_VALUE)]],
    "snd.inlayHints.attributes": [[false, noHint(/rank=/)], [true, hint(/rank=3/)]],
    "snd.inlayHints.arguments": [[false, noHint(/^truth:$/m)], [true, hint(/^truth:$/m)]],
    "snd.inlayHints.generics": [[false, noHint(/<int/)], [true, hint(/<int/)]],
    "snd.inlayHints.blockEnds": [[false, noHint(/graph shown/)], [true, hint(/graph shown/)]],
    "snd.codeLenses.enabled": [[false, async () => (await lenses()).length === 0], [true, lens("refresh")]],
    "snd.codeLenses.samples": [[false, noLens(/record result/, /reference/)], [true, lens("record result")]],
    "snd.codeLenses.graphs": [[false, noLens(/hide values/, /reference/)], [true, lens("hide values")]],
    "snd.codeLenses.references": [[false, noLens(/reference/, /refresh/)], [true, lens("1 reference")]],
    "snd.trace.server": [["verbose", async () => (await mistakes(), /textDocument\//.test(await output()))]],
    "snd.server.path": [],
    "snd.server.arguments": [],
  };

  suiteSetup(async () => {
    const { document } = await shown("shown.sknd");
    program = vscode.workspace.getConfiguration("snd.server").get<string>("path")!;
    await until("the server", () => hovers(document.uri, place(document, "layer.conv")));
  });

  suiteTeardown(async () => {
    await shown("shown.sknd");
    await asked("workbench.action.files.revert");
  });

  async function set(setting: string, value: unknown): Promise<void> {
    await vscode.workspace.getConfiguration().update(setting, value, vscode.ConfigurationTarget.Workspace);
  }

  test("is in the list of those whose effects are tested", () => {
    const { configuration } = vscode.extensions.getExtension("snd-lang.skriptnd")!.packageJSON.contributes;
    const declared = (configuration as { properties: object }[]).flatMap(({ properties }) => Object.keys(properties));
    assert.deepEqual(Object.keys(EFFECTS).sort(), declared.sort());
  });

  test("takes effect at once", async function () {
    this.timeout(600_000);
    const failed: string[] = [];
    for (const [setting, effects] of Object.entries(EFFECTS)) {
      for (const [value, inEffect] of effects) {
        await set(setting, value);
        await until(`${setting} = ${JSON.stringify(value)}`, inEffect).catch(async (error: Error) => {
          failed.push(`${error.message}; lenses: ${await lenses()}`);
        });
      }
      if (effects.length > 0) await set(setting, undefined);
    }
    assert.equal(failed.join("\n"), "");
  });

  test("about chance changes what is random", async () => {
    const random = async () => /random\[2\][^]*/.exec(await hints()) ?? (await hints());
    await until("a value", hint(VALUE));
    const before = String(await random());
    await set("snd.evaluation.seed", 1);
    await until("other values", async () => VALUE.test(await hints()) && String(await random()) !== before);
    await set("snd.evaluation.seed", undefined);
    await until("the same values again", async () => String(await random()) === before);
  });

  test("about the server starts another one", async () => {
    const python = join(dirname(program), "python");
    const server = async () => {
      const { state } = await api();
      return state.kind === "running" ? state.server : undefined;
    };
    assert.equal((await server())?.command, program);
    await set("snd.server.arguments", ["-m", "snd_server"]);
    await set("snd.server.path", python);
    await until("the other server", async () => (await server())?.place === `${python} -m snd_server`);
    await set("snd.server.arguments", undefined);
    await set("snd.server.path", program);
    await until("the first server", async () => (await server())?.command === program);
  });
});
