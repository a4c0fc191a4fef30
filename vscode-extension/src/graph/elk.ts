// The layout library, without a worker of its own: whoever wants to go on meanwhile runs all of this in one.
import ELK from "elkjs/lib/elk-api";
import { Worker } from "elkjs/lib/elk-worker.min.js";

export function newElk(): InstanceType<typeof ELK> {
  return new ELK({ workerFactory: (url?: string) => new Worker(url) as unknown as globalThis.Worker });
}
