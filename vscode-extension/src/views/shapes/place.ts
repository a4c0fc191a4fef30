/** The place of a tensor's name in the line that makes it. */

/** Start and end in the line: the last part of a scoped name, else its first, else all that is written there. */
export function placeOfName(line: string, name: string): [number, number] {
  const parts = name.replaceAll(/:\d+$|\[\d+\]/g, "").split(".");
  for (const part of [parts.at(-1)!, parts[0]!]) {
    const escaped = part.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    const found = new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, "u").exec(line);
    if (part !== "" && found !== null) return [found.index, found.index + part.length];
  }
  return [line.length - line.trimStart().length, line.trimEnd().length];
}
