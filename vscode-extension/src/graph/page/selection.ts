// What is selected, and what else is marked: matches of the search, the node at the editor's cursor, and what is connected
// by names alone.
import type { Item } from "../draw";
import type { Place, Value } from "../model";
import { nodeTip } from "../tips";
import type { Canvas } from "./canvas";
import { showDetail } from "./detail";
import { child } from "./elements";
import { reveal } from "./host";
import { linked } from "./linked";
import { around, type Cursor } from "./ranges";

export interface Surroundings {
  toggle(path: string): void;
  value(name: string): Value | undefined;
}

export class Selection {
  private readonly panel = child(document.body, "aside", { class: "detail", "aria-label": "Details" });
  private readonly said = child(document.body, "p", { class: "said", "aria-live": "polite" });
  private path: string | undefined;
  private edge: Item | undefined;
  private found: readonly string[] = [];
  private pointed = new Set<string>();
  private cursor: Cursor | undefined;

  constructor(private readonly canvas: Canvas, private readonly surroundings: Surroundings) {
    this.panel.hidden = true;
  }

  /** The node that is selected, if it is in sight or could be scrolled there. */
  get item(): Item | undefined {
    return this.path === undefined ? undefined : this.canvas.item(this.path);
  }

  /** The path of the node that is selected, also if something around it is closed. */
  get selected(): string | undefined {
    return this.path;
  }

  /** Another graph has nothing of what was selected. */
  forget(): void {
    this.path = undefined;
    this.edge = undefined;
  }

  /** The items are others now: edges have no names by which they could be found again. */
  laidOut(): void {
    this.edge = undefined;
    this.detail();
  }

  select(item: Item | undefined, move = true): void {
    this.path = item?.kind === "node" ? item.path : undefined;
    this.edge = item?.kind === "edge" ? item : undefined;
    // Details take room from the drawing, which stays where it is.
    if (item !== undefined) this.canvas.stay();
    this.detail();
    this.mark();
    if (item?.node !== undefined) {
      this.said.textContent = nodeTip(item.node, item.body);
      if (move) this.canvas.reveal(item);
    }
  }

  /** Selects what reads (1) or gives (-1) a tensor of the selected node. */
  neighbour(step: 1 | -1): void {
    const { item } = this;
    if (item === undefined) return this.select(this.canvas.central());
    const number = item.body.nodes.indexOf(item.node!);
    const [mine, other] = step === 1 ? (["source", "target"] as const) : (["target", "source"] as const);
    const parent = item.path.slice(0, item.path.length - item.node!.name.length);
    for (const edge of item.body.edges) {
      const next = edge[mine][0] === number ? this.canvas.item(parent + item.body.nodes[edge[other][0]].name) : undefined;
      if (next !== undefined) return this.select(next);
    }
  }

  /** Selects the next node (1), or the one before (-1), in the order of the text. */
  besides(step: 1 | -1): void {
    const nodes = this.canvas.items.filter((item) => item.kind === "node");
    const at = nodes.findIndex((item) => item.path === this.path);
    this.select(nodes[(at + step + nodes.length) % nodes.length]);
  }

  /** Marks what the search has found. */
  match(found: readonly string[]): void {
    this.found = found;
    this.mark();
  }

  /** Marks what the pointer is about. */
  point(paths: Set<string>): void {
    if (paths.size === 0 && this.pointed.size === 0) return;
    this.pointed = paths;
    this.mark();
  }

  /** Marks the node at the cursor of the editor. */
  follow(cursor: Cursor): void {
    this.cursor = cursor;
    this.mark(true);
  }

  mark(move = false): void {
    const marks: { item: Item; kind: string }[] = [];
    for (const path of this.found) {
      const item = this.canvas.item(path);
      if (item !== undefined) marks.push({ item, kind: "match" });
    }
    const under = around(this.canvas.items, this.cursor);
    for (const item of under) marks.push({ item, kind: "cursor" });
    if (move && under.length > 0 && !document.hasFocus()) this.canvas.reveal(under[0]);
    const selected = this.item;
    for (const path of this.linkedPaths(selected)) {
      const item = this.canvas.item(path);
      if (item !== undefined && item !== selected) marks.push({ item, kind: "linked" });
    }
    if (selected !== undefined) marks.push({ item: selected, kind: "selected" });
    this.canvas.mark(marks);
    for (const each of document.querySelectorAll(".edge.selected")) each.classList.remove("selected");
    if (this.edge !== undefined) this.canvas.elementOf(this.edge)?.classList.add("selected");
  }

  private detail(): void {
    showDetail(this.panel, this.edge ?? this.item, {
      reveal: (place: Place) => reveal(place),
      toggle: (path) => this.surroundings.toggle(path),
      value: (of, tensor) => this.surroundings.value(of.named(tensor)),
      close: () => this.select(undefined),
    });
  }

  /** The nodes connected by names alone with the selected node, or with the mark below the pointer. */
  private linkedPaths(selected: Item | undefined): Set<string> {
    const references = selected?.references ?? [];
    return references.length === 0 ? this.pointed : new Set([...this.pointed, ...linked(selected!, references)]);
  }
}
