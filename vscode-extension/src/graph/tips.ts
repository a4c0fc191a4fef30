// Short texts about nodes and edges.
import { written } from "./face";
import type { Body, Edge, Node, Tensor } from "./model";

const LONGEST = 200;

export function nodeTip(node: Node, body: Body): string {
  const lines = [node.label === undefined ? node.title : `${node.title}  (${node.label})`];
  for (const each of node.attributes ?? []) if (!each.default) lines.push(cut(`${each.name} = ${each.text}`));
  for (const port of node.outputs) lines.push(...portLines(port, body));
  if (node.kind === "output" || node.kind === "update") for (const port of node.inputs) lines.push(...portLines(port, body));
  const cost = costText(node);
  if (cost !== undefined) lines.push(cost);
  if (node.cut) lines.push("what it is composed of is left out: the graph is too large");
  return lines.join("\n");
}

export function edgeTip(edge: Edge, body: Body): string {
  const shown = edge.tensors.slice(0, 8).map((each) => tensorText(body.tensors[each]));
  if (shown.length < edge.tensors.length) shown.push(`… ${edge.tensors.length - shown.length} more`);
  return shown.join("\n");
}

/** `y: real[n,4]`, and the most that its dynamic extents come to. */
export function tensorText(tensor: Tensor): string {
  return `${tensor.name}: ${typeText(tensor)}`;
}

export function typeText(tensor: Tensor): string {
  const shape = tensor.shape === null ? "?" : tensor.shape.join(",");
  const dynamic = tensor.shape?.some((extent) => typeof extent === "string") === true && tensor.bound !== null;
  const bound = dynamic ? `, at most [${tensor.bound!.map((each) => each ?? "?").join(",")}]` : "";
  const count = tensor.count === undefined ? "" : ` × ${tensor.count}`;
  return cut(`${tensor.dtype ?? "?"}[${shape}]${count}${bound}`);
}

export function costText(node: Node): string | undefined {
  if (typeof node.macs === "number") return node.macs === 0 ? undefined : `${amount(node.macs)} multiply-adds`;
  return typeof node.macs_bound === "number" ? `at most ${amount(node.macs_bound)} multiply-adds` : undefined;
}

function portLines(port: Node["inputs"][number], body: Body): string[] {
  if (port.tensors.length > 4) {
    const first = body.tensors[port.tensors[0]];
    return [`${port.tensors.length} tensors ${typeText(first)}`];
  }
  if (port.tensors.length === 0 && port.value !== undefined) return [cut(`${port.name ?? ""} = ${written(port.value)}`)];
  return port.tensors.map((each) => tensorText(body.tensors[each]));
}

function amount(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, " ");
}

function cut(content: string): string {
  return content.length <= LONGEST ? content : `${content.slice(0, LONGEST - 1)}…`;
}
