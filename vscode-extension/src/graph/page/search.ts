// The places of a text in a graph, also inside closed operators.
import { pathOf, type GraphModel } from "../model";

const MOST_LOOKED_AT = 50_000;
const MOST_FOUND = 1000;

export function search(model: GraphModel, wanted: string): string[] {
  const found: string[] = [];
  const text = wanted.trim().toLowerCase();
  if (text === "") return found;
  let looked = 0;
  const walk = (body: number, path: string): void => {
    for (const node of model.bodies[body].nodes) {
      if (looked++ > MOST_LOOKED_AT || found.length >= MOST_FOUND) return;
      const own = pathOf(path, node);
      const outputs = node.outputs.flatMap((port) => port.tensors.slice(0, 20).map((each) => model.bodies[body].tensors[each].name));
      const words = [node.title, node.label ?? "", ...outputs];
      if (words.some((word) => word.toLowerCase().includes(text))) found.push(own);
      if (node.body !== undefined) walk(node.body, own);
    }
  };
  walk(0, "");
  return found;
}
