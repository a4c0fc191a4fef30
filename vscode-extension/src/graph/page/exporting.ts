// The drawing as files.
import type { GraphModel, Values } from "../model";
import type { PlacedBody } from "../place";
import { svgFile } from "../svg";
import { inEditor, tell } from "./host";

const LARGEST_SIDE = 16_000;
const MOST_PIXELS = 100_000_000;

export async function exportDrawing(kind: "svg" | "png", model: GraphModel, placed: PlacedBody, values?: Values): Promise<void> {
  const theme = isDark() ? "dark" : "light";
  if (kind === "svg") return save(`${model.graph}.svg`, new Blob([svgFile(model, placed, "auto", values)], { type: "image/svg+xml" }));
  return save(`${model.graph}.png`, await png(svgFile(model, placed, theme, values)));
}

async function png(svg: string): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    await new Promise((loaded, failed) => {
      image.onload = loaded;
      image.onerror = () => failed(new Error("the drawing could not be made into a picture"));
      image.src = address;
    });
    const { width, height } = image;
    const scale = Math.min(2, LARGEST_SIDE / width, LARGEST_SIDE / height, Math.sqrt(MOST_PIXELS / (width * height)));
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [Math.ceil(width * scale), Math.ceil(height * scale)];
    const context = canvas.getContext("2d")!;
    context.scale(scale, scale);
    context.drawImage(image, 0, 0);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (blob === null) throw new Error("the drawing is too large for a picture");
    return blob;
  } finally {
    URL.revokeObjectURL(address);
  }
}

export function isDark(): boolean {
  const { classList } = document.body;
  // Light ones of high contrast bear the class of dark ones as well.
  if (classList.contains("vscode-light") || classList.contains("vscode-high-contrast-light")) return false;
  if (classList.contains("vscode-dark") || classList.contains("vscode-high-contrast")) return true;
  return matchMedia("(prefers-color-scheme: dark)").matches;
}


async function save(name: string, blob: Blob): Promise<void> {
  if (inEditor) {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    let binary = "";
    for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    tell({ type: "save", name, base64: btoa(binary) });
    return;
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
