/** The meaning of the outcome of a sample for a test. Knows nothing of VS Code. */
import type { SampleAnswer } from "../protocol";

export interface Failure {
  readonly message: string;
  /** The line that is recorded, and the one that would be now. */
  readonly expected?: string;
  readonly actual?: string;
  /** The line of the failure, from that of the sample. */
  readonly line?: number;
}

export interface Verdict {
  /** `error`: there is no result to compare. `skipped`: there is nothing to compare it with. */
  readonly kind: "passed" | "failed" | "error" | "skipped";
  readonly failures: readonly Failure[];
  readonly output: string;
}

/** The verdict, by the lines of the sample as they stand in the file. */
export function verdictOf(answer: SampleAnswer, lines: readonly string[]): Verdict {
  const output = answer.results.map((each) => `${each.brief}\n`).join("");
  switch (answer.status) {
    case "ok":
    case "error as expected":
      return { kind: "passed", failures: [], output };
    case "nothing recorded":
      return { kind: "skipped", failures: [], output: `Nothing is recorded. The output was:\n${output}` };
    case "differs": {
      const failures = answer.results.filter((each) => each.difference !== null).map((each): Failure => {
        const line = lines.findIndex((text) => recordedName(text) === each.name);
        const message = `${each.name}: ${each.difference}`;
        return line < 0 ? { message } : { message, expected: content(lines[line]!), actual: each.text, line };
      });
      if (failures.length > 0) return { kind: "failed", failures, output };
      return { kind: "failed", failures: [failureOf(answer, lines)], output };
    }
    case "failed":
      return { kind: answer.age === "over limit" ? "error" : "failed", failures: [failureOf(answer, lines)], output };
    case "invalid": {
      const message = answer.message ?? "It can't be composed: see the problems of the file.";
      return { kind: "error", failures: [{ message }], output };
    }
  }
}

/** The code of a sample in one line. */
export function titleOf(code: string): string {
  const lines = code.split(/\r\n|\r|\n/).map((line) => content(line).replace(/^(>>>|\.\.\.)\s?/, ""));
  return lines.join(" ").replace(/\s+/g, " ").trim();
}

function failureOf(answer: SampleAnswer, lines: readonly string[]): Failure {
  const message = [answer.message ?? "It failed.", answer.rule === null ? "" : `(${answer.rule})`].filter(Boolean).join(" ");
  const line = lines.findIndex((text) => recordedName(text) === "error");
  return line < 0 ? { message } : { message, expected: content(lines[line]!), actual: `error: ${answer.message}`, line };
}

function content(line: string): string {
  return line.replace(/^\s*#\s?/, "").trimEnd();
}

function recordedName(line: string): string | undefined {
  return /^\s*#\s*([\p{L}_][\p{L}\p{N}_]*)\s*:/u.exec(line)?.[1];
}
