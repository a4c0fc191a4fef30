/** Files where programs are looked for, by the conventions of each platform. Knows nothing of VS Code. */
import { constants } from "node:fs";
import { access, readlink, realpath } from "node:fs/promises";
import { basename, delimiter, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { homedir } from "node:os";

const WINDOWS = process.platform === "win32";

/** The Python of an environment, by the environment's folder. */
export function pythonOf(environment: string): string {
  return WINDOWS ? join(environment, "Scripts", "python.exe") : join(environment, "bin", "python");
}

/** Returns whether there is a program at a path. */
export async function isProgram(path: string): Promise<boolean> {
  return access(path, WINDOWS ? constants.F_OK : constants.X_OK).then(() => true, () => false);
}

/**
 * The first program of a name on PATH. Relative entries do not count, nor does the current folder: what lies in a
 * workspace must not be run for having the right name.
 */
export async function onPath(name: string, path = process.env["PATH"] ?? ""): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const file = join(folder, WINDOWS ? `${name}.exe` : name);
    if (await isProgram(file)) return file;
  }
  return undefined;
}

/** Pythons of this machine that may be new enough, the usual one first. */
export async function pythonsOfMachine(): Promise<string[]> {
  const names = ["python3", ...[16, 15, 14, 13, 12, 11].map((minor) => `python3.${minor}`), "python"];
  const folders = WINDOWS
    ? [12, 13, 14, 11].map((minor) => join(process.env["LOCALAPPDATA"] ?? "", "Programs", "Python", `Python3${minor}`))
    : ["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", join(homedir(), ".local", "bin"), join(homedir(), ".pyenv", "shims")];
  const path = [process.env["PATH"] ?? "", ...folders].join(delimiter);
  const found = await Promise.all(names.map((name) => onPath(name, path)));
  return [...new Set(found.filter((each) => each !== undefined))];
}

const MOST_LINKS = 40;

/**
 * Returns whether a program lies in one of `folders`, by its path, by the target of links, or by any link on the way.
 * A Python environment in a workspace consists of links to a Python outside of it, and still runs its own packages.
 */
export async function liesIn(program: string, folders: readonly string[]): Promise<boolean> {
  const real = (path: string): Promise<string> => realpath(path).catch(() => resolve(path));
  const around = [...folders.map((each) => resolve(each)), ...await Promise.all(folders.map(real))];
  let path = resolve(program);
  for (let links = 0; links < MOST_LINKS; links++) {
    const places = [path, join(await real(dirname(path)), basename(path)), await real(path)];
    if (places.some((place) => around.some((folder) => isBelow(place, folder)))) return true;
    const target = await readlink(path).catch(() => undefined);
    if (target === undefined) return false;
    path = resolve(await real(dirname(path)), target);
  }
  return true;  // links in a circle lead to no program
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** `~` and `${workspaceFolder}` in a path as users write it. */
export function expanded(path: string, folder: string | undefined): string {
  const home = path === "~" || path.startsWith("~/") || path.startsWith("~\\") ? homedir() + path.slice(1) : path;
  return home
    .replaceAll("${userHome}", homedir())
    .replaceAll(/\$\{workspaceFolder(?::[^}]*)?\}|\$\{workspaceRoot\}/g, folder ?? "")
    .replaceAll(/\$\{env:([^}]*)\}/g, (_, name: string) => process.env[name] ?? "");
}
