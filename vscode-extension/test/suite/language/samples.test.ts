import assert from "node:assert/strict";
import * as vscode from "vscode";
import { file, hovers, place, shown, until, write } from "../editing";

const asked = vscode.commands.executeCommand;

suite("values of samples", () => {
  let document: vscode.TextDocument;

  suiteSetup(async () => {
    document = (await shown("samples.sknd")).document;
    await until("the server", () => hovers(document.uri, place(document, "ramp", "operator ramp")));
  });

  async function values(line: number): Promise<string> {
    const whole = new vscode.Range(0, 0, document.lineCount, 0);
    const hints = await asked<vscode.InlayHint[]>("vscode.executeInlayHintProvider", document.uri, whole);
    return hints
      .filter((hint) => hint.position.line === line)
      .map((hint) => (typeof hint.label === "string" ? hint.label : hint.label.map((part) => part.value).join("")))
      .join(" ");
  }

  test("what agrees with the recorded result has a tick", async () => {
    const line = place(document, "# y: real[3]").line;
    await until("a tick", async () => (await values(line)).includes("✓"));
  });

  test("what differs is told with what comes out", async () => {
    const line = place(document, "# y: real[2] = [3.0, 7.0]").line;
    const shown = await until("≠", async () => /≠/.test(await values(line)) && (await values(line)));
    assert.match(shown, /6\.0/);
  });

  test("what is not recorded is shown behind the sample", async () => {
    const line = place(document, "# >>> wave").line;
    await until("values", async () => /12|…|\d/.test(await values(line)));
  });

  test("values follow edits of the definition", async () => {
    const text = document.getText();
    await write(document, text.replace("slope * x[i,]", "slope * x[i,] + 1.0"));
    const line = place(document, "# y: real[3]").line;
    await until("≠", async () => (await values(line)).includes("≠"));
    await write(document, text);
    await until("✓", async () => (await values(line)).includes("✓"));
  });

  test("hovers show all values", async () => {
    await until("the value", async () => {
      const text = await hovers(document.uri, place(document, "ramp", "# >>> ramp{slope=3.0}"));
      return /6\.0/.test(text);
    });
  });

  test("hovers show pictures of tensors unless the setting says otherwise", async () => {
    const hasPicture = async () => {
      const text = await hovers(document.uri, place(document, "wave", "# >>> wave"));
      return /!\[[^\]]*\]\(data:image\/png/.test(text);
    };
    const settings = vscode.workspace.getConfiguration("snd");
    await until("a picture", hasPicture);
    await settings.update("evaluation.pictures", false);
    await until("no picture", async () => !(await hasPicture()));
    await settings.update("evaluation.pictures", undefined);
    await until("a picture again", hasPicture);
  });

  test("samples have lenses whose commands run", async () => {
    const at = place(document, "# >>> wave").line;
    const lens = await until("a lens", async () => {
      const lenses = await asked<vscode.CodeLens[]>("vscode.executeCodeLensProvider", document.uri, 50);
      return lenses.find((each) => each.range.start.line === at && each.command?.command);
    });
    await asked(lens.command!.command, ...(lens.command!.arguments ?? []));
  });

  test("results are recorded into the document", async () => {
    await shown("samples.sknd");
    const before = document.getText();
    const editor = vscode.window.activeTextEditor!;
    const at = place(document, "# >>> ramp{slope=3.0}");
    editor.selection = new vscode.Selection(at, at);
    const lens = await until("the lens", async () => {
      const lenses = await asked<vscode.CodeLens[]>("vscode.executeCodeLensProvider", document.uri, 50);
      return lenses.find((each) => each.range.start.line === at.line && each.command?.command === "snd.record");
    });
    await asked("snd.record", ...lens.command!.arguments!);
    await until("the result", () => document.getText().includes("# y: real[2] = [3.0, 6.0]"));
    await write(document, before);
    await document.save();
    assert.equal(document.getText(), before);
    assert.ok(file("samples.sknd"));
  });
});
