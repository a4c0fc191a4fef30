// Layout in a world without a page: in a worker of the page, or in a JavaScript engine inside of `snd graph`.
import { newElk } from "./elk";
import { opened, type GraphModel } from "./model";
import { Layout, type PlacedBody } from "./place";
import { svgFile } from "./svg";

export interface Work {
  id: number;
  /** Only where it is another one than before. */
  model?: GraphModel;
  toggled: string[];
  values: boolean;
}

export type Done = { id: number; placed: PlacedBody } | { id: number; failed: string };

interface World {
  onmessage?: ((event: { data: Work }) => void) | null;
  postMessage?: (message: Done) => void;
  setTimeout?: unknown;
  sndGraph?: { draw: (model: string, levels: number, theme: string) => void; result: string | null; error: string | null };
}
const world = globalThis as unknown as World;

let layout: Layout | undefined;

if (typeof world.postMessage === "function") {
  world.onmessage = async ({ data }) => {
    if (data.model !== undefined) layout = new Layout(newElk(), data.model);
    try {
      const placed = await layout!.place({ toggled: new Set(data.toggled), values: data.values });
      world.postMessage!({ id: data.id, placed });
    } catch (problem) {
      world.postMessage!({ id: data.id, failed: String(problem) });
    }
  };
} else {
  // Nobody waits here: at once is at the end of what is being done now. Watchdogs, which wait, are not needed.
  world.setTimeout = (later: () => void, delay = 0) => {
    if (delay === 0) void Promise.resolve().then(later);
    return 0;
  };
  const sndGraph: NonNullable<World["sndGraph"]> = { draw, result: null, error: null };
  world.sndGraph = sndGraph;

  function draw(text: string, levels: number, theme: string): void {
    const model = JSON.parse(text) as GraphModel;
    new Layout(newElk(), model)
      .place({ toggled: opened(model, levels), values: false })
      .then((placed) => (sndGraph.result = svgFile(model, placed, theme as "auto")))
      .catch((problem: unknown) => (sndGraph.error = String(problem)));
  }
}
