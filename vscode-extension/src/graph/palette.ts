// The colours of a drawing, light and dark, and the rules that give them to its parts.
import { FONT } from "./measure";

type Name =
  | "background" | "node" | "inside" | "border" | "text" | "quiet" | "edge" | "dynamic" | "accent"
  | "operation" | "composed" | "control" | "input" | "output" | "variable" | "constant" | "match";
export type Palette = Record<Name, string>;

export const LIGHT: Palette = {
  background: "#ffffff", node: "#ffffff", inside: "#f7f8fa", border: "#c3cad4", text: "#1f2733", quiet: "#667284",
  edge: "#8c98a8", dynamic: "#a4480f", accent: "#0b6bcb",
  operation: "#e8eef6", composed: "#dde9e4", control: "#efe6f5", input: "#e3f0e4", output: "#fbe9d3",
  variable: "#eef0f3", constant: "#f6f1dc", match: "#ffe08a",
};

export const DARK: Palette = {
  background: "#1f2228", node: "#292d35", inside: "#24272e", border: "#4a5260", text: "#e3e7ee", quiet: "#98a3b3",
  edge: "#76828f", dynamic: "#f0a066", accent: "#58a6ff",
  operation: "#32405a", composed: "#2d4a43", control: "#463659", input: "#2b4630", output: "#56422a",
  variable: "#363c47", constant: "#48432b", match: "#7a6018",
};

/** The rules, with colours as `colour` writes them. */
export function rules(colour: (name: Name) => string): string {
  const kinds = (["operation", "composed", "control", "input", "output", "variable", "constant"] as const)
    .map((kind) => `.snd .${kind}{fill:${colour(kind)}}`)
    .join("");
  return (
    `.snd text{font-family:${FONT};font-size:11px;fill:${colour("text")};white-space:pre}` +
    `.snd .back{fill:${colour("background")}}` +
    `.snd .box{fill:${colour("node")};stroke:${colour("border")}}` +
    `.snd .inside{fill:${colour("inside")};stroke:${colour("border")}}` +
    kinds +
    `.snd .pill{stroke:${colour("border")}}` +
    `.snd .part,.snd .capture{fill:${colour("node")};stroke-dasharray:4 3}` +
    `.snd .title{font-size:13px;font-weight:bold}.snd .name{font-size:12px;font-weight:bold}` +
    `.snd .label{font-size:12px}` +
    `.snd .label,.snd .key,.snd .more,.snd .shape{fill:${colour("quiet")}}` +
    `.snd .dynamic{fill:${colour("dynamic")};font-weight:bold;font-style:italic}` +
    `.snd .chip{fill:${colour("node")};stroke:${colour("accent")};stroke-opacity:.6}` +
    `.snd .mention{fill:${colour("accent")};font-weight:bold}` +
    `.snd .stat{fill:${colour("accent")}}` +
    `.snd .wire{fill:none;stroke:${colour("edge")};stroke-width:1.3}` +
    `.snd .wire.dim{stroke-dasharray:5 3;stroke:${colour("dynamic")}}` +
    `.snd .tip{fill:${colour("edge")}}` +
    `.snd .quantized{fill:${colour("node")};stroke:${colour("dynamic")}}` +
    `.snd .mark{font-size:9px;font-weight:bold;fill:${colour("dynamic")}}` +
    `.snd .chevron{fill:none;stroke:${colour("quiet")};stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}`
  );
}

/** For a file that stands alone: as light or dark as whoever looks at it likes it, or as is asked for. */
export function standaloneRules(theme: "auto" | "light" | "dark"): string {
  if (theme !== "auto") return rules((name) => (theme === "dark" ? DARK : LIGHT)[name]);
  return `${rules((name) => LIGHT[name])}@media (prefers-color-scheme:dark){${rules((name) => DARK[name])}}`;
}

/** For a page, which sets the variables. */
export function pageRules(): string {
  const variables = (palette: Palette): string =>
    Object.entries(palette).map(([name, value]) => `--snd-${name}:${value}`).join(";");
  return (
    `:root{${variables(LIGHT)}}` +
    `@media (prefers-color-scheme:dark){:root{${variables(DARK)}}}` +
    `body.vscode-light{${variables(LIGHT)}}` +
    `body.vscode-dark,body.vscode-high-contrast{${variables(DARK)}}` +
    `body.vscode-high-contrast-light{${variables(LIGHT)}}` +
    "body.vscode-high-contrast{--snd-border:var(--vscode-contrastBorder,#6fc3df);--snd-edge:var(--snd-text);--snd-quiet:var(--snd-text)}" +
    rules((name) => `var(--snd-${name})`)
  );
}
