// Layouts, worked out by a worker, so that the page can be used meanwhile. Only the newest is of interest: those that are
// still at work when another one is asked for are given up, and so are those that take too long.
import type { Done, Work } from "../engine";
import type { GraphModel } from "../model";
import type { PlacedBody } from "../place";

const LONGEST_MS = 60_000;

/** A newer layout was asked for. */
export class Outdated extends Error {}

/** A layout took too long. */
export class TooLarge extends Error {}

interface Waiting {
  id: number;
  timer: ReturnType<typeof setTimeout>;
  done: (placed: PlacedBody) => void;
  failed: (why: Error) => void;
}

export class Layouts {
  private readonly address: string;
  private worker: Worker | undefined;
  private waiting: Waiting | undefined;
  private known: GraphModel | undefined;
  private next = 0;

  constructor(engine: string, private readonly longest = LONGEST_MS) {
    this.address = URL.createObjectURL(new Blob([engine], { type: "text/javascript" }));
  }

  place(model: GraphModel, toggled: ReadonlySet<string>, values: boolean): Promise<PlacedBody> {
    if (this.waiting !== undefined) this.end(new Outdated());
    const worker = (this.worker ??= this.started());
    const work: Work = { id: this.next++, toggled: [...toggled], values };
    if (model !== this.known) work.model = this.known = model;
    return new Promise((done, failed) => {
      const late = (): void => this.end(new TooLarge(`the layout took longer than ${this.longest / 1000} s`));
      this.waiting = { id: work.id, done, failed, timer: setTimeout(late, this.longest) };
      worker.postMessage(work);
    });
  }

  private started(): Worker {
    const worker = new Worker(this.address);
    worker.onmessage = ({ data }: MessageEvent<Done>) => {
      const waiting = this.waiting;
      if (waiting?.id !== data.id) return;
      this.waiting = undefined;
      clearTimeout(waiting.timer);
      if ("placed" in data) waiting.done(data.placed);
      else waiting.failed(/call stack/i.test(data.failed) ? new TooLarge(data.failed) : new Error(data.failed));
    };
    worker.onerror = (event) => this.end(new Error(event.message || "the layout could not be worked out"));
    return worker;
  }

  /** Nothing else stops a worker than its end. */
  private end(why: Error): void {
    this.worker?.terminate();
    this.worker = this.known = undefined;
    const waiting = this.waiting;
    this.waiting = undefined;
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    waiting.failed(why);
  }
}
