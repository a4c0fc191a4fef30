/** Remedies for a missing server: choosing one, or installing one. */
import { join } from "node:path";
import * as vscode from "vscode";
import { chosenPythons } from "./interpreters";
import { pythonsOfMachine } from "./places";
import {
  carriedWheel,
  createEnvironment,
  existingEnvironment,
  isOutdated,
  type Wheel,
} from "./privateEnvironment";
import { choosePython } from "./pythons";

const PYTHON_PAGE = "https://www.python.org/downloads/";

export class Setup {
  private installing: Promise<boolean> | undefined;
  private hasTriedUpgrade = false;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** The folder of the extension's own environment. */
  get storage(): string {
    return this.context.globalStorageUri.fsPath;
  }

  wheel(): Promise<Wheel | undefined> {
    return carriedWheel(join(this.context.extensionPath, "dist", "wheel"));
  }

  /** Makes the environment, in sight of the user. Whether it is there then. */
  create(): Promise<boolean> {
    this.installing ??= this.install("Installing the SkriptND server", vscode.ProgressLocation.Notification).finally(
      () => (this.installing = undefined),
    );
    return this.installing;
  }

  /**
   * If the environment was made of an older wheel than the one that the extension carries now: makes it anew. Whether
   * it did. Without success it goes on with what there is, and tries again when VS Code starts the next time.
   */
  async upgrade(): Promise<boolean> {
    if (this.hasTriedUpgrade) return false;
    const [environment, wheel] = await Promise.all([existingEnvironment(this.storage), this.wheel()]);
    if (environment === undefined || wheel === undefined || !isOutdated(environment, wheel)) return false;
    this.hasTriedUpgrade = true;
    this.log.info(`Replacing the server ${environment.version} in the extension's environment by ${wheel.version}.`);
    return this.install("Upgrading the SkriptND server", vscode.ProgressLocation.Window, wheel);
  }

  /** Lets the user name the program; whether one was named. */
  async choosePath(): Promise<boolean> {
    const [file] = (await vscode.window.showOpenDialog({
      title: "The command snd, or a Python that has it",
      openLabel: "Use as Server",
      canSelectMany: false,
    })) ?? [undefined];
    if (file === undefined) return false;
    const settings = vscode.workspace.getConfiguration("snd.server");
    const inWorkspace = settings.inspect("path")?.workspaceValue !== undefined;
    const target = inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
    await settings.update("path", file.fsPath, target);
    return true;
  }

  /** The setting is gone then, wherever it was made. */
  async clearPath(): Promise<void> {
    const settings = vscode.workspace.getConfiguration("snd.server");
    const said = settings.inspect("path");
    if (said?.globalValue !== undefined) await settings.update("path", undefined, vscode.ConfigurationTarget.Global);
    if (said?.workspaceValue !== undefined) {
      await settings.update("path", undefined, vscode.ConfigurationTarget.Workspace);
    }
  }

  private async install(title: string, location: vscode.ProgressLocation, known?: Wheel): Promise<boolean> {
    const wheel = known ?? (await this.wheel());
    if (wheel === undefined) {
      void vscode.window.showErrorMessage("This build of the extension contains no server to install.");
      return false;
    }
    const pythons = [...(vscode.workspace.isTrusted ? await chosenPythons() : []), ...(await pythonsOfMachine())];
    const { python, refused } = await choosePython(pythons);
    for (const each of refused) this.log.info(`Python that can't make the environment: ${each}`);
    if (python === undefined) {
      void this.tellOfPython(refused);
      return false;
    }
    const options = { title, location, cancellable: location === vscode.ProgressLocation.Notification };
    return vscode.window.withProgress(options, async (progress, token) => {
      const controller = new AbortController();
      token.onCancellationRequested(() => controller.abort());
      try {
        await createEnvironment(this.storage, python, wheel, {
          report: (message) => progress.report({ message }),
          log: (text) => this.log.info(text),
          signal: controller.signal,
        });
        return true;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        this.log.error(message);
        if (!token.isCancellationRequested) void this.tellOfFailure(message);
        return false;
      }
    });
  }

  private async tellOfPython(refused: readonly string[]): Promise<void> {
    const why = refused.length === 0 ? "" : ` (${refused.at(0)})`;
    const message = `Python 3.11 or newer is needed to run the SkriptND server, and none was found${why}.`;
    const choice = await vscode.window.showErrorMessage(message, "Get Python", "Show Output");
    if (choice === "Get Python") await vscode.env.openExternal(vscode.Uri.parse(PYTHON_PAGE));
    if (choice === "Show Output") this.log.show();
  }

  private async tellOfFailure(message: string): Promise<void> {
    const choice = await vscode.window.showErrorMessage(`The SkriptND server: ${message}`, "Show Output");
    if (choice === "Show Output") this.log.show();
  }
}
