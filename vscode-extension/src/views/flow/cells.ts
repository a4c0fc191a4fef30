/** Cells of tensors: slices along the last two dimensions, cells as text, and which cell is beside another. */
import type { FlowTensor } from "../../protocol";

export type Index = readonly (number | null)[];

/** A grid of rows and columns; a tensor of lower rank has one row, or one cell. */
export interface Slice {
  /** The indices before the last two. */
  readonly at: Index;
  readonly rows: number;
  readonly columns: number;
  readonly filled: readonly (readonly [row: number, column: number])[];
}

/** The slices of a tensor with cells that take part, in order. */
export function slices({ shape, cells }: FlowTensor): Slice[] {
  const [rows, columns] = [extent(shape.at(-2)), extent(shape.at(-1))];
  const found = new Map<string, { at: Index; filled: [number, number][] }>();
  for (const cell of cells) {
    const at = cell.slice(0, Math.max(0, shape.length - 2));
    const slice = found.get(at.join()) ?? { at, filled: [] };
    found.set(at.join(), slice);
    for (const row of choices(shape.length > 1 ? cell.at(-2) : 0, rows)) {
      for (const column of choices(shape.length > 0 ? cell.at(-1) : 0, columns)) slice.filled.push([row, column]);
    }
  }
  return [...found.values()].map(({ at, filled }) => ({ at, rows, columns, filled }));
}

/** A cell as the server reads it, such as `y[0,2]`. */
export function cellText(tensor: FlowTensor, slice: Slice, row: number, column: number): string {
  // Where data decide about an index, any is as good as another.
  const index = [...slice.at.map((each) => each ?? 0), row, column];
  return `${tensor.name}[${(tensor.shape.length < 2 ? index.slice(2 - tensor.shape.length) : index).join(",")}]`;
}

/** The cell beside one, in the direction of an arrow key; undefined at the border, and for other keys. */
export function beside(slice: Slice, row: number, column: number, key: string): readonly [number, number] | undefined {
  const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key] ?? [0, 0];
  const [to, over] = [row + down!, column + right!];
  const isInside = to >= 0 && to < slice.rows && over >= 0 && over < slice.columns;
  return isInside && (to !== row || over !== column) ? [to, over] : undefined;
}

/** An extent that the tensor does not have is 1. */
function extent(value: number | null | undefined): number {
  return value === undefined ? 1 : value ?? 0;
}

function choices(index: number | null | undefined, extent: number): number[] {
  return index === null || index === undefined ? [...Array(extent).keys()] : [index];
}
