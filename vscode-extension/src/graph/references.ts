// Edges shown by the name of their tensor, at the reader and where it comes from, instead of by a line: those
// that lead far, in graphs with so many of them that lines take too long to lay out, and to follow with the eye.
import { isEntrance, type Body, type Edge } from "./model";
import { layersOf } from "./layers";

/** So many layers may be passed by lines in any graph, and so many more for each node. The layout makes a node of each. */
const BUDGET = { least: 500, perNode: 3 };
/** A tensor that is told by its name somewhere is told so wherever it is read from farther away than this. */
const NEAR = 3;

export interface DrawnEdge {
  edge: Edge;
  /** Its number in the body. */
  at: number;
}

export interface Routes {
  lines: DrawnEdge[];
  references: DrawnEdge[];
  /** The number of layers that all lines cross together. */
  length: number;
  /** The highest possible layer of each node. */
  layers: number[];
}

/** Lines and references among the edges that are drawn. Every node keeps a line to it from the layer above. */
export function routes(body: Body, drawn: DrawnEdge[]): Routes {
  const links = drawn.map(({ edge }) => ({ source: edge.source[0], target: edge.target[0] }));
  const layers = layersOf(body.nodes.length, links, (node) => isEntrance(body.nodes[node]));
  const lengths = links.map(({ source, target }) => Math.max(1, layers[target] - layers[source]));
  let length = lengths.reduce((sum, each) => sum + each, 0);
  const cut = new Set<number>();
  const budget = BUDGET.least + BUDGET.perNode * body.nodes.length;
  if (length > budget) {
    const kept = holding(links, lengths);
    const alike = ofTensors(drawn);
    const leaveOut = (at: number): void => {
      if (kept.has(at) || cut.has(at)) return;
      cut.add(at);
      length -= lengths[at];
    };
    const longest = lengths.map((_, at) => at).sort((one, other) => lengths[other] - lengths[one]);
    for (const at of longest) {
      if (length <= budget) break;
      leaveOut(at);
      for (const other of alike.get(tensorOf(drawn[at]))!) if (lengths[other] > NEAR) leaveOut(other);
    }
  }
  return { lines: drawn.filter((_, at) => !cut.has(at)), references: drawn.filter((_, at) => cut.has(at)), length, layers };
}

/** The first shortest line to each node: they keep it where it would be with all of them. */
function holding(links: { target: number }[], lengths: number[]): Set<number> {
  const shortest = new Map<number, number>();
  links.forEach(({ target }, at) => {
    const known = shortest.get(target);
    if (known === undefined || lengths[at] < lengths[known]) shortest.set(target, at);
  });
  return new Set([...shortest.values()].filter((at) => lengths[at] === 1));
}

function ofTensors(drawn: DrawnEdge[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  drawn.forEach((each, at) => {
    const others = found.get(tensorOf(each));
    if (others === undefined) found.set(tensorOf(each), [at]);
    else others.push(at);
  });
  return found;
}

function tensorOf({ edge }: DrawnEdge): string {
  return edge.source.join(".");
}
