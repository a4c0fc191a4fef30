/**
 * A Python environment of the extension's own, made of the wheel that it carries. Each attempt has a folder of its own,
 * and becomes the environment by the file that names it, once all is well: so that other windows, and an attempt that
 * ends half-way, disturb nothing. Knows nothing of VS Code.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inEnvironment, type Candidate } from "./candidates";
import { isProgram, pythonOf } from "./places";
import { run, type Finished } from "./processes";
import { compareVersions, printedVersion, wheelVersion } from "./version";

const NAME_FILE = "environment.json";
const INSTALL_MS = 600_000;
const WEEK_MS = 7 * 24 * 3600 * 1000;

/** The wheel in the extension. */
export interface Wheel {
  readonly file: string;
  readonly version: string;
  readonly digest: string;
}

/** The contents of the folder. */
export interface Environment {
  readonly folder: string;
  readonly version: string;
  readonly digest: string;
}

export class InstallationError extends Error {}

/** The wheel in a folder; undefined if the extension was built without. */
export async function carriedWheel(folder: string): Promise<Wheel | undefined> {
  const names = await readdir(folder).catch(() => []);
  const name = names.find((each) => wheelVersion(each) !== undefined);
  if (name === undefined) return undefined;
  const file = join(folder, name);
  const digest = createHash("sha256").update(await readFile(file)).digest("hex").slice(0, 16);
  return { file, version: wheelVersion(name)!, digest };
}

/** The environment that was made before, if it is still there. */
export async function existingEnvironment(storage: string): Promise<Environment | undefined> {
  try {
    const written = JSON.parse(await readFile(join(storage, NAME_FILE), "utf8")) as Partial<Environment>;
    const { folder, version, digest } = written;
    if (typeof folder !== "string" || typeof version !== "string" || typeof digest !== "string") return undefined;
    return (await isProgram(pythonOf(join(storage, folder)))) ? { folder, version, digest } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether the wheel should replace the installed version: it is newer, or another build of it. */
export function isOutdated(environment: Environment, wheel: Wheel): boolean {
  const order = compareVersions(environment.version, wheel.version);
  return order < 0 || (order === 0 && environment.digest !== wheel.digest);
}

/** The server of the environment. */
export function privateCandidate(storage: string, environment: Environment): Candidate {
  return inEnvironment("private", pythonOf(join(storage, environment.folder)));
}

export interface Progress {
  readonly report: (message: string) => void;
  readonly log: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Makes the environment. Throws InstallationError with the cause, and removes a half made environment. */
export async function createEnvironment(
  storage: string,
  python: string,
  wheel: Wheel,
  progress: Progress,
): Promise<Environment> {
  const folder = `server-${wheel.version}-${Date.now().toString(36)}-${process.pid}`;
  const path = join(storage, folder);
  await mkdir(storage, { recursive: true });
  const step = async (what: string, command: string, args: readonly string[]): Promise<Finished> => {
    progress.report(what);
    progress.log(`${command} ${args.join(" ")}`);
    const answer = await run(command, args, { timeoutMs: INSTALL_MS, cwd: storage, signal: progress.signal });
    for (const text of [answer.stdout, answer.stderr]) if (text.trim() !== "") progress.log(text.trimEnd());
    if (answer.problem !== undefined) throw new InstallationError(`${what} failed: ${answer.problem}`);
    return answer;
  };
  try {
    await step("Creating the environment", python, ["-I", "-m", "venv", path]);
    const own = pythonOf(path);
    const quiet = ["--disable-pip-version-check", "--no-input"];
    await step("Installing the server", own, ["-I", "-m", "pip", "install", ...quiet, wheel.file]);
    const { stdout } = await step("Trying the server", own, ["-P", "-m", "snd_server", "--version"]);
    const version = printedVersion(stdout);
    if (version === undefined) throw new InstallationError("the server that was installed does not tell its version");
    const environment = { folder, version, digest: wheel.digest };
    await writeFile(join(storage, `${folder}.json`), JSON.stringify(environment));
    await rename(join(storage, `${folder}.json`), join(storage, NAME_FILE));
    return environment;
  } catch (error) {
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

/** Removes environments that others have replaced, but for those that a window may still be using. */
export async function removeOld(storage: string, now = Date.now()): Promise<void> {
  const current = await existingEnvironment(storage);
  for (const name of await readdir(storage).catch(() => [])) {
    if (!name.startsWith("server-") || name === current?.folder) continue;
    const age = now - (await stat(join(storage, name)).then((each) => each.mtimeMs, () => now));
    if (age > WEEK_MS) await rm(join(storage, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
