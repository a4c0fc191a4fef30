// A drawing as one SVG file that stands alone.
import { items, type Item } from "./draw";
import type { GraphModel, Values } from "./model";
import { standaloneRules } from "./palette";
import type { PlacedBody } from "./place";
import { escaped } from "./xml";

const MARGIN = 20;

export function svgFile(
  model: GraphModel, placed: PlacedBody, theme: "auto" | "light" | "dark" = "auto", values?: Values,
): string {
  const drawn = inOrder(items(model, placed, values));
  const right = Math.max(placed.width, ...drawn.map((each) => each.x + each.width));
  const width = Math.ceil(right) + 2 * MARGIN;
  const height = placed.height + 2 * MARGIN;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="snd" width="${width}" height="${height}" ` +
    `viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}" role="img" aria-label="${escaped(`graph ${model.graph}`)}">` +
    `<title>${escaped(model.graph)}</title><style>${standaloneRules(theme)}</style>` +
    `<rect class="back" x="${-MARGIN}" y="${-MARGIN}" width="${width}" height="${height}"/>` +
    `${drawn.map((each) => each.svg()).join("\n")}</svg>\n`
  );
}

/** Orders shapes for drawing: inner shapes after outer ones, edges after nodes. */
export function inOrder(drawn: Item[]): Item[] {
  return [...drawn].sort((one, other) => layerOf(one) - layerOf(other));
}

export function layerOf(item: Item): number {
  return 2 * item.depth + (item.kind === "edge" ? 1 : 0);
}
