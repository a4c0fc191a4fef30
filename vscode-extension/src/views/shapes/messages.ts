/** Messages between the page of the table and its host. */
import type { Row } from "./rows";

export type ToPage =
  | { readonly type: "table"; readonly graph: string; readonly attributes: string; readonly rows: readonly Row[]; readonly note: string }
  /** There is no table; why. */
  | { readonly type: "nothing"; readonly note: string }
  /** The line of the cursor, from 1. */
  | { readonly type: "cursor"; readonly line: number };

export type FromPage =
  | { readonly type: "ready" }
  | { readonly type: "reveal"; readonly line: number; readonly name: string };
