// The page of a drawing: in an editor's panel, or in a file that stands alone.
import { items, type Item } from "../draw";
import { opened, type GraphModel, type Place, type Value, type Values } from "../model";
import { pageRules } from "../palette";
import type { PlacedBody } from "../place";
import { nodeTip } from "../tips";
import { Canvas } from "./canvas";
import { showDetail } from "./detail";
import { child } from "./elements";
import { exportDrawing } from "./exporting";
import { inEditor, listen, remember, remembered, tell, type FromHost } from "./host";
import { Layouts, Outdated, TooLarge } from "./layouts";
import { edgesOf, linked, targetOf } from "./linked";
import { Minimap } from "./minimap";
import css from "./page.css";
import { search } from "./search";

const STEP = 80;
const ALL_LEVELS = 50;

class Page {
  private readonly layouts = new Layouts(document.getElementById("engine")!.textContent!);
  private readonly bar = child(document.body, "header", { class: "bar", role: "toolbar", "aria-label": "Graph" });
  private readonly title = child(this.bar, "h1");
  private readonly note = child(document.body, "div", { class: "note", role: "status" });
  private readonly stage = child(document.body, "main", { class: "stage" });
  private readonly panel = child(document.body, "aside", { class: "detail", "aria-label": "Details" });
  private readonly canvas = new Canvas(this.stage);
  private readonly minimap = new Minimap(this.stage, this.canvas);
  private readonly said = child(document.body, "p", { class: "said", "aria-live": "polite" });
  private readonly field: HTMLInputElement;
  private readonly count: HTMLElement;

  private model: GraphModel | undefined;
  private key = "";
  private placed: PlacedBody | undefined;
  private toggled = new Set<string>();
  private values: Values | undefined;
  private selected: string | undefined;
  private edge: Item | undefined;
  private pointed = new Set<string>();
  private found: string[] = [];
  private at = -1;
  private cursor: { uri: string; range: Place["range"] } | undefined;
  private work = 0;

  constructor() {
    const find = child(this.bar, "div", { class: "find", role: "search" });
    this.field = child(find, "input", { type: "search", placeholder: "Find (/)", "aria-label": "Find nodes by operator or name" });
    this.count = child(find, "span", { class: "count", "aria-live": "polite" });
    this.button("Open all", "Open all operators", () => this.openAll(ALL_LEVELS), "⊞");
    this.button("Close all", "Close all operators", () => this.openAll(0), "⊟");
    this.button("−", "Zoom out (-)", () => this.canvas.zoom(1 / 1.3));
    this.button("+", "Zoom in (+)", () => this.canvas.zoom(1.3));
    this.button("Fit", "Show all of it (0)", () => this.canvas.fit());
    if (inEditor) this.button("Evaluate", "Evaluate the graph and show statistics of its tensors", () => tell({ type: "evaluate" }), "▶");
    this.button("SVG", "Export as SVG", () => this.export("svg"));
    this.button("PNG", "Export as PNG", () => this.export("png"));
    this.panel.hidden = true;
    this.note.hidden = true;
    this.canvas.onView = () => {
      this.minimap.drawWindow();
      this.mark();
      this.keep();
    };
    this.canvas.onSize = () => this.onSelected((item) => this.canvas.reveal(item));
    this.followKeys();
    this.followClicks();
  }

  receive(message: FromHost): void {
    switch (message.type) {
      case "graph":
        void this.show(message.model, message.key ?? message.model.graph);
        break;
      case "values":
        this.values = message.values ?? undefined;
        void this.place();
        break;
      case "highlight":
        this.cursor = { uri: message.uri, range: message.range };
        this.mark(true);
        break;
      case "message":
        this.say(message.text);
        break;
    }
  }

  private async show(model: GraphModel, key: string): Promise<void> {
    const first = this.model === undefined || this.key !== key;
    this.model = model;
    if (first) {
      this.selected = undefined;
      this.edge = undefined;
      const before = remembered();
      this.toggled = new Set(before.key === key ? (before.toggled as string[]) : []);
      this.values = undefined;
      this.placed = undefined;
    }
    this.key = key;
    this.title.textContent = model.graph;
    document.title = model.graph;
    this.canvas.element.setAttribute("aria-label", `graph ${model.graph}, ${model.bodies[0].nodes.length} nodes`);
    const errors = model.diagnostics.filter((each) => each.severity === "error");
    this.say(errors.length === 0 ? null : `${errors[0].message}${errors.length > 1 ? ` (and ${errors.length - 1} more)` : ""}`);
    await this.place();
    this.find(this.field.value, false);
  }

  /** Lays out again; what was at `anchor`, or at the middle of what is in sight, stays where it is. */
  private async place(anchor?: string, afresh = false): Promise<void> {
    const model = this.model;
    if (model === undefined) return;
    const work = ++this.work;
    document.body.classList.add("busy");
    try {
      const placed = await this.layouts.place(model, this.toggled, this.values !== undefined);
      if (work !== this.work || model !== this.model) return;
      // Not "the first that was asked for": another model may have come while that one was laid out.
      const first = this.placed === undefined;
      const before = this.anchor(anchor);
      this.placed = placed;
      this.canvas.show(items(model, placed, this.values));
      if (first) this.begin();
      else if (afresh) this.canvas.start();
      else if (before !== undefined) this.hold(before);
      this.minimap.drawNodes();
      this.edge = undefined;
      this.detail();
    } catch (problem) {
      if (!(problem instanceof Outdated)) this.sayFailed(problem);
    } finally {
      if (work === this.work) document.body.classList.remove("busy");
    }
  }

  private sayFailed(problem: unknown): void {
    this.say(`The graph could not be laid out: ${problem instanceof Error ? problem.message : String(problem)}`);
    if (!(problem instanceof TooLarge) || this.toggled.size === 0) return;
    child(this.note, "button", {}, "Close all operators").onclick = () => {
      this.say(null);
      this.openAll(0);
    };
  }

  /** Where it was when the page was left, else at the beginning. */
  private begin(): void {
    const before = remembered();
    this.canvas.start();
    if (before.key !== this.key || before.view === undefined) return;
    this.canvas.look(before.view as Canvas["view"]);
  }

  private anchor(path?: string): Item | undefined {
    const wanted = path ?? this.selected;
    return (wanted === undefined ? undefined : this.canvas.item(wanted)) ?? this.canvas.central();
  }

  /** Moves the view so that a node, or the one around it, is where it was on the screen. */
  private hold(before: Item): void {
    const { view } = this.canvas;
    for (let path = before.path; path !== ""; path = path.slice(0, Math.max(0, path.lastIndexOf("/")))) {
      const now = this.canvas.item(path);
      if (now === undefined) continue;
      const middle = path === before.path && !before.open && !now.open;
      const by = middle ? (before.width - now.width) / 2 : 0;
      this.canvas.look({ ...view, x: view.x + (before.x - now.x + by) * view.scale, y: view.y + (before.y - now.y) * view.scale });
      return;
    }
  }

  // ---- opening and closing -------------------------------------------------------------------
  private toggle(path: string): void {
    if (!this.toggled.delete(path)) this.toggled.add(path);
    void this.place(path);
  }

  private openAll(levels: number): void {
    if (this.model === undefined) return;
    this.toggled = opened(this.model, levels);
    void this.place(undefined, levels === 0);
  }

  /** Opens all that is around a node. */
  private async openAround(path: string): Promise<void> {
    let changed = false;
    const steps = path.split("/");
    let body = this.model!.bodies[0];
    for (let depth = 1; depth < steps.length; depth++) {
      const node = body.nodes.find((each) => each.name === steps[depth - 1]);
      if (node?.body === undefined) break;
      const around = steps.slice(0, depth).join("/");
      const open = this.toggled.has(around) !== (node.kind === "part");
      if (!open) {
        changed = true;
        if (!this.toggled.delete(around)) this.toggled.add(around);
      }
      body = this.model!.bodies[node.body];
    }
    if (changed) await this.place();
  }

  // ---- selection -----------------------------------------------------------------------------
  private select(item: Item | undefined, move = true): void {
    this.selected = item?.kind === "node" ? item.path : undefined;
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

  private detail(): void {
    const item = this.edge ?? (this.selected === undefined ? undefined : this.canvas.item(this.selected));
    showDetail(this.panel, item, {
      reveal: (place) => this.reveal(place),
      toggle: (path) => this.toggle(path),
      value: (of, tensor) => this.valueOf(of, tensor),
      close: () => this.select(undefined),
    });
  }

  private valueOf(item: Item, tensor: number): Value | undefined {
    const name = item.named(tensor);
    return this.values?.[name];
  }

  private reveal(place: Place): void {
    if (place.uri !== undefined) tell({ type: "reveal", uri: place.uri, range: place.range });
  }

  private neighbour(step: 1 | -1): void {
    const item = this.selected === undefined ? undefined : this.canvas.item(this.selected);
    if (item === undefined) return this.select(this.canvas.central());
    const number = item.body.nodes.indexOf(item.node!);
    const [mine, other] = step === 1 ? (["source", "target"] as const) : (["target", "source"] as const);
    const parent = item.path.slice(0, item.path.length - item.node!.name.length);
    for (const edge of item.body.edges) {
      const next = edge[mine][0] === number ? this.canvas.item(parent + item.body.nodes[edge[other][0]].name) : undefined;
      if (next !== undefined) return this.select(next);
    }
  }

  private besides(step: 1 | -1): void {
    const nodes = this.canvas.items.filter((item) => item.kind === "node");
    const at = nodes.findIndex((item) => item.path === this.selected);
    this.select(nodes[(at + step + nodes.length) % nodes.length]);
  }

  private mark(move = false): void {
    const marks: { item: Item; kind: string }[] = [];
    for (const path of this.found) {
      const item = this.canvas.item(path);
      if (item !== undefined) marks.push({ item, kind: "match" });
    }
    const under = this.underCursor();
    for (const item of under) marks.push({ item, kind: "cursor" });
    if (move && under.length > 0 && !document.hasFocus()) this.canvas.reveal(under[0]);
    const selected = this.selected === undefined ? undefined : this.canvas.item(this.selected);
    for (const path of this.linkedPaths(selected)) {
      const item = this.canvas.item(path);
      if (item !== undefined && item !== selected) marks.push({ item, kind: "linked" });
    }
    if (selected !== undefined) marks.push({ item: selected, kind: "selected" });
    this.canvas.mark(marks);
    for (const each of document.querySelectorAll(".edge.selected")) each.classList.remove("selected");
    if (this.edge !== undefined) this.canvas.elementOf(this.edge)?.classList.add("selected");
  }

  /** What the selected node, or the mark below the pointer, is connected with by names alone. */
  private linkedPaths(selected: Item | undefined): Set<string> {
    const references = selected?.references ?? [];
    return references.length === 0 ? this.pointed : new Set([...this.pointed, ...linked(selected!, references)]);
  }

  private point(paths: Set<string>): void {
    if (paths.size === 0 && this.pointed.size === 0) return;
    this.pointed = paths;
    this.mark();
  }

  /** The nodes with the smallest source that the cursor is in: what is invoked, or else its statement. */
  private underCursor(): Item[] {
    const cursor = this.cursor;
    if (cursor === undefined) return [];
    const around: { item: Item; size: number }[] = [];
    for (const item of this.canvas.items) {
      if (item.kind !== "node") continue;
      for (const place of [item.node!.location, item.node!.statement]) {
        if (place?.uri !== cursor.uri || !holds(place.range, cursor.range)) continue;
        around.push({ item, size: extent(place.range) });
        break;
      }
    }
    const least = Math.min(...around.map(({ size }) => size));
    return around.filter(({ size }) => size === least).map(({ item }) => item);
  }

  // ---- search --------------------------------------------------------------------------------
  private find(wanted: string, move = true): void {
    if (this.model === undefined) return;
    this.found = search(this.model, wanted);
    this.at = -1;
    this.count.textContent = wanted.trim() === "" ? "" : this.found.length === 0 ? "nothing" : `${this.found.length} found`;
    const inSight = this.found.findIndex((path) => this.canvas.item(path) !== undefined);
    if (move && inSight >= 0) this.canvas.reveal(this.canvas.item(this.found[inSight])!);
    this.mark();
  }

  private async next(step: 1 | -1): Promise<void> {
    if (this.found.length === 0) return;
    this.at = this.at < 0 ? (step === 1 ? 0 : this.found.length - 1) : (this.at + step + this.found.length) % this.found.length;
    this.count.textContent = `${this.at + 1} of ${this.found.length}`;
    const path = this.found[this.at];
    await this.openAround(path);
    // Variables that are written into an operation are shown by it.
    const item = this.canvas.item(path) ?? this.canvas.item(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
    if (item === undefined) return;
    this.select(item, false);
    this.canvas.reveal(item, true);
  }

  // ---- what the user does --------------------------------------------------------------------
  /** A button; `short` is what it says where there is little room. */
  private button(content: string, title: string, act: () => void, short = content): void {
    const button = child(this.bar, "button", { title, "aria-label": title });
    child(button, "span", { class: "long" }, content);
    child(button, "span", { class: "short" }, short);
    button.onclick = act;
  }

  private export(kind: "svg" | "png"): void {
    if (this.model === undefined || this.placed === undefined) return;
    exportDrawing(kind, this.model, this.placed, this.values).catch((problem: Error) => this.say(problem.message));
  }

  private followClicks(): void {
    const { element } = this.canvas;
    const itemOf = (event: MouseEvent): Item | undefined => {
      const hit = (event.target as Element).closest(".node, .edge");
      return hit === null ? undefined : this.canvas.itemOf(hit);
    };
    element.addEventListener("click", (event) => {
      if (element.classList.contains("moving")) return;
      const item = itemOf(event);
      if (item?.node?.body !== undefined && (event.target as Element).closest(".toggle") !== null) return this.toggle(item.path);
      const mark = (event.target as Element).closest(".reference");
      if (item !== undefined && mark !== null) return this.select(this.canvas.item(targetOf(item, edgesOf(mark))));
      this.select(item, false);
      if (item?.node?.location?.uri !== undefined) this.reveal(item.node.location);
      return undefined;
    });
    element.addEventListener("pointerover", (event) => {
      const mark = (event.target as Element).closest(".reference");
      const item = mark === null ? undefined : itemOf(event);
      this.point(item === undefined ? new Set() : linked(item, edgesOf(mark!)));
    });
    element.addEventListener("dblclick", (event) => {
      const item = itemOf(event);
      if (item?.node?.body !== undefined && (event.target as Element).closest(".toggle") === null) this.toggle(item.path);
    });
    this.field.addEventListener("input", () => this.find(this.field.value));
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") void this.next(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") {
        this.field.value = "";
        this.find("");
        element.focus();
      } else return;
      event.preventDefault();
    });
  }

  private followKeys(): void {
    const acts: Record<string, () => void> = {
      "+": () => this.canvas.zoom(1.25),
      "=": () => this.canvas.zoom(1.25),
      "-": () => this.canvas.zoom(0.8),
      "0": () => this.canvas.fit(),
      "/": () => this.field.select(),
      Escape: () => this.select(undefined),
      Enter: () => this.onSelected((item) => item.node!.body !== undefined && this.toggle(item.path)),
      " ": () => this.onSelected((item) => item.node!.location !== null && this.reveal(item.node!.location)),
      ArrowDown: () => this.neighbour(1),
      ArrowUp: () => this.neighbour(-1),
      ArrowRight: () => this.besides(1),
      ArrowLeft: () => this.besides(-1),
      "shift ArrowDown": () => this.canvas.pan(0, -STEP),
      "shift ArrowUp": () => this.canvas.pan(0, STEP),
      "shift ArrowRight": () => this.canvas.pan(-STEP, 0),
      "shift ArrowLeft": () => this.canvas.pan(STEP, 0),
      PageDown: () => this.canvas.pan(0, -this.canvas.window().height * 0.9),
      PageUp: () => this.canvas.pan(0, this.canvas.window().height * 0.9),
      Home: () => this.canvas.start(),
    };
    document.addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "f") {
        this.field.select();
        event.preventDefault();
        return;
      }
      const busy = event.target instanceof HTMLInputElement || event.target instanceof HTMLButtonElement;
      if (busy || event.ctrlKey || event.metaKey || event.altKey) return;
      const act = acts[`${event.shiftKey && event.key.startsWith("Arrow") ? "shift " : ""}${event.key}`];
      if (act === undefined) return;
      act();
      event.preventDefault();
    });
  }

  private onSelected(act: (item: Item) => void): void {
    const item = this.selected === undefined ? undefined : this.canvas.item(this.selected);
    if (item !== undefined) act(item);
  }

  private say(what: string | null): void {
    this.note.textContent = what ?? "";
    this.note.hidden = what === null;
  }

  private keeping: ReturnType<typeof setTimeout> | undefined;

  private keep(): void {
    // Before there is a drawing, the view is none that anybody chose.
    if (this.placed === undefined) return;
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => remember({ key: this.key, toggled: [...this.toggled], view: this.canvas.view }), 300);
  }
}

/** Orders ranges by how much they hold. */
function extent({ start, end }: Place["range"]): number {
  return (end.line - start.line) * 10_000 + (end.character ?? 0) - (start.character ?? 0);
}

function holds(range: Place["range"], other: Place["range"]): boolean {
  const before = (one: Place["range"]["start"], two: Place["range"]["start"]): boolean =>
    one.line < two.line || (one.line === two.line && (one.character ?? 0) <= (two.character ?? 0));
  return before(range.start, other.start) && before(other.start, range.end);
}

const sheet = new CSSStyleSheet();
sheet.replaceSync(pageRules() + css);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
const page = new Page();
listen((message) => page.receive(message));
const model = document.getElementById("model");
if (model !== null) page.receive({ type: "graph", model: JSON.parse(model.textContent!) as GraphModel });
tell({ type: "ready" });
