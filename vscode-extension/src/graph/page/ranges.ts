// Ranges of the source, and the nodes that are drawn for them.
import type { Item } from "../draw";
import type { Place } from "../model";

export interface Cursor {
  readonly uri: string;
  readonly range: Place["range"];
}

/** The nodes with the smallest source that the cursor is in: the invocation, or else its statement. */
export function around(items: readonly Item[], cursor: Cursor | undefined): Item[] {
  if (cursor === undefined) return [];
  const found: { item: Item; size: number }[] = [];
  for (const item of items) {
    if (item.kind !== "node") continue;
    for (const place of [item.node!.location, item.node!.statement]) {
      if (place?.uri !== cursor.uri || !holds(place.range, cursor.range)) continue;
      found.push({ item, size: extent(place.range) });
      break;
    }
  }
  const least = Math.min(...found.map(({ size }) => size));
  return found.filter(({ size }) => size === least).map(({ item }) => item);
}

/** Orders ranges by how much they hold. */
function extent({ start, end }: Place["range"]): number {
  return (end.line - start.line) * 10_000 + (end.character ?? 0) - (start.character ?? 0);
}

function holds(range: Place["range"], other: Place["range"]): boolean {
  const before = (one: Place["range"]["start"], two: Place["range"]["start"]): boolean =>
    one.line < two.line || (one.line === two.line && (one.character ?? 0) <= (two.character ?? 0));
  return before(range.start, other.start) && before(other.start, range.end);
}
