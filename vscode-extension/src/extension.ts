/** The extension: what it consists of, and when it begins and ends. */
import * as vscode from "vscode";
import { followEditors } from "./commands/editors";
import { Guard } from "./commands/guard";
import { registerChangeSignature } from "./commands/changeSignature";
import { registerEvaluateGraph } from "./commands/evaluateGraph";
import { registerReferencesCommand } from "./commands/references";
import { registerRulePageCommand } from "./commands/rulePage";
import { registerSampleCommands } from "./commands/samples";
import { registerServerCommands } from "./commands/server";
import { findServer } from "./server/finder";
import { onPythonChange } from "./server/interpreters";
import { ServerLife, type LifeState } from "./server/life";
import { Messages } from "./server/messages";
import { removeOld } from "./server/privateEnvironment";
import { Setup } from "./server/setup";
import { Status } from "./server/status";
import { registerSampleTests, type SampleTestsApi } from "./testing/samples";
import { registerDataFlow } from "./views/flow/panel";
import { registerGraphPanel } from "./views/graphPanel";
import { registerShapes } from "./views/shapes/panel";
import { registerSyntaxTree } from "./views/syntaxTree";

let life: ServerLife | undefined;

/** The interface for other extensions and for tests: they may observe, but change nothing. */
export interface Api {
  readonly state: LifeState;
  readonly onDidChangeState: vscode.Event<LifeState>;
  /** The process of the server, while there is one. */
  readonly serverProcessId: number | undefined;
  /** The samples in the Test Explorer, and what comes of them. */
  readonly samples: SampleTestsApi;
}

export function activate(context: vscode.ExtensionContext): Api {
  const log = vscode.window.createOutputChannel("SkriptND", { log: true });
  const setup = new Setup(context, log);
  const find = async () => {
    const result = await findServer(setup.storage, log);
    const isOwn = result.found?.source === "private";
    return isOwn && (await setup.upgrade()) ? findServer(setup.storage, log) : result;
  };
  const server = (life = new ServerLife(context.extension, log, find));
  const messages = new Messages(server, setup, log);
  const guard = new Guard(server, messages, log);
  context.subscriptions.push(
    log,
    server,
    new Status(server),
    followEditors(),
    ...registerServerCommands(server, setup, log),
    ...registerSampleCommands(guard),
    ...registerRulePageCommand(server, guard),
    ...registerEvaluateGraph(context, guard),
    ...registerSyntaxTree(server.client, guard),
    ...registerDataFlow(context.extensionUri, server.client, guard),
    registerChangeSignature(guard),
    registerReferencesCommand(server.client),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("snd.server")) void server.restart();
      else if (event.affectsConfiguration("python.defaultInterpreterPath")) void server.lookAgain();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.lookAgain()),
  );
  registerShapes(context, server.client);
  registerGraphPanel(context, server.client);
  const samples = registerSampleTests(context, server.client, log);
  void server.start();
  void onPythonChange(() => void server.lookAgain()).then((each) => context.subscriptions.push(each));
  void removeOld(setup.storage);
  return {
    get state() { return server.state; },
    onDidChangeState: server.onDidChange,
    get serverProcessId() { return server.client.processId; },
    samples,
  };
}

export async function deactivate(): Promise<void> {
  await life?.stop();
}
