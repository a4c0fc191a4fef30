/** Short-lived processes. */
import { execFile } from "node:child_process";

export interface Finished {
  /** Undefined if the program could not be started, or was ended. */
  readonly status: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** The error in one line; undefined if the status is 0. */
  readonly problem: string | undefined;
}

export interface RunOptions {
  readonly timeoutMs: number;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
}

/** Runs a program to its end, or ends it when its time is over. Never rejects. */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<Finished> {
  return new Promise((resolve) => {
    const { timeoutMs: timeout, cwd, signal } = options;
    const settings = { timeout, cwd, signal, encoding: "utf8", windowsHide: true, maxBuffer: 16 << 20 } as const;
    try {
      const child = execFile(command, [...args], settings, (error, stdout, stderr) => {
        if (error === null) return resolve({ status: 0, stdout, stderr, problem: undefined });
        const status = typeof error.code === "number" ? error.code : undefined;
        resolve({ status, stdout, stderr, problem: problemOf(error, stderr, timeout) });
      });
      child.stdin?.end();
    } catch (error) {
      resolve({ status: undefined, stdout: "", stderr: "", problem: String(error) });
    }
  });
}

function problemOf(error: Error & { code?: unknown; killed?: boolean }, stderr: string, timeout: number): string {
  if (error.name === "AbortError") return "it was cancelled";
  if (error.killed) return `it did not end within ${timeout / 1000} seconds`;
  if (error.code === "ENOENT") return "there is no such program";
  if (error.code === "EACCES") return "it may not be executed";
  const last = stderr.trimEnd().split("\n").at(-1)?.trim();
  if (typeof error.code === "number") return last ? `status ${error.code}: ${last}` : `status ${error.code}`;
  return last || error.message;
}
