/** The client of the protocol. It logs and never pops up: what the user is to know, `life.ts` and commands tell. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type ClientCapabilities,
  type LanguageClientOptions,
  type ServerCapabilities,
  type StaticFeature,
  type StreamInfo,
} from "vscode-languageclient/node";
import { LANGUAGES } from "../languages";
import type { FoundServer } from "./candidates";
import { provideCompletionItem } from "./completion";
import { contributions } from "./contributions";
import { SECTION, declaredKeys, serverSettings } from "./settings";

export const SHOW_REFERENCES = "snd.showReferences";
const SHOW_PARAMETERS = "editor.action.triggerParameterHints";
const SCHEMES = ["file", "untitled", "vscode-vfs"];
// A server that was told to end has this long before it is ended.
const FAREWELL_MS = 3_000;

export const SELECTOR = SCHEMES.flatMap((scheme) => LANGUAGES.map((language) => ({ scheme, language })));

/** The end of a server that nobody asked to end. */
export interface Crash {
  /** The last lines that it wrote to standard error. */
  readonly lastWords: string;
}

export class SndClient extends LanguageClient {
  private readonly crashed = new vscode.EventEmitter<Crash>();
  readonly onCrash = this.crashed.event;

  private readonly process: ServerProcess;

  constructor(
    extension: vscode.Extension<unknown>,
    private readonly log: vscode.LogOutputChannel,
    server: () => FoundServer,
  ) {
    const process = new ServerProcess(log, server);
    const keys = declaredKeys(extension);
    const options: LanguageClientOptions = {
      documentSelector: SELECTOR,
      outputChannel: log,
      progressOnInitialization: false,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: (error) => ({ action: ErrorAction.Continue, message: `the connection: ${error.message}`, handled: true }),
        closed: () => {
          this.crashed.fire({ lastWords: process.lastWords });
          return { action: CloseAction.DoNotRestart, message: "The server has ended.", handled: true };
        },
      },
      middleware: {
        provideCompletionItem,
        workspace: {
          configuration: ({ items }) =>
            items.map(({ section, scopeUri }): unknown => {
              const scope = scopeUri === undefined ? undefined : vscode.Uri.parse(scopeUri);
              if (section === SECTION) return serverSettings(scope, keys);
              return vscode.workspace.getConfiguration(undefined, scope).get<unknown>(section ?? "") ?? null;
            }),
        },
      },
    };
    super(SECTION, "SkriptND", () => process.start(), options);
    this.process = process;
    this.registerFeature(new Abilities(extension));
  }

  /** The id of the server's process; undefined if there is none. */
  get processId(): number | undefined {
    return this.process.id;
  }

  /** The last text of the server on standard error. */
  get lastWords(): string {
    return this.process.lastWords;
  }

  /** Ends the server's process, if it does not end by itself soon. */
  endProcess(patienceMs = FAREWELL_MS): void {
    this.process.end(patienceMs);
  }

  override error(message: string, data?: unknown): void {
    this.log.error(message, ...shown(data));
  }

  override warn(message: string, data?: unknown): void {
    this.log.warn(message, ...shown(data));
  }

  override info(message: string, data?: unknown): void {
    this.log.info(message, ...shown(data));
  }

  override debug(message: string, data?: unknown): void {
    this.log.debug(message, ...shown(data));
  }
}

function shown(data: unknown): unknown[] {
  return data === undefined || data === null ? [] : [data];
}

/** The abilities of this client beside the protocol. It leaves out commands of the server that have our names. */
class Abilities implements StaticFeature {
  constructor(private readonly extension: vscode.Extension<unknown>) {}

  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const known = capabilities.experimental as object | undefined;
    capabilities.experimental = { ...known, commands: [SHOW_REFERENCES, SHOW_PARAMETERS], evaluationStatus: true, grammar: true, rulePage: "snd-rule:/{rule}.md" };
  }

  preInitialize(capabilities: ServerCapabilities): void {
    const offered = capabilities.executeCommandProvider;
    if (offered === undefined) return;
    const own = (contributions(this.extension).commands ?? []).map((each) => each.command);
    const names = new Set<string>([SHOW_REFERENCES, ...own]);
    offered.commands = offered.commands.filter((each) => !names.has(each));
  }

  initialize(): void {}

  getState() {
    return { kind: "static" as const };
  }

  clear(): void {}
}

/** The process of the server; what it writes to standard error goes to the log. */
class ServerProcess {
  lastWords = "";
  private child: ChildProcessWithoutNullStreams | undefined;

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly server: () => FoundServer,
  ) {}

  get id(): number | undefined {
    return this.child?.pid;
  }

  async start(): Promise<StreamInfo> {
    const { command, args } = this.server();
    const cwd = vscode.workspace.workspaceFolders?.find((each) => each.uri.scheme === "file")?.uri.fsPath;
    this.log.info(`Starting ${[command, ...args, "lsp"].join(" ")}`);
    this.lastWords = "";
    const child = (this.child = spawn(command, [...args, "lsp"], { cwd, stdio: "pipe", windowsHide: true }));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.lastWords = (this.lastWords + text).slice(-2_000);
      for (const line of text.trimEnd().split("\n")) this.log.warn(`server: ${line}`);
    });
    child.on("error", (error) => {
      this.lastWords = error.message;
      child.stdout.destroy();
    });
    child.on("exit", (status, signal) => {
      if (this.child === child) this.child = undefined;
      this.log.info(`The server's process ${child.pid} ended: ${signal ?? `status ${status}`}`);
    });
    child.stdin.on("error", () => undefined); // that it is gone is told by the end of standard output
    return { reader: child.stdout, writer: child.stdin };
  }

  end(patienceMs: number): void {
    const child = this.child;
    if (child === undefined || child.exitCode !== null) return;
    const end = setTimeout(() => child.kill("SIGKILL"), patienceMs);
    child.on("exit", () => clearTimeout(end));
  }
}
