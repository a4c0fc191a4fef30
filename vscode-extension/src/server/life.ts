/** The life of the server: it is looked for, started, started again after a crash, and stopped. */
import * as vscode from "vscode";
import { State as ClientState } from "vscode-languageclient/node";
import { Backoff } from "./backoff";
import type { FoundServer, Search } from "./candidates";
import { SndClient, type Crash } from "./client";

export type LifeState =
  | { readonly kind: "stopped" }
  | { readonly kind: "searching" }
  | { readonly kind: "starting"; readonly server: FoundServer }
  | { readonly kind: "running"; readonly server: FoundServer }
  /** It crashed, and starts again soon. */
  | { readonly kind: "waiting"; readonly server: FoundServer; readonly seconds: number }
  /** It crashed too often. */
  | { readonly kind: "failed"; readonly server: FoundServer; readonly problem: string }
  | { readonly kind: "missing"; readonly search: Search };

const LEAVING_MS = 4_000;

export class ServerLife implements vscode.Disposable {
  readonly client: SndClient;
  private current: LifeState = { kind: "stopped" };
  private readonly changed = new vscode.EventEmitter<LifeState>();
  readonly onDidChange = this.changed.event;
  private readonly backoff = new Backoff();
  private timer: NodeJS.Timeout | undefined;
  private server: FoundServer | undefined;
  /** Starting and stopping happen one after the other. */
  private last: Promise<void> = Promise.resolve();

  constructor(
    extension: vscode.Extension<unknown>,
    private readonly log: vscode.LogOutputChannel,
    private readonly find: () => Promise<Search>,
  ) {
    this.client = new SndClient(extension, log, () => this.server!);
    this.client.onCrash((crash) => this.crash(crash));
  }

  get state(): LifeState {
    return this.current;
  }

  /** Looks for a server and starts it; resolves when it runs, or when it is clear that none does. */
  start(): Promise<void> {
    return this.next(() => this.begin());
  }

  /** Somebody asks for a new beginning: earlier crashes are forgotten. */
  restart(): Promise<void> {
    this.backoff.reset();
    return this.next(async () => {
      await this.end();
      await this.begin();
    });
  }

  /** Starts another server, if looking again finds another one. */
  lookAgain(): Promise<void> {
    return this.next(async () => {
      const result = await this.find();
      const [now, then] = [result.found, this.server];
      const isRunning = this.current.kind === "running" || this.current.kind === "starting";
      if (isRunning && now !== undefined && now.place === then?.place && now.source === then.source) return;
      this.backoff.reset();
      await this.end();
      await this.begin(result);
    });
  }

  stop(): Promise<void> {
    return this.next(() => this.end());
  }

  /** Resolves when nothing is on its way. */
  settled(): Promise<void> {
    return this.last;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.changed.dispose();
  }

  private next(work: () => Promise<void>): Promise<void> {
    this.last = this.last.then(work).catch((error: unknown) => this.log.error("The server's life", error as Error));
    return this.last;
  }

  private async begin(known?: Search): Promise<void> {
    clearTimeout(this.timer);
    if (this.current.kind === "running") return;
    this.set({ kind: "searching" });
    const search = known ?? (await this.find());
    if (search.found === undefined) return this.set({ kind: "missing", search });
    const server = (this.server = search.found);
    this.set({ kind: "starting", server });
    try {
      await this.client.start();
      if (this.is("starting")) this.set({ kind: "running", server });
    } catch (error) {
      this.client.endProcess(0);
      if (this.is("starting")) this.crash({ lastWords: this.client.lastWords || String(error) });
    }
  }

  private async end(): Promise<void> {
    clearTimeout(this.timer);
    this.set({ kind: "stopped" });
    if (this.client.state === ClientState.Running) {
      await this.client.stop().catch((error: unknown) => this.log.warn("Stopping the server", error as Error));
      this.client.endProcess();
    } else {
      this.client.endProcess(0);
    }
    const deadline = Date.now() + LEAVING_MS;
    while (this.client.state !== ClientState.Stopped && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  private crash({ lastWords }: Crash): void {
    const state = this.current;
    if (state.kind !== "running" && state.kind !== "starting") return;
    const problem = lastWords.trimEnd().split("\n").at(-1) ?? "";
    const delay = this.backoff.crashed();
    this.log.error(`The server crashed${problem === "" ? "" : `: ${problem}`}`);
    if (delay === undefined) return this.set({ kind: "failed", server: state.server, problem });
    this.log.info(`The server restarts in ${delay / 1000} s.`);
    this.set({ kind: "waiting", server: state.server, seconds: delay / 1000 });
    this.timer = setTimeout(() => void this.next(() => this.again()), delay);
  }

  private async again(): Promise<void> {
    if (this.is("waiting")) await this.begin();
  }

  private is(kind: LifeState["kind"]): boolean {
    return this.current.kind === kind;
  }

  private set(state: LifeState): void {
    this.current = state;
    this.changed.fire(state);
  }
}
