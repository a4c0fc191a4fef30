// The part of the page that shows the drawing: its visible part, at some scale.
import type { Item } from "../draw";
import { layerOf } from "../svg";

const SVG = "http://www.w3.org/2000/svg";
const LEAST = 0.02;
const MOST = 4;
/** Below this scale texts can't be read. */
const READABLE = 0.28;
/** Part of the window beyond its edges that is drawn already. */
const AHEAD = 0.35;

export interface View {
  x: number;
  y: number;
  scale: number;
}

export class Canvas {
  readonly element: SVGSVGElement;
  view: View = { x: 0, y: 0, scale: 1 };
  items: Item[] = [];
  onView: () => void = () => {};
  /** The window has another size, and the drawing stays where it is. */
  onSize: () => void = () => {};

  private readonly all: SVGGElement;
  private readonly layers: SVGGElement[] = [];
  private readonly marks: SVGGElement;
  private readonly shown = new Map<Item, Element>();
  private readonly ofElement = new WeakMap<Element, Item>();
  private readonly byPath = new Map<string, Item>();
  private size = { width: 1, height: 1 };
  private top = 0;
  private waiting = false;
  /** The position of the drawing after a change of the window's size, until somebody moves it. */
  private settle: (() => void) | undefined;

  constructor(parent: HTMLElement) {
    this.element = document.createElementNS(SVG, "svg");
    this.element.setAttribute("class", "snd");
    this.element.setAttribute("tabindex", "0");
    this.element.setAttribute("role", "application");
    this.element.setAttribute("aria-roledescription", "graph drawing");
    this.all = this.group(this.element, "all");
    this.marks = this.group(this.all, "marks");
    parent.append(this.element);
    new ResizeObserver(() => this.resized()).observe(this.element);
    this.resized();
    this.followMouse();
  }

  item(path: string): Item | undefined {
    return this.byPath.get(path);
  }

  itemOf(element: Element): Item | undefined {
    return this.ofElement.get(element);
  }

  elementOf(item: Item): Element | undefined {
    return this.shown.get(item);
  }

  /** Shows another drawing, or the same with other open nodes. */
  show(items: Item[]): void {
    for (const each of this.shown.values()) each.remove();
    this.shown.clear();
    this.items = items;
    this.byPath.clear();
    for (const item of items) if (item.kind === "node") this.byPath.set(item.path, item);
    this.changed();
  }

  bounds(): { width: number; height: number } {
    let [width, height] = [1, 1];
    for (const item of this.items) {
      width = Math.max(width, item.x + item.width);
      height = Math.max(height, item.y + item.height);
    }
    return { width, height };
  }

  window(): { width: number; height: number } {
    return this.size;
  }

  /** Shows a part that was chosen before. */
  look(view: View): void {
    this.view = view;
    this.settle = undefined;
    this.changed();
  }

  /** From now on, the drawing stays where it is when the window gets another size. */
  stay(): void {
    this.settle = undefined;
  }

  fit(): void {
    this.settle = () => this.fit();
    const { width, height } = this.bounds();
    const margin = 32;
    const scale = Math.min((this.size.width - 2 * margin) / width, (this.size.height - 2 * margin) / height, 1);
    // A long drawing begins at its beginning, as large as can be read.
    const whole = this.limited(scale);
    this.view = {
      scale: whole,
      x: (this.size.width - width * whole) / 2,
      y: Math.max(margin, (this.size.height - height * whole) / 2),
    };
    this.changed();
  }

  /** The beginning of the drawing, at a size that can be read. */
  start(): void {
    this.fit();
    this.settle = () => this.start();
    if (this.view.scale >= 0.6) return;
    const { width } = this.bounds();
    const scale = Math.min(0.9, Math.max(0.5, (this.size.width - 64) / width));
    this.view = { scale, x: Math.max(32, (this.size.width - width * scale) / 2), y: 32 };
    const first = this.items.find((item) => item.kind === "node" && item.depth === 0);
    if (first !== undefined && width * scale > this.size.width) this.view.x = this.size.width / 2 - (first.x + first.width / 2) * scale;
    this.changed();
  }

  zoom(factor: number, x = this.size.width / 2, y = this.size.height / 2): void {
    const scale = this.limited(this.view.scale * factor);
    const by = scale / this.view.scale;
    this.look({ scale, x: x - (x - this.view.x) * by, y: y - (y - this.view.y) * by });
  }

  pan(x: number, y: number): void {
    this.look({ ...this.view, x: this.view.x + x, y: this.view.y + y });
  }

  /** Moves a node into sight, and no farther than needed unless it should be in the middle. */
  reveal(item: Item, middle = false): void {
    const { scale } = this.view;
    const [width, height] = [item.width * scale, Math.min(item.height * scale, this.size.height / 2)];
    const [left, top] = [item.x * scale + this.view.x, item.y * scale + this.view.y];
    const inSight = left >= 8 && top >= 8 && left + width <= this.size.width - 8 && top + height <= this.size.height - 8;
    if (inSight && !middle) return;
    this.settle = undefined;
    const near = left > -this.size.width && left < 2 * this.size.width && top > -this.size.height && top < 2 * this.size.height;
    const x = near && !middle ? left + into(left, width, this.size.width) : this.size.width / 2 - width / 2;
    const y = near && !middle ? top + into(top, height, this.size.height) : this.size.height / 2 - height / 2;
    this.view = { scale, x: x - item.x * scale, y: y - item.y * scale };
    if (scale < READABLE * 1.5) this.zoom(0.8 / scale);
    this.changed();
  }

  /** The node at the middle of the visible part. */
  central(): Item | undefined {
    const x = (this.size.width / 2 - this.view.x) / this.view.scale;
    const y = (this.size.height / 2 - this.view.y) / this.view.scale;
    let [best, least] = [undefined as Item | undefined, Infinity];
    for (const item of this.items) {
      if (item.kind !== "node") continue;
      const away = Math.abs(item.x + item.width / 2 - x) + Math.abs(item.y + (item.open ? 0 : item.height / 2) - y);
      if (away < least) [best, least] = [item, away];
    }
    return best;
  }

  mark(marks: { item: Item; kind: string }[]): void {
    this.marks.replaceChildren(
      ...marks.map(({ item, kind }) => {
        const box = document.createElementNS(SVG, "rect");
        const { width, height } = item.box ?? item;
        const attributes = { class: `mark ${kind}`, x: item.x - 4, y: item.y - 4, rx: 8, width: width + 8, height: height + 8 };
        for (const [name, value] of Object.entries(attributes)) box.setAttribute(name, String(value));
        return box;
      }),
    );
  }

  changed(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
      this.onView();
    });
  }

  /** Adds visible elements to the document, and removes distant ones. */
  draw(): void {
    const { x, y, scale } = this.view;
    this.all.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    this.element.classList.toggle("far", scale < READABLE);
    const [width, height] = [this.size.width / scale, this.size.height / scale];
    const left = -x / scale - width * AHEAD;
    const top = -y / scale - height * AHEAD;
    const [right, bottom] = [left + width * (1 + 2 * AHEAD), top + height * (1 + 2 * AHEAD)];
    const added: Map<number, Item[]> = new Map();
    for (const item of this.items) {
      const inSight = item.x < right && item.x + item.width > left && item.y < bottom && item.y + item.height > top;
      const known = this.shown.get(item);
      if (inSight && known === undefined) {
        const layer = layerOf(item);
        const others = added.get(layer);
        if (others === undefined) added.set(layer, [item]);
        else others.push(item);
      } else if (!inSight && known !== undefined) {
        known.remove();
        this.shown.delete(item);
      }
    }
    for (const [layer, items] of added) this.add(layer, items);
  }

  private add(layer: number, items: Item[]): void {
    while (this.layers.length <= layer) {
      const group = this.group(this.all, "layer");
      this.all.insertBefore(group, this.marks);
      this.layers.push(group);
    }
    const parsed = new DOMParser().parseFromString(
      `<svg xmlns="${SVG}">${items.map((item) => item.svg()).join("")}</svg>`, "image/svg+xml",
    );
    const elements = [...parsed.documentElement.children];
    items.forEach((item, at) => {
      this.shown.set(item, elements[at]);
      this.ofElement.set(elements[at], item);
    });
    this.layers[layer].append(...elements);
  }

  private group(parent: Element, name: string): SVGGElement {
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", name);
    parent.append(group);
    return group;
  }

  private limited(scale: number): number {
    return Math.min(MOST, Math.max(LEAST, scale));
  }

  private resized(): void {
    const { clientWidth, clientHeight } = this.element.parentElement ?? document.body;
    this.size = { width: Math.max(1, clientWidth), height: Math.max(1, clientHeight) };
    const before = this.top;
    this.top = this.element.getBoundingClientRect().top;
    if (this.settle !== undefined) return this.settle();
    // Messages above the drawing do not move it.
    this.view = { ...this.view, y: this.view.y + before - this.top };
    this.changed();
    this.onSize();
  }

  private followMouse(): void {
    const { element } = this;
    element.addEventListener("wheel", (event) => {
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 18 : 1;
      if (event.ctrlKey || event.metaKey || !event.shiftKey) {
        const box = element.getBoundingClientRect();
        this.zoom(Math.exp(-event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.0016)), event.clientX - box.left, event.clientY - box.top);
      } else this.pan(-(event.deltaX || event.deltaY) * unit, 0);
    }, { passive: false });
    let from: { x: number; y: number } | undefined;
    element.addEventListener("pointerdown", (event) => {
      if (event.button > 1) return;
      from = { x: event.clientX, y: event.clientY };
    });
    element.addEventListener("pointermove", (event) => {
      if (from === undefined || event.buttons === 0) return;
      const [x, y] = [event.clientX - from.x, event.clientY - from.y];
      if (!element.classList.contains("moving") && Math.abs(x) + Math.abs(y) < 5) return;
      element.classList.add("moving");
      if (!element.hasPointerCapture(event.pointerId)) element.setPointerCapture(event.pointerId);
      this.pan(x, y);
      from = { x: event.clientX, y: event.clientY };
    });
    element.addEventListener("pointerup", () => {
      from = undefined;
      // The click that follows belongs to the move.
      setTimeout(() => element.classList.remove("moving"));
    });
  }
}

/** The way to go so that what begins at `start` is inside of a window, with some room around; its beginning above all. */
function into(start: number, length: number, window: number): number {
  const room = 12;
  if (start < room || length > window - 2 * room) return room - start;
  return Math.min(0, window - room - (start + length));
}
