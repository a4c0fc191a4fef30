/** Versions as `snd --version` and the names of wheels tell them. */

const PRINTED = /^snd, version (\d+(?:\.\d+)*\S*)\s*$/m;
const WHEEL = /^snd-([^-]+)(?:-\d[^-]*)?-[^-]+-[^-]+-[^-]+\.whl$/;

/** The version in what `snd --version` prints; undefined if some other program printed it. */
export function printedVersion(output: string): string | undefined {
  return PRINTED.exec(output)?.[1];
}

/** The version of a wheel of snd by the name of its file; undefined for other files. */
export function wheelVersion(fileName: string): string | undefined {
  return WHEEL.exec(fileName)?.[1];
}

/** Less than 0 if `a` comes before `b`, 0 if they are the same, else more. A version with letters comes before that without. */
export function compareVersions(a: string, b: string): number {
  const left = releaseOf(a);
  const right = releaseOf(b);
  for (let at = 0; at < Math.max(left.numbers.length, right.numbers.length); at++) {
    const difference = (left.numbers[at] ?? 0) - (right.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.rest === right.rest) return 0;
  if (left.rest === "") return 1;
  if (right.rest === "") return -1;
  return left.rest < right.rest ? -1 : 1;
}

function releaseOf(version: string): { numbers: number[]; rest: string } {
  const release = /^\d+(?:\.\d+)*/.exec(version)?.[0] ?? "";
  return { numbers: release.split(".").map(Number), rest: version.slice(release.length) };
}
