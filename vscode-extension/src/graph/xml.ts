import { printable } from "./measure";

/** Text for SVG and HTML, in elements and between double quotes; line breaks stay. */
export function escaped(content: string): string {
  return content
    .split("\n")
    .map(printable)
    .join("\n")
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
