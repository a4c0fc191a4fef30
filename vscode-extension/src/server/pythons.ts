/** A Python with which an environment can be made. */
import { run, type Finished } from "./processes";

const LEAST: readonly [number, number] = [3, 11];
const QUESTION = "import sys; print('%d.%d' % sys.version_info[:2]); import venv, ensurepip";

export interface PythonChoice {
  readonly python: string | undefined;
  /** Why the others can't be taken, a line for each. */
  readonly refused: readonly string[];
}

/** The first of some Pythons that is new enough and can make environments. */
export async function choosePython(
  candidates: readonly string[],
  ask: (python: string) => Promise<Finished> = (python) => run(python, ["-I", "-c", QUESTION], { timeoutMs: 10_000 }),
): Promise<PythonChoice> {
  const refused: string[] = [];
  for (const python of candidates) {
    const problem = problemOf(await ask(python));
    if (problem === undefined) return { python, refused };
    refused.push(`${python}: ${problem}`);
  }
  return { python: undefined, refused };
}

function problemOf(answer: Finished): string | undefined {
  const version = /^(\d+)\.(\d+)\s*$/m.exec(answer.stdout);
  if (version === null) return answer.problem ?? "it does not tell its version";
  const [major, minor] = [Number(version[1]), Number(version[2])];
  if (major < LEAST[0] || (major === LEAST[0] && minor < LEAST[1])) {
    return `it is Python ${major}.${minor}; ${LEAST.join(".")} or newer is needed`;
  }
  if (answer.problem === undefined) return undefined;
  return /ensurepip|venv/.test(answer.stderr) ? "it can't make environments (the module venv or ensurepip is missing)" : answer.problem;
}
