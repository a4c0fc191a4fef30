// The page of a drawing: in an editor's panel, or in a file that stands alone.
import { items, type Item } from "../draw";
import { ALL_LEVELS, opened, type GraphModel, type Values } from "../model";
import { pageRules } from "../palette";
import type { PlacedBody } from "../place";
import { followKeys, followPointer } from "./acts";
import { Canvas } from "./canvas";
import { child } from "./elements";
import { exportDrawing } from "./exporting";
import { Finder } from "./finder";
import { inEditor, listen, remember, remembered, tell, type FromHost } from "./host";
import { Layouts, Outdated, TooLarge } from "./layouts";
import { Minimap } from "./minimap";
import { openAround, toggle } from "./opening";
import css from "./page.css";
import { Selection } from "./selection";

class Page {
  private readonly layouts = new Layouts(document.getElementById("engine")!.textContent!);
  private readonly bar = child(document.body, "header", { class: "bar", role: "toolbar", "aria-label": "Graph" });
  private readonly title = child(this.bar, "h1");
  private readonly note = child(document.body, "div", { class: "note", role: "status" });
  private readonly stage = child(document.body, "main", { class: "stage" });
  private readonly canvas = new Canvas(this.stage);
  private readonly minimap = new Minimap(this.stage, this.canvas);
  private readonly selection = new Selection(this.canvas, {
    toggle: (path) => this.toggle(path),
    value: (name) => this.values?.[name],
  });
  private readonly finder = new Finder(this.bar, {
    onFound: (paths, move) => this.showFound(paths, move),
    onStep: (path) => void this.goTo(path),
    onLeave: () => this.canvas.element.focus(),
  });

  private model: GraphModel | undefined;
  private key = "";
  private placed: PlacedBody | undefined;
  private toggled = new Set<string>();
  private values: Values | undefined;
  private work = 0;
  private keeping: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.button("Open all", "Open all operators", () => this.openAll(ALL_LEVELS), "⊞");
    this.button("Close all", "Close all operators", () => this.openAll(0), "⊟");
    this.button("−", "Zoom out (-)", () => this.canvas.zoom(1 / 1.3));
    this.button("+", "Zoom in (+)", () => this.canvas.zoom(1.3));
    this.button("Fit", "Show all of it (0)", () => this.canvas.fit());
    if (inEditor) this.button("Evaluate", "Evaluate the graph and show statistics of its tensors", () => tell({ type: "evaluate" }), "▶");
    this.button("SVG", "Export as SVG", () => this.export("svg"));
    this.button("PNG", "Export as PNG", () => this.export("png"));
    this.note.hidden = true;
    this.canvas.onView = () => {
      this.minimap.drawWindow();
      this.selection.mark();
      this.keep();
    };
    this.canvas.onSize = () => {
      if (this.selection.item !== undefined) this.canvas.reveal(this.selection.item);
    };
    const toggle = (path: string): void => this.toggle(path);
    followKeys(this.canvas, this.selection, this.finder, toggle);
    followPointer(this.canvas, this.selection, toggle);
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
        this.selection.follow({ uri: message.uri, range: message.range });
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
      this.selection.forget();
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
    this.finder.lookIn(model);
  }

  /** Lays out again; the node at `anchor`, or in the middle of the visible part, keeps its place. */
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
      this.selection.laidOut();
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

  /** Restores the position from when the page was left, else shows the beginning. */
  private begin(): void {
    const before = remembered();
    this.canvas.start();
    if (before.key !== this.key || before.view === undefined) return;
    this.canvas.look(before.view as Canvas["view"]);
  }

  private anchor(path?: string): Item | undefined {
    const wanted = path ?? this.selection.selected;
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
    toggle(this.toggled, path);
    void this.place(path);
  }

  private openAll(levels: number): void {
    if (this.model === undefined) return;
    this.toggled = opened(this.model, levels);
    void this.place(undefined, levels === 0);
  }

  // ---- what is found -------------------------------------------------------------------------
  private showFound(paths: readonly string[], move: boolean): void {
    const inSight = paths.map((path) => this.canvas.item(path)).find((item) => item !== undefined);
    if (move && inSight !== undefined) this.canvas.reveal(inSight);
    this.selection.match(paths);
  }

  private async goTo(path: string): Promise<void> {
    if (this.model !== undefined && openAround(this.model, this.toggled, path)) await this.place();
    // Variables that are written into an operation are shown by it.
    const item = this.canvas.item(path) ?? this.canvas.item(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
    if (item === undefined) return;
    this.selection.select(item, false);
    this.canvas.reveal(item, true);
  }

  // ---- what is around the drawing ------------------------------------------------------------
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

  private say(what: string | null): void {
    this.note.textContent = what ?? "";
    this.note.hidden = what === null;
  }

  private keep(): void {
    // Before there is a drawing, the view is none that anybody chose.
    if (this.placed === undefined) return;
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => remember({ key: this.key, toggled: [...this.toggled], view: this.canvas.view }), 300);
  }
}

const sheet = new CSSStyleSheet();
sheet.replaceSync(pageRules() + css);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
const page = new Page();
listen((message) => page.receive(message));
const model = document.getElementById("model");
if (model !== null) page.receive({ type: "graph", model: JSON.parse(model.textContent!) as GraphModel });
tell({ type: "ready" });
