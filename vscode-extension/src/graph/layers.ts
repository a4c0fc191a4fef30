// The depths of nodes in a drawing, before the layout.

export interface Link {
  source: number;
  target: number;
}

/**
 * The layers of nodes, in time that is linear in nodes and edges; they must have no cycle.
 * A node is as high as it can be; `isFirst` tells which are above all others.
 */
export function layersOf(nodes: number, links: Link[], isFirst: (node: number) => boolean): number[] {
  const incoming: number[][] = Array.from({ length: nodes }, () => []);
  const outgoing: number[][] = Array.from({ length: nodes }, () => []);
  for (const { source, target } of links) {
    incoming[target].push(source);
    outgoing[source].push(target);
  }
  const order = inOrder(incoming, outgoing);
  const layers = new Array<number>(nodes).fill(0);
  const anchored = new Array<boolean>(nodes).fill(false);
  for (const node of order) {
    anchored[node] = isFirst(node);
    for (const source of incoming[node]) {
      layers[node] = Math.max(layers[node], layers[source] + 1);
      anchored[node] ||= anchored[source];
    }
  }
  // Nodes that depend on variables and constants alone are drawn just above their readers.
  for (const node of order.reverse()) {
    if (anchored[node] || outgoing[node].length === 0) continue;
    layers[node] = outgoing[node].reduce((least, each) => Math.min(least, layers[each] - 1), Infinity);
  }
  return layers;
}

/** Sources before targets. */
function inOrder(incoming: number[][], outgoing: number[][]): number[] {
  const waiting = incoming.map((each) => each.length);
  const order: number[] = [];
  waiting.forEach((count, node) => {
    if (count === 0) order.push(node);
  });
  for (let at = 0; at < order.length; at++) {
    for (const target of outgoing[order[at]]) if (--waiting[target] === 0) order.push(target);
  }
  return order;
}
