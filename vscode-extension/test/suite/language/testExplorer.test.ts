import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Tested } from "../../../src/testing/samples";
import { api, file, shown, until, write } from "../editing";

const asked = vscode.commands.executeCommand;

suite("the test explorer", () => {
  let items: vscode.TestItemCollection;
  let onDidTest: vscode.Event<Tested>;

  suiteSetup(async () => {
    ({ items, onDidTest } = (await api()).samples);
    await shown("samples.sknd");
    await until("the samples", () => children("samples.sknd").length === 3 && children("blocks.sknd").length === 1);
  });

  function children(name: string): vscode.TestItem[] {
    const found: vscode.TestItem[] = [];
    items.get(file(name).toString())?.children.forEach((each) => found.push(each));
    return found.sort((one, other) => one.range!.start.line - other.range!.start.line);
  }

  /** Lets VS Code run tests, and waits until as many have been run. */
  async function verdicts(command: string, count: number): Promise<Map<string, Tested["verdict"]>> {
    const found = new Map<string, Tested["verdict"]>();
    const listening = onDidTest(({ item, verdict }) => found.set(item.label, verdict));
    try {
      void asked(command);
      await until(`${count} verdicts of ${command}`, () => found.size >= count);
      return found;
    } finally {
      listening.dispose();
    }
  }

  test("has a node for each file with samples, and a test for each sample", async () => {
    const names: string[] = [];
    items.forEach((each) => names.push(each.label));
    assert.deepEqual(names.sort(), ["blocks.sknd", "samples.sknd"]);
    const samples = children("samples.sknd");
    assert.deepEqual(samples.map((each) => each.label), ["ramp{slope=2.0}([0.0, 1.0, 2.0])", "ramp{slope=3.0}([1.0, 2.0])", "wave(random[12,16])"]);
    assert.deepEqual(samples.map((each) => each.description), ["ramp", "ramp", "wave"]);
    assert.deepEqual(samples.map((each) => [each.range!.start.line, each.range!.end.line]).map(([start]) => start), [1, 4, 22]);
  });

  test("runs all, and tells what passes, differs, and has nothing to compare", async () => {
    const found = await verdicts("testing.runAll", 4);
    assert.equal(found.get("double([1.0, 2.0])")!.kind, "passed");
    assert.equal(found.get("ramp{slope=2.0}([0.0, 1.0, 2.0])")!.kind, "passed");
    assert.equal(found.get("wave(random[12,16])")!.kind, "skipped");
    const { kind, failures } = found.get("ramp{slope=3.0}([1.0, 2.0])")!;
    assert.equal(kind, "failed");
    assert.deepEqual(failures.map(({ expected, actual, line }) => [expected, actual, line]), [
      ["y: real[2] = [3.0, 7.0]", "y: real[2] = [3.0, 6.0]", 1],
    ]);
  });

  test("runs the test at the cursor, and those of a file", async () => {
    const editor = await shown("samples.sknd");
    editor.selection = new vscode.Selection(1, 5, 1, 5);
    assert.deepEqual([...(await verdicts("testing.runAtCursor", 1)).keys()], ["ramp{slope=2.0}([0.0, 1.0, 2.0])"]);
    assert.equal((await verdicts("testing.runCurrentFile", 3)).size, 3);
  });

  test("follows the text", async () => {
    const { document } = await shown("samples.sknd");
    const before = document.getText();
    const moved = children("samples.sknd")[0]!;
    await write(document, `\n${before.replace("# >>> ramp{slope=3.0}([1.0, 2.0])", "# >>> ramp{slope=4.0}([1.0, 2.0])")}`);
    await until("the new sample", () => children("samples.sknd").some((each) => each.label.startsWith("ramp{slope=4.0}")));
    const now = children("samples.sknd");
    assert.equal(now.length, 3);
    assert.equal(now[0], moved, "a sample that only moved is the same test");
    assert.equal(moved.range!.start.line, 2);
    await write(document, "# Nothing.\n");
    await until("no tests", () => items.get(document.uri.toString()) === undefined);
    await write(document, before);
    await until("the tests again", () => children("samples.sknd").length === 3);
    await document.save();
  });

  test("says what went wrong where a sample can't be evaluated", async () => {
    const { document } = await shown("samples.sknd");
    const before = document.getText();
    await write(document, before.replace("# >>> wave(random[12,16])", "# >>> wave(random[12])"));
    await until("the sample", () => children("samples.sknd").some((each) => each.label === "wave(random[12])"));
    const found = await verdicts("testing.runCurrentFile", 3);
    assert.equal(found.get("wave(random[12])")!.kind, "error");
    assert.notEqual(found.get("wave(random[12])")!.failures[0]!.message, "");
    await write(document, before);
    await until("the sample", () => children("samples.sknd").some((each) => each.label === "wave(random[12,16])"));
    await document.save();
  });
});
