// The whole drawing in small, with its visible part.
import type { Canvas } from "./canvas";

const SVG = "http://www.w3.org/2000/svg";
const SIZE = { width: 150, height: 170 };

export class Minimap {
  private readonly element = document.createElementNS(SVG, "svg");
  private readonly nodes = document.createElementNS(SVG, "path");
  private readonly window = document.createElementNS(SVG, "rect");
  private scale = 1;

  constructor(parent: HTMLElement, private readonly canvas: Canvas) {
    this.element.setAttribute("class", "minimap");
    this.element.setAttribute("aria-hidden", "true");
    this.nodes.setAttribute("class", "nodes");
    this.window.setAttribute("class", "window");
    this.element.append(this.nodes, this.window);
    parent.append(this.element);
    const move = (event: PointerEvent): void => {
      if (event.buttons === 0) return;
      const box = this.element.getBoundingClientRect();
      const { width, height } = canvas.window();
      const { scale } = canvas.view;
      canvas.look({
        scale,
        x: width / 2 - ((event.clientX - box.left) / this.scale) * scale,
        y: height / 2 - ((event.clientY - box.top) / this.scale) * scale,
      });
    };
    this.element.addEventListener("pointerdown", move);
    this.element.addEventListener("pointermove", move);
  }

  drawNodes(): void {
    const { width, height } = this.canvas.bounds();
    this.scale = Math.min(SIZE.width / width, SIZE.height / height, 0.2);
    this.element.setAttribute("width", String(Math.max(24, width * this.scale)));
    this.element.setAttribute("height", String(Math.max(24, height * this.scale)));
    const boxes = this.canvas.items
      .filter((item) => item.kind === "node" && item.depth < 2)
      .map((item) => {
        const { width, height } = item.box ?? item;
        const right = number(width * this.scale);
        return `M${number(item.x * this.scale)} ${number(item.y * this.scale)}h${right}v${number(Math.max(height * this.scale, 0.8))}h-${right}z`;
      });
    this.nodes.setAttribute("d", boxes.join(""));
  }

  drawWindow(): void {
    const { x, y, scale } = this.canvas.view;
    const { width, height } = this.canvas.window();
    const bounds = this.canvas.bounds();
    const values = {
      x: (-x / scale) * this.scale, y: (-y / scale) * this.scale,
      width: (width / scale) * this.scale, height: (height / scale) * this.scale,
    };
    for (const [name, value] of Object.entries(values)) this.window.setAttribute(name, number(value));
    const all = bounds.width * scale + Math.max(0, x) <= width && bounds.height * scale + Math.max(0, y) <= height && x >= 0 && y >= 0;
    this.element.classList.toggle("idle", all);
  }
}

function number(value: number): string {
  return String(Math.round(value * 10) / 10);
}
