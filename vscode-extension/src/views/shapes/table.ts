/** The shown rows and their order. Knows neither VS Code nor a page. */
import type { Row } from "./rows";

export type Column = "name" | "dtype" | "shape" | "bound" | "bytes" | "producer";

export interface Order {
  /** Undefined for the order of the graph. */
  readonly column: Column | undefined;
  readonly descending: boolean;
}

export const COLUMNS: readonly { readonly column: Column; readonly title: string }[] = [
  { column: "name", title: "Tensor" },
  { column: "dtype", title: "Type" },
  { column: "shape", title: "Shape" },
  { column: "bound", title: "At most" },
  { column: "bytes", title: "Bytes" },
  { column: "producer", title: "Made by" },
];

/** The order after a click on the head of a column: ascending, descending, that of the graph. */
export function clicked(order: Order, column: Column): Order {
  if (order.column !== column) return { column, descending: false };
  return order.descending ? { column: undefined, descending: false } : { column, descending: true };
}

/** The rows that hold all words of a filter, in an order. */
export function visible(rows: readonly Row[], filter: string, order: Order): Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter((row) => {
    const text = `${row.name} ${row.kind} ${row.dtype}${row.shape} ${row.bound} ${row.producer} ${row.part}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const { column, descending } = order;
  if (column === undefined) return found;
  const direction = descending ? -1 : 1;
  return found.sort((a, b) => direction * compared(a, b, column));
}

const collator = new Intl.Collator("en", { numeric: true });

function compared(a: Row, b: Row, column: Column): number {
  if (column === "bytes") return (a.bytes ?? -1) - (b.bytes ?? -1);
  return collator.compare(a[column], b[column]);
}
