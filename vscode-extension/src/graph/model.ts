// The view model of a composed graph, as `snd graph -o x.json` writes it (docs/graph.schema.json).

export interface GraphModel {
  version: 1;
  graph: string;
  location: Place | null;
  attributes: Record<string, unknown>;
  quantizations: Record<string, string>;
  /** The first is the graph's own; nodes refer to the others by number. */
  bodies: Body[];
  diagnostics: { severity: string; message: string }[];
}

/** `uri` from the language server, with its ranges; `path` from the command line, with lines and columns from 1. */
export interface Place {
  uri?: string;
  path?: string;
  range: { start: Position; end: Position };
}

export interface Position {
  line: number;
  character?: number;
  column?: number;
}

export interface Body {
  title: string;
  nodes: Node[];
  edges: Edge[];
  tensors: Tensor[];
}

export type NodeKind =
  | "input"
  | "capture"
  | "variable"
  | "constant"
  | "output"
  | "update"
  | "operation"
  | "branch"
  | "loop"
  | "part";

export interface Node {
  name: string;
  kind: NodeKind;
  title: string;
  inputs: Port[];
  outputs: Port[];
  location: Place | null;
  statement?: Place;
  definition?: Place;
  label?: string;
  scope?: string;
  attributes?: { name: string; value: unknown; text: string; default: boolean }[];
  body?: number;
  cut?: boolean;
  library?: boolean;
  update?: boolean;
  macs?: number | null;
  macs_bound?: number | null;
}

export interface Port {
  name: string | null;
  tensors: number[];
  pack?: boolean;
  value?: unknown;
}

export interface Edge {
  source: [node: number, output: number];
  target: [node: number, input: number];
  tensors: number[];
}

export interface Tensor {
  name: string;
  dtype: string | null;
  shape: (number | string)[] | null;
  bound: (number | null)[] | null;
  location: Place | null;
  count?: number | string;
}

/** Evaluated values, by the scoped names of tensors. */
export type Values = Record<string, Value>;

export interface Value {
  /** A line with statistics, short enough for a drawing. */
  summary: string;
  /** More of it, for people. */
  text: string;
}

/** Nodes that are opened, or closed if they are open by themselves, by their paths. */
export type Toggled = ReadonlySet<string>;

export function pathOf(parent: string, node: Node): string {
  return parent === "" ? node.name : `${parent}/${node.name}`;
}

/** Parts of control flow are open by themselves: who opens a loop wants to see into it. */
export function isOpen(node: Node, path: string, toggled: Toggled): boolean {
  return node.body !== undefined && toggled.has(path) !== (node.kind === "part");
}

export function scopeOf(parent: string, node: Node): string {
  if (node.scope === undefined || node.scope === "") return parent;
  return parent === "" ? node.scope : `${parent}.${node.scope}`;
}

/** Numbers of tensors, by their bodies' input nodes, that a node's arguments become inside of it. */
export function entrances(node: Node, body: Body): (number | undefined)[] {
  const inner = body.nodes.map((each, at) => ({ each, at })).filter(({ each }) => isEntrance(each));
  if (node.kind === "branch" || node.kind === "loop") {
    let next = 0;
    return node.inputs.map((port) => (port.tensors.length > 0 ? inner[next++]?.at : undefined));
  }
  return node.inputs.map((port) => inner.find(({ each }) => each.title === port.name)?.at);
}

/** The nodes of a body that give what the node gives, in order. */
export function exits(body: Body): number[] {
  return body.nodes.flatMap((each, at) => (each.kind === "output" ? [at] : []));
}

export function isEntrance(node: Node): boolean {
  return node.kind === "input" || node.kind === "capture";
}

/** So many levels open everything, operators of the library too. */
export const ALL_LEVELS = 50;

/**
 * The toggled nodes for so many levels of open operators; not more than `most` nodes are then drawn. Operators of the
 * library stay closed: their parts are not those of the model.
 */
export function opened(model: GraphModel, levels: number, most = 3000): Set<string> {
  const toggled = new Set<string>();
  let drawn = model.bodies[0].nodes.length;
  let level: { body: Body; path: string }[] = [{ body: model.bodies[0], path: "" }];
  for (let depth = 0; depth < levels && level.length > 0; depth++) {
    const next: typeof level = [];
    const open = (body: Body, path: string): void => {
      for (const node of body.nodes) {
        if (node.body === undefined || (node.library && levels < ALL_LEVELS)) continue;
        const inner = model.bodies[node.body];
        const at = pathOf(path, node);
        if (drawn + inner.nodes.length > most) {
          if (node.kind === "part") toggled.add(at);
          continue;
        }
        drawn += inner.nodes.length;
        if (node.kind !== "part") toggled.add(at);
        // Parts of control flow are no deeper than the control flow itself.
        if (node.kind === "part" || node.kind === "branch" || node.kind === "loop") partsOf(inner, at, node.kind);
        else next.push({ body: inner, path: at });
      }
    };
    const partsOf = (inner: Body, at: string, kind: NodeKind): void => {
      if (kind === "part") next.push({ body: inner, path: at });
      else open(inner, at);
    };
    for (const { body, path } of level) open(body, path);
    level = next;
  }
  return toggled;
}
