/** Looks for the server, in the order in which places count, and tells the log what it finds. */
import { resolve } from "node:path";
import * as vscode from "vscode";
import { fromSetting, inEnvironment, search, sourceText, type Candidate, type Search } from "./candidates";
import { chosenPythons } from "./interpreters";
import { expanded, liesIn, onPath } from "./places";
import { existingEnvironment, privateCandidate } from "./privateEnvironment";
import { run, type Finished } from "./processes";

// Python that starts for the first time, from a disk that is asleep, takes a while.
const PROBE_MS = 20_000;

/** The server, or why there is none. Code of workspaces that are not trusted is not run. */
export async function findServer(storage: string, log: vscode.LogOutputChannel): Promise<Search> {
  const { candidates, empty } = await candidatesInOrder(storage, log);
  const result = await search(candidates, async (candidate) => {
    if (!vscode.workspace.isTrusted && await isOfWorkspace(candidate)) return REFUSED;
    const started = Date.now();
    const answer = await run(candidate.command, [...candidate.args, "--version"], { timeoutMs: PROBE_MS });
    log.debug(`${candidate.place} --version: ${answer.problem ?? answer.stdout.trim()} (${Date.now() - started} ms)`);
    return answer;
  });
  for (const { candidate, problem } of result.failures) {
    log.info(`No server from ${sourceText(candidate.source)}, ${candidate.place}: ${problem}`);
  }
  if (result.found === undefined) log.warn(["No server was found.", ...empty].join("\n  "));
  else log.info(`Server ${result.found.version} from ${sourceText(result.found.source)}: ${result.found.place}`);
  return result;
}

const REFUSED: Finished = {
  status: undefined, stdout: "", stderr: "",
  problem: "it lies in this workspace, which is not trusted, and is not run",
};

/** Returns whether a program, or the script it runs, lies in a folder of the workspace. */
async function isOfWorkspace(candidate: Candidate): Promise<boolean> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map((each) => each.uri.fsPath);
  const paths = [candidate.command, ...candidate.args].filter((each) => /[\\/]/.test(each));
  return (await Promise.all(paths.map((each) => liesIn(resolve(folders[0] ?? "", each), folders)))).some(Boolean);
}

/** Programs that may be the server, and a line for each place that has none. */
interface Places {
  candidates: Candidate[];
  empty: string[];
}

async function candidatesInOrder(storage: string, log: vscode.LogOutputChannel): Promise<Places> {
  const trusted = vscode.workspace.isTrusted;
  const settings = vscode.workspace.getConfiguration("snd.server");
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const path = expanded(settings.get<string>("path", "").trim(), folder);
  if (path !== "") {
    const program = /[\\/]/.test(path) ? resolve(folder ?? "", path) : ((await onPath(path)) ?? path);
    return { candidates: [fromSetting(program, settings.get<string[]>("arguments", []))], empty: [] };
  }
  const found: Candidate[] = [];
  const empty = ["The setting snd.server.path is empty."];
  const pythons = trusted ? await chosenPythons() : [];
  found.push(...pythons.map((python) => inEnvironment("environment", python)));
  if (pythons.length === 0) empty.push("No Python environment of this workspace is chosen or known.");
  if (!trusted) log.info("This workspace is not trusted: the extension ignores Python environments in it.");
  const program = await onPath("snd");
  if (program !== undefined) found.push({ source: "path", command: program, args: [], place: program });
  else empty.push(`No program snd is on PATH: ${process.env["PATH"] || "(empty)"}`);
  const own = await existingEnvironment(storage);
  if (own !== undefined) found.push(privateCandidate(storage, own));
  else empty.push(`The extension has no environment of its own in ${storage}`);
  return { candidates: found, empty };
}
