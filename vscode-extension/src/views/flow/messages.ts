/** Messages between the page of the data flow and its host. */
import type { DataFlow } from "../../protocol";

export type ToPage =
  | { readonly type: "flow"; readonly flow: DataFlow }
  /** There is no picture; why. */
  | { readonly type: "nothing"; readonly note: string };

export type FromPage =
  | { readonly type: "ready" }
  /** The cell that is asked about from now on. */
  | { readonly type: "cell"; readonly cell: string };
