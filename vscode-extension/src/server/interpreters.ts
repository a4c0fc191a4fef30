/** The Python environments that are chosen in the workspace. */
import * as vscode from "vscode";
import { isAbsolute, join } from "node:path";
import { expanded, isProgram, onPath, pythonOf } from "./places";

const EXTENSION = "ms-python.python";
// Somebody else's extension may take its time; the search goes on without it.
const PATIENCE_MS = 8_000;

/** The used part of the interface of ms-python.python. */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(path: { readonly path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

/** Pythons, the one that counts most first, each once. */
export async function chosenPythons(): Promise<string[]> {
  const folders: (vscode.WorkspaceFolder | undefined)[] = [...(vscode.workspace.workspaceFolders ?? [])];
  if (folders.length === 0) folders.push(undefined);
  const api = await pythonApi();
  const found: string[] = [];
  for (const folder of folders) {
    found.push(...(await ofExtension(api, folder)), ...(await ofSetting(folder)), ...(await ofFolder(folder)));
  }
  return [...new Set(found)];
}

/** Calls back when another environment is chosen. */
export async function onPythonChange(changed: () => void): Promise<vscode.Disposable> {
  const api = await pythonApi();
  return api?.environments.onDidChangeActiveEnvironmentPath(changed) ?? new vscode.Disposable(() => undefined);
}

async function pythonApi(): Promise<PythonApi | undefined> {
  const extension = vscode.extensions.getExtension<Partial<PythonApi>>(EXTENSION);
  if (extension === undefined) return undefined;
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), PATIENCE_MS).unref());
  const api = await Promise.race([Promise.resolve(extension.activate()).catch(() => undefined), late]);
  return api?.environments === undefined ? undefined : (api as PythonApi);
}

async function ofExtension(api: PythonApi | undefined, folder: vscode.WorkspaceFolder | undefined): Promise<string[]> {
  if (api === undefined) return [];
  try {
    const path = api.environments.getActiveEnvironmentPath(folder?.uri);
    const python = (await api.environments.resolveEnvironment(path))?.executable.uri?.fsPath;
    return python === undefined ? [] : [python];
  } catch {
    return [];
  }
}

/** `python.defaultInterpreterPath`, if somebody set it: its default is any Python. */
async function ofSetting(folder: vscode.WorkspaceFolder | undefined): Promise<string[]> {
  const said = vscode.workspace.getConfiguration("python", folder?.uri).inspect<string>("defaultInterpreterPath");
  const value = said?.workspaceFolderValue ?? said?.workspaceValue ?? said?.globalValue;
  if (typeof value !== "string" || value === "") return [];
  const path = expanded(value, folder?.uri.fsPath);
  if (!/[\\/]/.test(path)) return [await onPath(path)].filter((each) => each !== undefined);
  const file = isAbsolute(path) || folder === undefined ? path : join(folder.uri.fsPath, path);
  for (const each of [file, pythonOf(file)]) if (await isFile(each)) return [each];
  return [];
}

async function ofFolder(folder: vscode.WorkspaceFolder | undefined): Promise<string[]> {
  if (folder === undefined || folder.uri.scheme !== "file") return [];
  const pythons = [".venv", "venv"].map((name) => pythonOf(join(folder.uri.fsPath, name)));
  const there = await Promise.all(pythons.map(isProgram));
  return pythons.filter((_, at) => there[at]);
}

async function isFile(path: string): Promise<boolean> {
  const stat = await vscode.workspace.fs.stat(vscode.Uri.file(path)).then((each) => each, () => undefined);
  return stat !== undefined && (stat.type & vscode.FileType.File) !== 0;
}
