/** The places of possible servers, in order, and the choice of the first that has one. */
import { printedVersion } from "./version";
import type { Finished } from "./processes";

export type Source = "setting" | "environment" | "path" | "private";

/** A place where there may be a server. */
export interface Candidate {
  readonly source: Source;
  readonly command: string;
  /** The arguments before the subcommand. */
  readonly args: readonly string[];
  /** The place of the server, for people. */
  readonly place: string;
}

/** A server that answers. */
export interface FoundServer extends Candidate {
  readonly version: string;
}

export interface Failure {
  readonly candidate: Candidate;
  readonly problem: string;
}

export interface Search {
  readonly found: FoundServer | undefined;
  readonly failures: readonly Failure[];
}

/** `python -m snd_server`, without the current folder in the path of modules: it may hold the code of others. */
export function inEnvironment(source: Source, python: string): Candidate {
  return { source, command: python, args: ["-P", "-m", "snd_server"], place: python };
}

/** The server that the user names: a program, or a Python that has it. */
export function fromSetting(path: string, args: readonly string[]): Candidate {
  const isPython = /^(python|pypy)[\d.]*w?(\.exe)?$/i.test(path.split(/[\\/]/).at(-1) ?? "");
  if (isPython && args.length === 0) return { ...inEnvironment("setting", path), place: path };
  return { source: "setting", command: path, args, place: [path, ...args].join(" ") };
}

/**
 * Tries candidates one after another until one answers with its version. If the setting names a server, no other is
 * tried: whoever made it wants that one.
 */
export async function search(
  candidates: readonly Candidate[],
  probe: (candidate: Candidate) => Promise<Finished>,
): Promise<Search> {
  const failures: Failure[] = [];
  const named = candidates.filter((each) => each.source === "setting");
  for (const candidate of named.length > 0 ? named : candidates) {
    const answer = await probe(candidate);
    const version = answer.problem === undefined ? printedVersion(answer.stdout) : undefined;
    if (version !== undefined) return { found: { ...candidate, version }, failures };
    const said = answer.stdout.trim().slice(0, 80);
    failures.push({ candidate, problem: answer.problem ?? `it is no snd: --version says '${said}'` });
  }
  return { found: undefined, failures };
}

/** The origin of a server, for people. */
export function sourceText(source: Source): string {
  switch (source) {
    case "setting": return "the setting snd.server.path";
    case "environment": return "the Python environment of the workspace";
    case "path": return "PATH";
    case "private": return "the extension's own environment";
  }
}
