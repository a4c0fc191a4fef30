// A placed graph as pieces of SVG, each with its bounds, so that a page may show those alone that are in sight.
import { CHIP, type Chip } from "./chips";
import { CHEVRON, HEAD, ROW, type Face } from "./face";
import { printable, shortened, widthOf, type Text } from "./measure";
import { pathOf, scopeOf, type Body, type Edge, type GraphModel, type Node, type Values } from "./model";
import { quantizedIn } from "./quantized";
import { PADDING, VALUE_LINE, type PlacedBody, type PlacedEdge, type PlacedNode, type Point } from "./place";
import { escaped } from "./xml";
import { edgeTip, nodeTip } from "./tips";

export interface Item {
  kind: "node" | "edge";
  /** Depth in the drawing: deeper shapes are drawn later; at one depth nodes are drawn before edges. */
  depth: number;
  x: number;
  y: number;
  width: number;
  height: number;
  /** The box of a node, without the labels beside it. */
  box?: { width: number; height: number };
  /** The path of the node, or of the body that contains the edge. */
  path: string;
  body: Body;
  /** The scoped name of a tensor of the body: the one outside, of those that come from there. */
  named: (tensor: number) => string;
  node?: Node;
  edge?: Edge;
  open?: boolean;
  /** The edges that a node shows by names of tensors, because no lines are drawn for them. */
  references?: number[];
  svg: () => string;
}

const ROUND = 5;
const BEND = 7;

/** All of a placed graph, from the outside in. */
export function items(model: GraphModel, placed: PlacedBody, values?: Values): Item[] {
  const found: Item[] = [];
  const walk = (inside: PlacedBody, path: string, scope: string, names: Names, at: Point, depth: number): void => {
    const body = model.bodies[inside.body];
    const named = (tensor: number): string => names.get(tensor) ?? scoped(scope, body.tensors[tensor].name);
    for (const each of inside.nodes) {
      const node = body.nodes[each.node];
      const corner = { x: at.x + each.x, y: at.y + each.y };
      const own = pathOf(path, node);
      const labels = Math.max(0, ...each.labels.map((label) => label.x + label.texts.reduce((sum, one) => sum + one.width, 0)));
      found.push({
        kind: "node", depth, ...corner, width: Math.max(each.width, labels, each.width / 2 + VALUE_LINE.width),
        height: each.height + (each.labels.length > 0 ? 34 : 0), box: { width: each.width, height: each.height },
        path: own, body, named, node,
        open: each.inner !== undefined, references: each.face.chips.flatMap((chip) => chip.edges),
        svg: () => nodeSvg(
          each, node, body, own, corner, named,
          quantizedIn(model, node, body, named, each.inner === undefined ? scopeOf(scope, node) : undefined), values,
        ),
      });
      if (each.inner === undefined) continue;
      const below = {
        x: corner.x + (each.width - each.inner.width) / 2,
        y: corner.y + PADDING.top,
      };
      const inner = model.bodies[each.inner.body];
      walk(each.inner, own, scopeOf(scope, node), namesInside(node, inner, named), below, depth + 1);
    }
    for (const each of inside.edges) {
      const edge = body.edges[each.edge];
      const points = each.points.map((point) => ({ x: at.x + point.x, y: at.y + point.y }));
      const xs = points.map((point) => point.x);
      const ys = points.map((point) => point.y);
      found.push({
        kind: "edge", depth, x: Math.min(...xs) - 5, y: Math.min(...ys), width: Math.max(...xs) - Math.min(...xs) + 10,
        height: Math.max(...ys) - Math.min(...ys), path, body, named, edge,
        svg: () => edgeSvg(each, edge, body, points),
      });
    }
  };
  walk(placed, "", "", new Map(), { x: 0, y: 0 }, 0);
  return found;
}

type Names = Map<number, string>;

function scoped(scope: string, name: string): string {
  return scope === "" ? name : `${scope}.${name}`;
}

/** The names that tensors of a body have outside, where they are those of its node: arguments and results. */
function namesInside(node: Node, body: Body, named: (tensor: number) => string): Names {
  const names: Names = new Map();
  const give = (ports: number[][], outer: number[][]): void => {
    ports.forEach((tensors, at) => {
      tensors.forEach((tensor, item) => {
        const other = outer[at]?.[item];
        if (other !== undefined) names.set(tensor, named(other));
      });
    });
  };
  const inside = (kind: string): number[][] => body.nodes.filter((each) => each.kind === kind).map((each) => (each.outputs[0] ?? each.inputs[0]).tensors);
  // Carried variables and items of packs are others in each iteration.
  if (node.kind === "operation") give(inside("input"), node.inputs.map((port) => port.tensors));
  if (node.kind === "operation") give(inside("output"), node.outputs.map((port) => port.tensors));
  return names;
}

// ---- nodes -------------------------------------------------------------------------------------
function nodeSvg(
  placed: PlacedNode, node: Node, body: Body, path: string, at: Point, named: (tensor: number) => string,
  quantized: string[], values?: Values,
): string {
  const { width, height, face } = placed;
  const open = placed.inner !== undefined;
  const parts = [
    `<g class="node${open ? " open" : ""}" data-path="${escaped(path)}" transform="translate(${at.x} ${at.y})">`,
    `<title>${escaped([nodeTip(node, body), ...quantized].join("\n"))}</title>`,
  ];
  if (face.pill) parts.push(pillSvg(face, node, width, height));
  else parts.push(boxSvg(face, node, width, height, open));
  for (const label of placed.labels) {
    parts.push(textSvg(label.texts, label.x, label.y + 10.5));
    const tensor = node.outputs[label.output].tensors[0];
    const value = values?.[named(tensor)];
    if (value !== undefined) {
      parts.push(`<text class="stat" x="${label.x}" y="${label.y + 10.5 + VALUE_LINE.height}">${escaped(shortened(printable(value.summary), 26))}</text>`);
    }
  }
  if (quantized.length > 0) {
    const x = width - 2;
    parts.push(`<circle class="quantized" cx="${x}" cy="2" r="6.5"/><text class="mark" x="${x - 4}" y="5.5">Q</text>`);
  }
  parts.push("</g>");
  return parts.join("");
}

function pillSvg(face: Face, node: Node, width: number, height: number): string {
  const round = node.kind === "input" || node.kind === "output" || node.kind === "capture" ? height / 2 : ROUND;
  const kind = node.kind === "update" ? "output" : node.kind;
  return (
    `<rect class="pill ${kind}" width="${width}" height="${height}" rx="${round}"/>` +
    textSvg(face.head, 12, height / 2 + 4.2) +
    chipsBeside(face.chips, 12 + widthOf(face.head), height)
  );
}

function boxSvg(face: Face, node: Node, width: number, height: number, open: boolean): string {
  const tint = node.kind === "operation" ? (node.body === undefined && !node.cut ? "operation" : "composed") : "control";
  const head = open || face.rows.length + face.chips.length > 0 ? HEAD : height;
  const below = head < height;
  const chevron = node.body === undefined ? 0 : CHEVRON;
  const shown = face.head.reduce((sum, each) => sum + each.width, 0);
  const start = open ? 10 + chevron : (width - shown - chevron) / 2 + chevron;
  const parts = [`<rect class="${open ? "inside" : "box"}" width="${width}" height="${height}" rx="${ROUND}"/>`];
  const edge = below
    ? `M.5 ${head}V${ROUND}Q.5 .5 ${ROUND} .5H${width - ROUND}Q${width - 0.5} .5 ${width - 0.5} ${ROUND}V${head}z`
    : `M.5 ${ROUND}Q.5 .5 ${ROUND} .5H${width - ROUND}Q${width - 0.5} .5 ${width - 0.5} ${ROUND}V${head - ROUND}Q${width - 0.5} ${head - 0.5} ${width - ROUND} ${head - 0.5}H${ROUND}Q.5 ${head - 0.5} .5 ${head - ROUND}z`;
  parts.push(`<path class="${tint}" d="${edge}"/>`);
  if (chevron > 0) {
    const d = open ? "M0 0l4 4 4-4" : "M2-2l4 4-4 4";
    parts.push(`<g class="toggle"><rect x="${start - CHEVRON - 6}" width="${CHEVRON + 6}" height="${HEAD}" fill-opacity="0"/>` +
      `<path class="chevron" d="${d}" transform="translate(${start - CHEVRON} ${HEAD / 2 - (open ? 2 : 0)})"/></g>`);
  }
  parts.push(textSvg(face.head, start, HEAD / 2 + 4.6));
  face.rows.forEach((row, at) => {
    if (!open) parts.push(textSvg(row, 10, HEAD + ROW * at + 15.5));
  });
  if (open) parts.push(chipsBeside(face.chips, start + shown, HEAD));
  else face.chips.forEach((chip, at) => parts.push(chipSvg(chip, 8, HEAD + ROW * (face.rows.length + at) + 4)));
  return parts.join("");
}

function chipsBeside(chips: Chip[], x: number, height: number): string {
  let at = x;
  return chips
    .map((chip) => {
      const svg = chipSvg(chip, at + CHIP.gap, (height - CHIP.height) / 2);
      at += chip.width + CHIP.gap;
      return svg;
    })
    .join("");
}

function chipSvg(chip: Chip, x: number, y: number): string {
  return (
    `<g class="reference" data-edges="${chip.edges.join(" ")}">` +
    `<rect class="chip" x="${round(x)}" y="${round(y)}" width="${chip.width}" height="${CHIP.height}" rx="${CHIP.height / 2}"/>` +
    `${textSvg(chip.texts, x + CHIP.side, y + 11.2)}</g>`
  );
}

function textSvg(texts: Text[], x: number, y: number): string {
  const parts: string[] = [];
  let at = x;
  for (const each of texts) {
    if (each.text.trim() !== "") {
      parts.push(`<text class="${each.style}" x="${round(at)}" y="${round(y)}" textLength="${each.width}" lengthAdjust="spacingAndGlyphs">${escaped(each.text)}</text>`);
    }
    at += each.width;
  }
  return parts.join("");
}

// ---- edges -------------------------------------------------------------------------------------
function edgeSvg(placed: PlacedEdge, edge: Edge, body: Body, points: Point[]): string {
  const end = points[points.length - 1];
  const dynamic = edge.tensors.some((each) => body.tensors[each].shape?.some((extent) => typeof extent === "string"));
  return (
    `<g class="edge" data-edge="${placed.edge}"><title>${escaped(edgeTip(edge, body))}</title>` +
    `<path class="wire${dynamic ? " dynamic-edge" : ""}" d="${rounded(points)}"/>` +
    `<path class="tip" d="M${round(end.x)} ${round(end.y)}l-3.6-6.5h7.2z"/></g>`
  );
}

/** A line with round corners, which ends where its tip begins. */
function rounded(points: Point[]): string {
  const last = points.length - 1;
  const parts = [`M${round(points[0].x)} ${round(points[0].y)}`];
  for (let at = 1; at < last; at++) {
    const [before, corner, after] = [points[at - 1], points[at], points[at + 1]];
    const radius = Math.min(BEND, distance(before, corner) / 2, distance(corner, after) / 2);
    const from = towards(corner, before, radius);
    const to = towards(corner, after, radius);
    parts.push(`L${round(from.x)} ${round(from.y)}Q${round(corner.x)} ${round(corner.y)} ${round(to.x)} ${round(to.y)}`);
  }
  parts.push(`L${round(points[last].x)} ${round(points[last].y - 5)}`);
  return parts.join("");
}

function distance(one: Point, other: Point): number {
  return Math.abs(one.x - other.x) + Math.abs(one.y - other.y);
}

function towards(from: Point, to: Point, by: number): Point {
  const whole = distance(from, to) || 1;
  return { x: from.x + ((to.x - from.x) * by) / whole, y: from.y + ((to.y - from.y) * by) / whole };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

