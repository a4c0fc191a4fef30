/** The page of the data flow: a grid for each tensor. A click asks about another cell, and so do arrow keys. */
import "./page.css";
import type { DataFlow, FlowTensor } from "../../protocol";
import { beside, cellText, slices, type Slice } from "./cells";
import type { FromPage, ToPage } from "./messages";

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

const WIDEST = 480;
const LARGEST_CELL = 18;
// Lines of a finer grid would hide its cells.
const SMALLEST_LINED_CELL = 5;
const MOST_SLICES = 24;

const host = acquireVsCodeApi();
const title = element("h1");
const note = element("p", { className: "note" });
const text = element("ul");
const picture = element("main");
let redraw: (() => void)[] = [];

document.body.append(element("header", {}, title), note, picture, text);
addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  if (data.type === "nothing") {
    note.textContent = data.note;
    return;
  }
  const hadFocus = document.activeElement instanceof HTMLCanvasElement;
  show(data.flow);
  if (hadFocus) picture.querySelector<HTMLElement>("canvas.of")?.focus();
});
// The colours are those of the theme.
new MutationObserver(() => redraw.forEach((draw) => draw())).observe(document.body, { attributeFilter: ["class"] });
host.postMessage({ type: "ready" });

function show(flow: DataFlow): void {
  redraw = [];
  note.textContent = "";
  title.replaceChildren(flow.definition, element("span", { className: "sizes" }, ` ${flow.sizes.replaceAll("`", "")}`));
  const of = element("section", {}, drawn(flow.of, "of"));
  const others = element("section", {}, ...flow.tensors.map((each) => drawn(each, "cell")));
  picture.replaceChildren(...(flow.direction === "reads" ? [others, of] : [of, others]));
  text.replaceChildren(...flow.text.map((line) => element("li", {}, line)));
}

function drawn(tensor: FlowTensor, kind: "of" | "cell"): HTMLElement {
  const found = slices(tensor);
  const grids = found.slice(0, MOST_SLICES).map((slice) => {
    const label = slice.at.length === 0 ? "" : `${tensor.name}[${slice.at.map((index) => index ?? "*").join(",")},:,:]`;
    return element("div", {}, element("span", { className: "label" }, label), grid(tensor, slice, kind));
  });
  const more = found.length > MOST_SLICES ? [`and ${found.length - MOST_SLICES} more slices`] : [];
  return element("figure", {}, element("figcaption", {}, `${tensor.name}[${tensor.shape.join(",")}]`), ...grids, ...more);
}

function grid(tensor: FlowTensor, slice: Slice, kind: "of" | "cell"): HTMLCanvasElement {
  const size = Math.max(1, Math.min(LARGEST_CELL, WIDEST / Math.max(slice.rows, slice.columns, 1)));
  const canvas = element("canvas", { className: kind, tabIndex: kind === "of" ? 0 : -1 });
  const ratio = window.devicePixelRatio;
  canvas.width = Math.ceil((slice.columns * size + 1) * ratio);
  canvas.height = Math.ceil((slice.rows * size + 1) * ratio);
  canvas.style.width = `${slice.columns * size + 1}px`;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${slice.filled.length} of ${slice.rows * slice.columns} elements of ${tensor.name}`);
  canvas.addEventListener("click", (event) => {
    const [row, column] = [Math.floor(event.offsetY / size), Math.floor(event.offsetX / size)];
    if (row < slice.rows && column < slice.columns) ask(cellText(tensor, slice, row, column));
  });
  canvas.addEventListener("keydown", (event) => {
    const [row, column] = slice.filled[0] ?? [0, 0];
    const to = kind === "of" ? beside(slice, row, column, event.key) : undefined;
    if (to === undefined) return;
    ask(cellText(tensor, slice, ...to));
    event.preventDefault();
  });
  const draw = () => paint(canvas, slice, size, ratio, kind);
  redraw.push(draw);
  draw();
  return canvas;
}

function paint(canvas: HTMLCanvasElement, slice: Slice, size: number, ratio: number, kind: "of" | "cell"): void {
  const context = canvas.getContext("2d");
  if (context === null) return;
  const style = getComputedStyle(document.body);
  const colour = (name: string) => style.getPropertyValue(name);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = colour(kind === "of" ? "--vscode-charts-blue" : "--vscode-charts-orange");
  for (const [row, column] of slice.filled) context.fillRect(column * size, row * size, size, size);
  context.strokeStyle = colour("--vscode-editorIndentGuide-background1") || colour("--vscode-panel-border");
  context.strokeRect(0.5, 0.5, slice.columns * size, slice.rows * size);
  if (size < SMALLEST_LINED_CELL) return;
  context.beginPath();
  for (let at = 1; at < slice.columns; at++) line(context, at * size, 0, at * size, slice.rows * size);
  for (let at = 1; at < slice.rows; at++) line(context, 0, at * size, slice.columns * size, at * size);
  context.stroke();
}

function line(context: CanvasRenderingContext2D, x: number, y: number, toX: number, toY: number): void {
  context.moveTo(x + 0.5, y + 0.5);
  context.lineTo(toX + 0.5, toY + 0.5);
}

function ask(cell: string): void {
  host.postMessage({ type: "cell", cell });
}

function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, properties: Partial<HTMLElementTagNameMap[K]> = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
