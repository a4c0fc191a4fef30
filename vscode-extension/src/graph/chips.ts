// Marks for edges without a line: small marks with the name of the tensor, where it is read and where it
// comes from.
import { shapeTexts } from "./face";
import { text, widthOf, type Text } from "./measure";
import type { Body } from "./model";
import type { DrawnEdge } from "./references";

export interface Chip {
  /** The numbers of the edges that the mark represents. */
  edges: number[];
  texts: Text[];
  width: number;
}

export const CHIP = { height: 15, side: 6, gap: 6 };
const MOST = 4;

/** The marks of each node: for the tensors that it reads, then for its results. */
export function chipsOf(body: Body, references: DrawnEdge[]): Map<number, Chip[]> {
  const found = new Map<number, Chip[]>();
  const add = (end: "source" | "target", written: (edges: DrawnEdge[]) => Text[], more: string): void => {
    for (const [node, tensors] of byTensor(references, end)) {
      const all = [...tensors.values()];
      const shown = all.length > MOST ? all.slice(0, MOST - 1) : all;
      const chips = shown.map((edges) => chip(edges, written(edges)));
      if (shown.length < all.length) {
        const rest = all.slice(shown.length);
        chips.push(chip(rest.flat(), [text(`${more} ${rest.length} more`, "mention")]));
      }
      found.set(node, [...(found.get(node) ?? []), ...chips]);
    }
  };
  add("target", ([{ edge }]) => {
    const tensor = body.tensors[edge.tensors[0]];
    return [text(`↑ ${tensor.name}`, "mention", 24), text("  ", "shape"), ...shapeTexts(tensor, edge.tensors.length)];
  }, "↑");
  add("source", (edges) => {
    const readers = new Set(edges.map(({ edge }) => edge.target[0])).size;
    const name = body.tensors[edges[0].edge.tensors[0]].name;
    return [text(`↓ ${name}`, "mention", 24), text(`  ${readers} ${readers === 1 ? "reader" : "readers"}`, "shape")];
  }, "↓");
  return found;
}

export function widthOfChips(chips: Chip[]): number {
  return chips.reduce((sum, each) => sum + each.width + CHIP.gap, 0);
}

function chip(edges: DrawnEdge[], texts: Text[]): Chip {
  return { edges: edges.map(({ at }) => at), texts, width: Math.ceil(widthOf(texts)) + 2 * CHIP.side };
}

/** The edges that end or begin at nodes, by the tensors that they carry. */
function byTensor(references: DrawnEdge[], end: "source" | "target"): Map<number, Map<string, DrawnEdge[]>> {
  const found = new Map<number, Map<string, DrawnEdge[]>>();
  for (const each of references) {
    const node = each.edge[end][0];
    const tensors = found.get(node) ?? new Map<string, DrawnEdge[]>();
    const key = end === "source" ? String(each.edge.source[1]) : `${each.edge.source.join(".")} ${each.edge.tensors[0]}`;
    const alike = tensors.get(key);
    if (alike === undefined) tensors.set(key, [each]);
    else alike.push(each);
    found.set(node, tensors);
  }
  return found;
}
