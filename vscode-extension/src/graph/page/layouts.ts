// Layouts, worked out by a worker, so that the page can be used meanwhile.
import type { Done, Work } from "../engine";
import type { GraphModel } from "../model";
import type { PlacedBody } from "../place";

export class Layouts {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, { done: (placed: PlacedBody) => void; failed: (why: Error) => void }>();
  private known: GraphModel | undefined;
  private next = 0;

  constructor(engine: string) {
    const address = URL.createObjectURL(new Blob([engine], { type: "text/javascript" }));
    this.worker = new Worker(address);
    this.worker.onmessage = ({ data }: MessageEvent<Done>) => {
      const waiting = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if ("placed" in data) waiting?.done(data.placed);
      else waiting?.failed(new Error(data.failed));
    };
    this.worker.onerror = (event) => {
      for (const each of this.waiting.values()) each.failed(new Error(event.message || "the layout could not be worked out"));
      this.waiting.clear();
    };
  }

  place(model: GraphModel, toggled: ReadonlySet<string>, values: boolean): Promise<PlacedBody> {
    const work: Work = { id: this.next++, toggled: [...toggled], values };
    if (model !== this.known) work.model = this.known = model;
    return new Promise((done, failed) => {
      this.waiting.set(work.id, { done, failed });
      this.worker.postMessage(work);
    });
  }
}
