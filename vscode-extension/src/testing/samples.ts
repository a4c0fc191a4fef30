/** Samples in the Test Explorer: a file of samples is a node, each sample a test. */
import * as vscode from "vscode";
import { State as ClientState } from "vscode-languageclient/node";
import { evaluateSample, sampleFiles, samples, type Age, type KnownSample, type SampleName } from "../protocol";
import { SELECTOR, type SndClient } from "../server/client";
import { titleOf, verdictOf, type Failure, type Verdict } from "./verdict";

const PATTERN = "**/*.sknd";
const PAUSE_MS = 400;
const MARK = ">>>";
/** Ages of values that were found for another state of the files, if at all. */
const OUTDATED: ReadonlySet<Age> = new Set(["stale", "pending", "running"]);

/** The subject of a test item. */
interface Test {
  readonly sample: SampleName;
  readonly codeLine: number;
}

/** A test that was run to its end. */
export interface Tested {
  readonly item: vscode.TestItem;
  readonly verdict: Verdict;
}

/** The state of the samples in the Test Explorer. */
export interface SampleTestsApi {
  /** A node for each file of samples; its children are the samples. */
  readonly items: vscode.TestItemCollection;
  readonly onDidTest: vscode.Event<Tested>;
}

export function registerSampleTests(
  context: vscode.ExtensionContext, client: SndClient, log: vscode.LogOutputChannel,
): SampleTestsApi {
  const tests = new SampleTests(client, log);
  context.subscriptions.push(tests);
  return tests;
}

class SampleTests implements vscode.Disposable, SampleTestsApi {
  private readonly controller = vscode.tests.createTestController("snd.samples", "SkriptND Samples");
  readonly items = this.controller.items;
  private readonly tested = new vscode.EventEmitter<Tested>();
  readonly onDidTest = this.tested.event;
  private readonly tests = new WeakMap<vscode.TestItem, Test>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly subscriptions: vscode.Disposable[];
  private isSought = false;

  constructor(
    private readonly client: SndClient,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.controller.resolveHandler = async (item) => (item === undefined ? this.seek() : this.look(item.uri!));
    this.controller.refreshHandler = () => this.seek();
    this.controller.createRunProfile("Evaluate", vscode.TestRunProfileKind.Run, (request, token) => this.run(request, token), true);
    const watcher = vscode.workspace.createFileSystemWatcher(PATTERN);
    this.subscriptions = [
      this.controller,
      this.tested,
      watcher,
      watcher.onDidCreate((uri) => this.soon(uri)),
      watcher.onDidChange((uri) => this.soon(uri)),
      watcher.onDidDelete((uri) => this.controller.items.delete(uri.toString())),
      vscode.workspace.onDidOpenTextDocument((document) => this.edited(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.edited(document)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.seek()),
      client.onDidChangeState(({ newState }) => {
        if (newState === ClientState.Running) void this.begin();
      }),
    ];
  }

  dispose(): void {
    for (const each of this.timers.values()) clearTimeout(each);
    for (const each of this.subscriptions) each.dispose();
  }

  // ---- finding ------------------------------------------------------------------------------------------------------
  private async begin(): Promise<void> {
    if (!this.isSought) await this.seek();
    else for (const document of vscode.workspace.textDocuments) this.edited(document);
  }

  private async seek(): Promise<void> {
    if (this.client.state !== ClientState.Running) return;
    this.isSought = true;
    const { uris } = await this.client.sendRequest(sampleFiles, {});
    const all = new Map(uris.map((each) => this.client.protocol2CodeConverter.asUri(each)).map((uri) => [uri.toString(), uri]));
    for (const [id] of this.controller.items) if (!all.has(id)) this.controller.items.delete(id);
    for (const uri of all.values()) await this.look(uri);
  }

  private edited(document: vscode.TextDocument): void {
    if (vscode.languages.match(SELECTOR, document) > 0 && isOurs(document.uri)) this.soon(document.uri);
  }

  private soon(uri: vscode.Uri): void {
    const key = uri.toString();
    clearTimeout(this.timers.get(key));
    this.timers.set(key, setTimeout(() => {
      this.timers.delete(key);
      void this.look(uri);
    }, PAUSE_MS));
  }

  /** Updates the tests of a file from its text. */
  private async look(uri: vscode.Uri): Promise<void> {
    if (this.client.state !== ClientState.Running) return;
    const id = uri.toString();
    let found: readonly KnownSample[];
    try {
      if (!(await mayHaveSamples(uri))) return this.controller.items.delete(id);
      const textDocument = { uri: this.client.code2ProtocolConverter.asUri(uri) };
      found = (await this.client.sendRequest(samples, { textDocument })).samples;
    } catch (error) {
      this.log.debug(`samples of ${id}: ${String(error)}`);
      return;
    }
    if (found.length === 0) return this.controller.items.delete(id);
    const file = this.controller.items.get(id) ?? this.controller.createTestItem(id, vscode.workspace.asRelativePath(uri), uri);
    file.children.replace(found.map((each) => this.itemOf(file, uri, each)));
    this.controller.items.add(file);
  }

  /** The item of a sample: the one from before, if the sample only moved, so that its result stays. */
  private itemOf(file: vscode.TestItem, uri: vscode.Uri, known: KnownSample): vscode.TestItem {
    const { sample } = known;
    const id = `${sample.occurrence} ${sample.code}`;
    const item = file.children.get(id) ?? this.controller.createTestItem(id, titleOf(sample.code), uri);
    item.range = this.client.protocol2CodeConverter.asRange(known.range);
    item.sortText = String(item.range.start.line).padStart(8, "0");
    if (known.target !== null) item.description = known.target;
    if (OUTDATED.has(known.age)) this.controller.invalidateTestResults(item);
    this.tests.set(item, { sample, codeLine: known.codeRange.end.line });
    return item;
  }

  // ---- running ------------------------------------------------------------------------------------------------------
  private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.controller.createTestRun(request);
    const chosen: vscode.TestItem[] = [];
    const excluded = new Set(request.exclude);
    const collect = (item: vscode.TestItem): void => {
      if (excluded.has(item)) return;
      if (this.tests.has(item)) chosen.push(item);
      item.children.forEach(collect);
    };
    if (request.include === undefined) this.controller.items.forEach(collect);
    else request.include.forEach(collect);
    for (const item of chosen) run.enqueued(item);
    for (const item of chosen) {
      if (token.isCancellationRequested) run.skipped(item);
      else await this.evaluate(run, item, token);
    }
    run.end();
  }

  private async evaluate(run: vscode.TestRun, item: vscode.TestItem, token: vscode.CancellationToken): Promise<void> {
    const { sample } = this.tests.get(item)!;
    const uri = item.uri!;
    run.started(item);
    try {
      const textDocument = { uri: this.client.code2ProtocolConverter.asUri(uri) };
      const answer = await this.client.sendRequest(evaluateSample, { textDocument, sample, again: true }, token);
      const verdict = verdictOf(answer, await recordedLines(uri, item.range));
      this.report(run, item, verdict, answer.seconds * 1000);
    } catch (error) {
      if (token.isCancellationRequested) return run.skipped(item);
      const message = this.client.state === ClientState.Running ? String((error as Error).message ?? error) : "the server is not running";
      this.report(run, item, { kind: "error", failures: [{ message }], output: "" });
    }
  }

  private report(run: vscode.TestRun, item: vscode.TestItem, verdict: Verdict, milliseconds?: number): void {
    if (verdict.output !== "") run.appendOutput(verdict.output.replaceAll("\n", "\r\n"), undefined, item);
    const messages = verdict.failures.map((each) => this.messageOf(item, each));
    switch (verdict.kind) {
      case "passed": run.passed(item, milliseconds); break;
      case "skipped": run.skipped(item); break;
      case "failed": run.failed(item, messages, milliseconds); break;
      case "error": run.errored(item, messages, milliseconds); break;
    }
    this.tested.fire({ item, verdict });
  }

  private messageOf(item: vscode.TestItem, failure: Failure): vscode.TestMessage {
    const { message, expected, actual = "", line = 0 } = failure;
    const told = expected === undefined ? new vscode.TestMessage(message) : vscode.TestMessage.diff(message, expected, actual);
    const first = item.range?.start.line ?? this.tests.get(item)!.codeLine;
    told.location = new vscode.Location(item.uri!, new vscode.Position(first + line, 0));
    return told;
  }
}

/** Returns whether a file belongs to the workspace; files of the library do not. */
function isOurs(uri: vscode.Uri): boolean {
  return vscode.workspace.workspaceFolders === undefined || vscode.workspace.getWorkspaceFolder(uri) !== undefined;
}

/** Returns whether a request is worthwhile: most files have no samples. */
async function mayHaveSamples(uri: vscode.Uri): Promise<boolean> {
  return (await textOf(uri)).includes(MARK);
}

async function recordedLines(uri: vscode.Uri, range: vscode.Range | undefined): Promise<string[]> {
  if (range === undefined) return [];
  return (await textOf(uri)).split(/\r\n|\r|\n/).slice(range.start.line, range.end.line + 1);
}

async function textOf(uri: vscode.Uri): Promise<string> {
  const open = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
  return open?.getText() ?? new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}
