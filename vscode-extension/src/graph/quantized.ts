// Tensors named in `@quantize`, by their scoped names: without parts of control flow, iterations and items of packs.
import type { Body, GraphModel, Node } from "./model";

const PARTS = new Set(["if", "then", "else", "while", "do"]);

/** A line for each quantized tensor that a node makes, or that is shown in it; `scope` is that of one that is closed. */
export function quantizedIn(
  model: GraphModel, node: Node, body: Body, named: (tensor: number) => string, scope: string | undefined,
): string[] {
  const all = Object.entries(model.quantizations);
  if (all.length === 0) return [];
  const ports = node.kind === "output" || node.kind === "update" ? node.inputs : node.outputs;
  const members = new Set(body.nodes.flatMap((each) => (isMember(each) ? each.outputs.flatMap((port) => port.tensors) : [])));
  const read = node.kind === "operation" ? node.inputs.flatMap((port) => port.tensors).filter((each) => members.has(each)) : [];
  const names = new Set([...ports.flatMap((port) => port.tensors), ...read].map((each) => plainName(named(each))));
  const inside = scope === undefined || scope === "" || node.kind !== "operation" ? undefined : `${plainName(scope)}.`;
  return all
    .filter(([name]) => names.has(name) || (inside !== undefined && name.startsWith(inside)))
    .map(([name, by]) => `${name} is quantized by ${by}`);
}

function isMember(node: Node): boolean {
  return node.kind === "variable" || node.kind === "constant";
}

function plainName(name: string): string {
  return name.split(".").map((part) => part.split("[")[0]).filter((part) => !PARTS.has(part)).join(".");
}
