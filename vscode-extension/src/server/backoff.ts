/**
 * How long to wait before the server is started again after it crashed: 1, 2, 4, … seconds. After `most` crashes
 * within `windowMs` there is no point in trying on. Crashes that lie further back count no more.
 */
export class Backoff {
  private crashes: number[] = [];

  constructor(
    private readonly now: () => number = Date.now,
    private readonly most = 5,
    private readonly windowMs = 180_000,
  ) {}

  /** A crash has happened: milliseconds to wait, or undefined to give up. */
  crashed(): number | undefined {
    const now = this.now();
    this.crashes = [...this.crashes.filter((each) => now - each < this.windowMs), now];
    return this.crashes.length >= this.most ? undefined : 1000 * 2 ** (this.crashes.length - 1);
  }

  /** Somebody has done something about it: what was before counts no more. */
  reset(): void {
    this.crashes = [];
  }
}
