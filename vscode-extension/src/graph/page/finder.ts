// The field in which nodes are looked for.
import type { GraphModel } from "../model";
import { child } from "./elements";
import { search } from "./search";

export interface Found {
  /** Called for a new search: `paths` are all matches, visible or not. */
  onFound(paths: readonly string[], move: boolean): void;
  onStep(path: string): void;
  onLeave(): void;
}

export class Finder {
  private readonly field: HTMLInputElement;
  private readonly count: HTMLElement;
  private found: string[] = [];
  private at = -1;
  private model: GraphModel | undefined;

  constructor(parent: Element, private readonly told: Found) {
    const find = child(parent, "div", { class: "find", role: "search" });
    this.field = child(find, "input", { type: "search", placeholder: "Find (/)", "aria-label": "Find nodes by operator or name" });
    this.count = child(find, "span", { class: "count", "aria-live": "polite" });
    this.field.addEventListener("input", () => this.find(true));
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.next(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") this.leave();
      else return;
      event.preventDefault();
    });
  }

  focus(): void {
    this.field.select();
  }

  /** Looks for the same in another graph. */
  lookIn(model: GraphModel): void {
    this.model = model;
    this.find(false);
  }

  private find(move: boolean): void {
    if (this.model === undefined) return;
    const wanted = this.field.value;
    this.found = search(this.model, wanted);
    this.at = -1;
    this.count.textContent = wanted.trim() === "" ? "" : this.found.length === 0 ? "nothing" : `${this.found.length} found`;
    this.told.onFound(this.found, move);
  }

  private next(step: 1 | -1): void {
    const { length } = this.found;
    if (length === 0) return;
    this.at = this.at < 0 ? (step === 1 ? 0 : length - 1) : (this.at + step + length) % length;
    this.count.textContent = `${this.at + 1} of ${length}`;
    this.told.onStep(this.found[this.at]);
  }

  private leave(): void {
    this.field.value = "";
    this.find(true);
    this.told.onLeave();
  }
}
