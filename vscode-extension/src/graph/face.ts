// The text in a node, and its size.
import { widthOfChips, type Chip } from "./chips";
import { text, widthOf, type Text } from "./measure";
import type { Body, Node, Tensor } from "./model";

export interface Face {
  head: Text[];
  rows: Text[][];
  /** Below the rows; after the head, of lines and of nodes that are open. */
  chips: Chip[];
  width: number;
  height: number;
  /** True for a rounded line: an input, output, variable or constant. */
  pill: boolean;
}

export const HEAD = 26;
export const ROW = 17;
export const CHEVRON = 16;
const SIDE = 10;
const PILL = 24;
const NARROWEST = 64;
const MOST_ROWS = 6;

/** The extents of a tensor, those that only the run tells in a style of their own. */
export function shapeTexts(tensor: Tensor, count: number): Text[] {
  const texts: Text[] = [];
  const many = tensor.count ?? (count > 1 ? count : undefined);
  if (many !== undefined) texts.push(text(String(many), typeof many === "string" ? "dynamic" : "shape"), text(" of ", "shape"));
  if (tensor.dtype !== null && tensor.dtype !== "real") texts.push(text(`${tensor.dtype} `, "shape"));
  if (tensor.shape === null) return [...texts, text("unknown shape", "shape")];
  if (tensor.shape.length === 0) return [...texts, text("scalar", "shape")];
  const shown = tensor.shape.slice(0, 8);
  shown.forEach((extent, at) => {
    if (at > 0) texts.push(text("×", "shape"));
    texts.push(text(String(extent), typeof extent === "string" ? "dynamic" : "shape", 18));
  });
  if (shown.length < tensor.shape.length) texts.push(text("×…", "shape"));
  return texts;
}

/** Tensors of variables and constants that are written into the only operation that reads them, by its number. */
export function folded(body: Body, isOpen: (node: number) => boolean): Map<number, number> {
  const readers = new Map<number, number[]>();
  for (const edge of body.edges) {
    const known = readers.get(edge.source[0]);
    if (known === undefined) readers.set(edge.source[0], [edge.target[0]]);
    else known.push(edge.target[0]);
  }
  const found = new Map<number, number>();
  body.nodes.forEach((node, at) => {
    const by = readers.get(at);
    const only = (node.kind === "variable" || node.kind === "constant") && by?.length === 1 ? by[0] : undefined;
    if (only !== undefined && body.nodes[only].kind === "operation" && !isOpen(only)) found.set(at, only);
  });
  return found;
}

/** The face of a closed node; `into` are the variables and constants that are written in it. */
export function faceOf(node: Node, body: Body, bodies: Body[], into: number[], chips: Chip[]): Face {
  switch (node.kind) {
    case "operation":
    case "branch":
    case "loop":
    case "part":
      return operationFace(node, body, bodies, into, chips);
    default:
      return pillFace(node, body, chips);
  }
}

export function headOf(node: Node): Text[] {
  const head = [text(node.title, "title", 32)];
  if (node.label !== undefined && node.label !== node.title) head.push(text(` ${node.label}`, "label", 32));
  return head;
}

function operationFace(node: Node, body: Body, bodies: Body[], into: number[], chips: Chip[]): Face {
  const head = headOf(node);
  const rows = (node.attributes ?? [])
    .filter((each) => !each.default && each.value !== null)
    .map((each) => [text(`${each.name} `, "key", 24), text(each.text, "value", 28)]);
  for (const port of node.inputs) {
    if (port.tensors.length === 0 && port.value !== null && port.value !== undefined) {
      rows.push([text(`${port.name ?? ""} `, "key", 24), text(written(port.value), "value", 28)]);
    }
  }
  for (const at of into) rows.push(memberRow(body.nodes[at], body));
  if (node.body !== undefined && node.kind === "operation") {
    const inner = bodies[node.body];
    for (const member of inner.nodes) if (member.kind === "variable") rows.push(memberRow(member, inner));
  }
  if (rows.length > MOST_ROWS) rows.splice(MOST_ROWS - 1, rows.length, [text(`${rows.length - MOST_ROWS + 1} more`, "more")]);
  const chevron = node.body === undefined ? 0 : CHEVRON;
  const width = Math.max(NARROWEST, chevron + widthOf(head), ...rows.map(widthOf), ...chips.map((each) => each.width)) + 2 * SIDE;
  const lines = rows.length + chips.length;
  const height = HEAD + (lines > 0 ? lines * ROW + 7 : 0);
  return { head, rows, chips, width: Math.ceil(width), height, pill: false };
}

function memberRow(member: Node, body: Body): Text[] {
  const port = member.outputs[0];
  const first = body.tensors[port.tensors[0]];
  return [text(`${member.title} `, "key", 24), ...(first === undefined ? [] : shapeTexts(first, port.tensors.length))];
}

function pillFace(node: Node, body: Body, chips: Chip[]): Face {
  const port = node.outputs[0] ?? node.inputs[0];
  const first = body.tensors[port.tensors[0]];
  const head = [text(node.kind === "update" ? `update ${node.title}` : node.title, "name", 32)];
  if (first !== undefined) head.push(text("  ", "shape"), ...shapeTexts(first, port.tensors.length));
  else if (port.value !== undefined && port.value !== null) head.push(text(` = ${written(port.value)}`, "value", 28));
  const width = Math.ceil(widthOf(head) + widthOfChips(chips)) + 2 * SIDE + 4;
  return { head, rows: [], chips, width, height: PILL, pill: true };
}

export function written(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
