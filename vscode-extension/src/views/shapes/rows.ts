/** The rows of the table of shapes, made of a composed graph. Knows nothing of VS Code. */
import type { ComposedGraph, ComposedOperation, ComposedPart, ComposedTensor, TensorReference } from "../../protocol";

export type Kind = "input" | "output" | "variable" | "";

export interface Row {
  readonly name: string;
  readonly kind: Kind;
  readonly dtype: string;
  readonly shape: string;
  /** The shape with the most that each extent can be; empty if the extents are known, or have no bound. */
  readonly bound: string;
  readonly isDynamic: boolean;
  /** Maximum number of bytes in storage; null if it is unknown. */
  readonly bytes: number | null;
  /** The operator that makes it. */
  readonly producer: string;
  /** The place in control flow, such as `do body`; empty outside. */
  readonly part: string;
  /** The line in the file of the graph, from 1; null for what is made elsewhere. */
  readonly line: number | null;
}

/** Bytes of an element where it is stored: 32-bit numbers, as in `snd shapes`. */
const BYTES: Readonly<Record<string, number>> = { real: 4, int: 4, bool: 1 };

/** All tensors of a graph in the order in which they are made, those of control flow behind what holds them. */
export function rowsOf(graph: ComposedGraph): Row[] {
  const named = (tensors: readonly ComposedTensor[]) => new Set(tensors.flatMap(flat).map((each) => each.name));
  const [inputs, outputs, variables] = [graph.inputs, graph.outputs, graph.variables].map(named) as [
    Set<string>, Set<string>, Set<string>,
  ];
  const kindOf = (name: string): Kind =>
    inputs.has(name) ? "input" : variables.has(name) ? "variable" : outputs.has(name) ? "output" : "";
  return [...rowsOfPart(graph, "", kindOf)];
}

function* rowsOfPart(part: ComposedPart, where: string, kindOf: (name: string) => Kind): Generator<Row> {
  const producers = producersOf(part.operations);
  for (const listed of part.tensors) {
    for (const tensor of flat(listed)) {
      yield rowOf(tensor, listed.line ?? null, kindOf(tensor.name), producers.get(tensor.name), where);
    }
  }
  for (const operation of part.operations) {
    for (const [name, inner] of Object.entries(operation.subgraphs ?? {})) {
      const title = [operation.operator, operation.label, name].filter(Boolean).join(" ");
      yield* rowsOfPart(inner, where === "" ? title : `${where} / ${title}`, () => "");
    }
  }
}

function rowOf(
  tensor: ComposedTensor, line: number | null, kind: Kind, producer: ComposedOperation | undefined, part: string,
): Row {
  const shape = tensor.shape ?? null;
  const isDynamic = shape?.some((each) => typeof each === "string") ?? false;
  return {
    name: tensor.name,
    kind,
    dtype: tensor.dtype ?? "",
    shape: shape === null ? "?" : `[${shape.join(",")}]`,
    bound: isDynamic && tensor.bound ? `[${tensor.bound.map((each) => each ?? "?").join(",")}]` : "",
    isDynamic,
    bytes: bytesOf(tensor),
    producer: producer === undefined ? "" : [producer.operator, producer.label].filter(Boolean).join(" "),
    part,
    line,
  };
}

function bytesOf(tensor: ComposedTensor): number | null {
  const size = BYTES[tensor.dtype ?? ""];
  if (size === undefined || !tensor.bound) return null;
  return tensor.bound.reduce<number | null>(
    (product, each) => (product === null || each === null ? null : product * each), size,
  );
}

/** A tensor, or the tensors of a pack. */
function flat(tensor: ComposedTensor): ComposedTensor[] {
  return tensor.items === undefined ? [tensor] : tensor.items.flatMap(flat);
}

function producersOf(operations: readonly ComposedOperation[]): Map<string, ComposedOperation> {
  const producers = new Map<string, ComposedOperation>();
  for (const operation of operations) for (const name of namesIn(operation.outputs)) producers.set(name, operation);
  return producers;
}

function namesIn(reference: TensorReference): string[] {
  if (typeof reference === "string") return [reference];
  return Array.isArray(reference) ? reference.flatMap(namesIn) : [];
}
