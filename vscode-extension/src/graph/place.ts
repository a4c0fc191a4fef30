// The positions of all elements: each body is laid out by itself, once for all places in which it looks the same.
import type { ELK, ElkExtendedEdge, ElkNode, ElkPort } from "elkjs/lib/elk-api";
import { chipsOf, widthOfChips } from "./chips";
import { CHEVRON, faceOf, folded, HEAD, headOf, shapeTexts, type Face } from "./face";
import { widthOf, type Text } from "./measure";
import { entrances, exits, isEntrance, isOpen, pathOf, type Body, type GraphModel, type Toggled } from "./model";
import { routes, type DrawnEdge, type Routes } from "./references";

export interface Point {
  x: number;
  y: number;
}

export interface PlacedBody {
  body: number;
  width: number;
  height: number;
  nodes: PlacedNode[];
  edges: PlacedEdge[];
}

/** Positions count from the corner of the body. */
export interface PlacedNode extends Point {
  node: number;
  width: number;
  height: number;
  face: Face;
  /** The text beside its results. */
  labels: PlacedLabel[];
  inner?: PlacedBody;
}

export interface PlacedLabel extends Point {
  output: number;
  texts: Text[];
}

export interface PlacedEdge {
  edge: number;
  points: Point[];
}

/** Space around a body in the node that is open. */
export const PADDING = { side: 14, top: HEAD + 10, bottom: 12 };
/** Line for values below the shape of a tensor. */
export const VALUE_LINE = { width: 124, height: 14 };
const LABEL = 14;
/**
 * How straight lines get is limited by what it costs: that grows with the square of the number of nodes, and of layers
 * that lines lead over.
 */
const PLACEMENTS: [most: number, strategy: string][] = [
  [400, "NETWORK_SIMPLEX"],
  [2000, "LINEAR_SEGMENTS"],
  [Infinity, "SIMPLE"],
];

/** Beyond this, layers are given to the layout: it finds better ones by recursion, for which there is too little room. */
const MOST_LAYERED = 4000;

export interface Options {
  toggled: Toggled;
  /** True if there should be space for values below shapes. */
  values: boolean;
}

/** Lays out a graph, as far as its nodes are open. */
export class Layout {
  private readonly known = new Map<string, Promise<PlacedBody>>();

  constructor(
    private readonly elk: Pick<ELK, "layout">,
    private readonly model: GraphModel,
  ) {}

  place(options: Options): Promise<PlacedBody> {
    return this.body(0, "", options);
  }

  private body(number: number, path: string, options: Options): Promise<PlacedBody> {
    const key = `${options.values ? "v" : ""}${this.key(number, path, options.toggled)}`;
    let placed = this.known.get(key);
    if (placed === undefined) {
      placed = this.layOut(number, path, options);
      this.known.set(key, placed);
    }
    return placed;
  }

  /** The same for bodies that look the same: their number, and which nodes in them are open. */
  private key(number: number, path: string, toggled: Toggled): string {
    const open = this.model.bodies[number].nodes.flatMap((node, at) => {
      const inner = pathOf(path, node);
      return isOpen(node, inner, toggled) ? [`${at}:${this.key(node.body!, inner, toggled)}`] : [];
    });
    return `${number}(${open.join(",")})`;
  }

  private async layOut(number: number, path: string, options: Options): Promise<PlacedBody> {
    const body = this.model.bodies[number];
    const inner = new Map<number, PlacedBody>();
    for (const [at, node] of body.nodes.entries()) {
      const below = pathOf(path, node);
      if (isOpen(node, below, options.toggled)) inner.set(at, await this.body(node.body!, below, options));
    }
    const drawing = new BodyDrawing(this.model, number, inner, options.values);
    return drawing.placed((await this.elk.layout(drawing.elkGraph())) as ElkNode);
  }
}

class BodyDrawing {
  private readonly body: Body;
  private readonly faces = new Map<number, Face>();
  private readonly into: Map<number, number>;
  private readonly routes: Routes;
  private readonly edges: DrawnEdge[];

  constructor(
    private readonly model: GraphModel,
    private readonly number: number,
    private readonly inner: Map<number, PlacedBody>,
    private readonly values: boolean,
  ) {
    this.body = model.bodies[number];
    this.into = folded(this.body, (at) => inner.has(at));
    const drawn = this.body.edges
      .map((edge, at) => ({ edge, at }))
      .filter(({ edge }) => !this.into.has(edge.source[0]));
    this.routes = routes(this.body, drawn);
    this.edges = this.routes.lines;
    const chips = chipsOf(this.body, this.routes.references);
    const members = new Map<number, number[]>();
    for (const [member, reader] of this.into) members.set(reader, [...(members.get(reader) ?? []), member]);
    this.body.nodes.forEach((node, at) => {
      if (!this.into.has(at)) this.faces.set(at, faceOf(node, this.body, model.bodies, members.get(at) ?? [], chips.get(at) ?? []));
    });
  }

  elkGraph(): ElkNode {
    const size = this.faces.size + this.routes.length;
    const [most, placement] = PLACEMENTS.find(([most]) => size <= most)!;
    const children = [...this.faces].map(([at, face]) => this.child(at, face));
    const given = children.length > MOST_LAYERED;
    if (given) {
      const tallest = children.reduce((height, each) => Math.max(height, each.height!), 0);
      [...this.faces.keys()].forEach((at, number) => (children[number].y = this.routes.layers[at] * (tallest + 1)));
    }
    return {
      id: "graph",
      layoutOptions: {
        "elk.algorithm": "layered",
        "elk.direction": "DOWN",
        "elk.edgeRouting": "ORTHOGONAL",
        "elk.padding": "[top=0,left=0,bottom=0,right=0]",
        "elk.spacing.nodeNode": "26",
        "elk.spacing.edgeNode": "14",
        "elk.spacing.edgeEdge": "10",
        "elk.spacing.labelPortHorizontal": "5",
        "elk.spacing.labelPortVertical": "3",
        "elk.spacing.componentComponent": "26",
        "elk.layered.spacing.nodeNodeBetweenLayers": "26",
        "elk.layered.spacing.edgeNodeBetweenLayers": "12",
        // Components are looked for by recursion, for which workers have too little room.
        "elk.separateConnectedComponents": String(most < Infinity && this.routes.references.length === 0),
        "elk.layered.layering.strategy": given ? "INTERACTIVE" : "NETWORK_SIMPLEX",
        "elk.layered.nodePlacement.strategy": placement,
        "elk.layered.considerModelOrder.strategy": "PREFER_EDGES",
        "elk.layered.thoroughness": size > PLACEMENTS[0][0] ? "3" : "10",
      },
      children,
      edges: this.edges.map(({ edge, at }): ElkExtendedEdge => ({
        id: `e${at}`,
        sources: [`o${edge.source[0]}.${edge.source[1]}`],
        targets: [`i${at}`],
      })),
    };
  }

  private child(at: number, face: Face): ElkNode {
    const node = this.body.nodes[at];
    const opened = this.inner.get(at);
    const labels = this.labelsOf(at);
    const size = opened === undefined ? { ...face } : openSize(face, node, opened);
    if (labels.length > 1) {
      const widest = Math.max(...labels.map((each) => each.width));
      size.width = Math.max(size.width, Math.ceil((labels.length + 1) * (widest + 12)));
    }
    const used = new Set(this.edges.filter(({ edge }) => edge.source[0] === at).map(({ edge }) => edge.source[1]));
    for (const each of labels) used.add(each.output);
    const ports: ElkPort[] = [...used].sort((one, other) => one - other).map((output) => ({
      id: `o${at}.${output}`,
      width: 0,
      height: 0,
      layoutOptions: { "elk.port.side": "SOUTH", "elk.port.index": String(1000 - output) },
      labels: labels
        .filter((each) => each.output === output)
        .map((each) => ({ text: "-", width: each.width, height: each.height })),
    }));
    this.edges.forEach(({ edge, at: number }) => {
      if (edge.target[0] !== at) return;
      ports.push({ id: `i${number}`, width: 0, height: 0, layoutOptions: { "elk.port.side": "NORTH" } });
    });
    const constraint = isEntrance(node) ? "FIRST" : node.kind === "output" || node.kind === "update" ? "LAST" : "NONE";
    const layoutOptions: Record<string, string> = {
      "elk.portConstraints": opened === undefined ? "FIXED_SIDE" : "FIXED_POS",
      "elk.portLabels.placement": "OUTSIDE",
      "elk.layered.layering.layerConstraint": constraint,
    };
    if (opened !== undefined) this.fixPorts(at, ports, opened, size);
    return { id: `n${at}`, width: size.width, height: size.height, ports, layoutOptions };
  }

  /** Edges end at open nodes above and below what they are inside. */
  private fixPorts(at: number, ports: ElkPort[], opened: PlacedBody, size: { width: number; height: number }): void {
    const node = this.body.nodes[at];
    const inside = this.model.bodies[opened.body];
    const doors = { in: entrances(node, inside), out: exits(inside) };
    const offset = (size.width - opened.width) / 2;
    const centre = (door: number | undefined): number => {
      const placed = opened.nodes.find((each) => each.node === door);
      return placed === undefined ? size.width / 2 : offset + placed.x + placed.width / 2;
    };
    for (const port of ports) {
      if (port.id.startsWith("o")) {
        port.x = centre(doors.out[Number(port.id.split(".")[1])]);
        port.y = size.height;
      } else {
        port.x = centre(doors.in[this.body.edges[Number(port.id.slice(1))].target[1]]);
        port.y = 0;
      }
    }
  }

  private labelsOf(at: number): { output: number; texts: Text[]; width: number; height: number }[] {
    const node = this.body.nodes[at];
    if (!["operation", "branch", "loop"].includes(node.kind)) return [];
    const known = node.outputs.flatMap((port, output) => {
      const tensor = this.body.tensors[port.tensors[0]];
      return tensor === undefined ? [] : [{ output, texts: shapeTexts(tensor, port.tensors.length) }];
    });
    return known.map(({ output, texts }) => ({
      output,
      texts,
      width: Math.ceil(Math.max(widthOf(texts), this.values ? VALUE_LINE.width : 0)),
      height: LABEL + (this.values ? VALUE_LINE.height : 0),
    }));
  }

  placed(graph: ElkNode): PlacedBody {
    const nodes = graph.children!.map((child): PlacedNode => {
      const node = Number(child.id.slice(1));
      const texts = new Map(this.labelsOf(node).map((each) => [each.output, each.texts]));
      const labels = child.ports!.flatMap((port): PlacedLabel[] =>
        (port.labels ?? []).map((label) => {
          const output = Number(port.id.split(".")[1]);
          return { output, texts: texts.get(output)!, x: port.x! + label.x!, y: port.y! + label.y! };
        }),
      );
      return {
        node, labels, x: child.x!, y: child.y!, width: child.width!, height: child.height!,
        face: this.faces.get(node)!, inner: this.inner.get(node),
      };
    });
    const edges = (graph.edges ?? []).map((edge): PlacedEdge => ({
      edge: Number(edge.id.slice(1)),
      points: edge.sections!.flatMap((section) => [section.startPoint, ...(section.bendPoints ?? []), section.endPoint]),
    }));
    return { body: this.number, width: Math.ceil(graph.width!), height: Math.ceil(graph.height!), nodes, edges };
  }
}

function openSize(face: Face, node: Parameters<typeof headOf>[0], opened: PlacedBody): { width: number; height: number } {
  const head = CHEVRON + widthOf(headOf(node)) + widthOfChips(face.chips) + 24;
  return {
    width: Math.ceil(Math.max(opened.width, head)) + 2 * PADDING.side,
    height: opened.height + PADDING.top + PADDING.bottom,
  };
}
