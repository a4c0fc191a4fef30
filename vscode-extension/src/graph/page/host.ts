// Whoever shows the page: an editor, or nobody.
import type { GraphModel, Place, Values } from "../model";

export type FromHost =
  | { type: "graph"; model: GraphModel; title?: string; key?: string }
  | { type: "highlight"; uri: string; range: Place["range"] }
  | { type: "values"; values: Values | null; title?: string }
  | { type: "message"; text: string | null };

export type ToHost =
  | { type: "ready" }
  | { type: "reveal"; uri: string; range: Place["range"] }
  | { type: "save"; name: string; base64: string }
  | { type: "evaluate" };

interface EditorApi {
  postMessage(message: ToHost): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): EditorApi;

const editor = typeof acquireVsCodeApi === "function" ? acquireVsCodeApi() : undefined;

export const inEditor = editor !== undefined;

export function tell(message: ToHost): void {
  editor?.postMessage(message);
}

/** Shows a place of the source. */
export function reveal(place: Place): void {
  if (place.uri !== undefined) tell({ type: "reveal", uri: place.uri, range: place.range });
}

/** The state that the page keeps until it is shown again. */
export function remember(part: Record<string, unknown>): void {
  editor?.setState({ ...(editor.getState() as object | undefined), ...part });
}

export function remembered(): Record<string, unknown> {
  return (editor?.getState() as Record<string, unknown> | undefined) ?? {};
}

export function listen(receive: (message: FromHost) => void): void {
  window.addEventListener("message", (event: MessageEvent<FromHost>) => receive(event.data));
}
