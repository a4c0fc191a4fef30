// Widths of texts, without a browser: drawings are the same wherever they are made. The fonts asked for have the
// metrics of Helvetica, and every text is given its length, so that others are fitted.

export const FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif";

// Thousandths of the size of the font, from the space on.
const WIDTHS = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
  556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
  260, 334, 584,
];
const OTHERS: Record<string, number> = { "×": 584, "…": 1000, "·": 333, "≤": 549, "μ": 556, "σ": 556, "∈": 713, "→": 1000, "↑": 500, "↓": 500 };
const BOLD = 1.07;

export interface Text {
  text: string;
  style: "title" | "name" | "label" | "shape" | "dynamic" | "key" | "value" | "more" | "mention";
  width: number;
}

const SIZES: Record<Text["style"], { size: number; bold: boolean }> = {
  title: { size: 13, bold: true },
  name: { size: 12, bold: true },
  label: { size: 12, bold: false },
  shape: { size: 11, bold: false },
  dynamic: { size: 11, bold: true },
  key: { size: 11, bold: false },
  value: { size: 11, bold: false },
  more: { size: 11, bold: false },
  mention: { size: 11, bold: true },
};

export function text(content: string, style: Text["style"], longest = 40): Text {
  const shown = shortened(printable(content), longest);
  const { size, bold } = SIZES[style];
  let units = 0;
  for (const character of shown) units += WIDTHS[character.codePointAt(0)! - 32] ?? OTHERS[character] ?? 1000;
  return { text: shown, style, width: Math.round((units / 1000) * size * (bold ? BOLD : 1) * 10) / 10 };
}

export function widthOf(texts: Text[]): number {
  return texts.reduce((sum, each) => sum + each.width, 0);
}

export function shortened(content: string, longest: number): string {
  const characters = [...content];
  return characters.length <= longest ? content : `${characters.slice(0, longest - 1).join("")}…`;
}

/** Without characters that have no picture, change the direction of others, or may not stand in XML. */
export function printable(content: string): string {
  return content.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\uFFFE\uFFFF]/gu, "\u{FFFD}");
}
