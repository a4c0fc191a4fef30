// Nodes that no line connects, because their tensors are told by names.
import type { Item } from "../draw";
import { pathOf, type Edge } from "../model";

/** The edges that a mark with names represents. */
export function edgesOf(mark: Element): number[] {
  return (mark.getAttribute("data-edges") ?? "").split(" ").map(Number);
}

/** The target of a mark: from a reader, the node that gives the tensor; from there, the first reader. */
export function targetOf(item: Item, edges: number[]): string {
  const edge = item.body.edges[edges[0]];
  return pathAt(item, item.body.nodes[edge.source[0]] === item.node ? edge.target[0] : edge.source[0]);
}

/** The paths of all nodes that give or read the tensors of some edges without lines. */
export function linked(item: Item, edges: number[]): Set<string> {
  const key = (edge: Edge): string => edge.source.join(".");
  const tensors = new Set(edges.map((at) => key(item.body.edges[at])));
  const found = new Set<string>();
  for (const edge of item.body.edges) {
    if (!tensors.has(key(edge))) continue;
    found.add(pathAt(item, edge.source[0]));
    found.add(pathAt(item, edge.target[0]));
  }
  return found;
}

function pathAt(item: Item, node: number): string {
  const parent = item.path.slice(0, Math.max(0, item.path.length - item.node!.name.length - 1));
  return pathOf(parent, item.body.nodes[node]);
}
