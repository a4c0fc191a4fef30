/** Messages about the server, each with what solves it. */
import * as vscode from "vscode";
import type { Search } from "./candidates";
import type { LifeState, ServerLife } from "./life";
import type { Setup } from "./setup";

const CREATE = "Create Environment";
const CHOOSE = "Choose Path…";
const OUTPUT = "Show Output";
const RESTART = "Restart Server";

export class Messages {
  constructor(
    private readonly life: ServerLife,
    private readonly setup: Setup,
    private readonly log: vscode.LogOutputChannel,
  ) {
    life.onDidChange((state) => void this.tell(state));
  }

  /** Shows an error, if there is one. An equal message replaces the one before. */
  async tell(state: LifeState): Promise<void> {
    if (state.kind === "missing") await this.act(await this.missing(state.search));
    if (state.kind === "failed") await this.act(await this.failed(state.problem));
  }

  private async missing({ failures }: Search): Promise<string | undefined> {
    const named = failures.find((each) => each.candidate.source === "setting");
    const buttons = (await this.setup.wheel()) === undefined ? [CHOOSE, OUTPUT] : [CREATE, CHOOSE, OUTPUT];
    const message =
      named !== undefined
        ? `The SkriptND server that the setting snd.server.path names can't be used: ${named.candidate.place}: ${named.problem}.`
        : "The SkriptND server is not installed. The extension can install it into an environment of its own.";
    return vscode.window.showErrorMessage(message, ...buttons);
  }

  private async failed(problem: string): Promise<string | undefined> {
    const why = problem === "" ? "" : ` The last was: ${problem}`;
    const message = `The SkriptND server crashed five times within three minutes and is not started again.${why}`;
    return vscode.window.showErrorMessage(message, RESTART, CHOOSE, OUTPUT);
  }

  private async act(choice: string | undefined): Promise<void> {
    if (choice === OUTPUT) this.log.show();
    if (choice === RESTART) await this.life.restart();
    if (choice === CHOOSE && (await this.setup.choosePath())) await this.life.restart();
    if (choice === CREATE && (await this.setup.create())) {
      await this.setup.clearPath();
      await this.life.restart();
    }
  }
}
