/** A syntax tree as text, a node in each line. Knows nothing of VS Code. */
import type { SyntaxNode } from "../protocol";

export interface TreeText {
  readonly text: string;
  /** The node of each line. */
  readonly nodes: readonly SyntaxNode[];
}

export function treeText(root: SyntaxNode): TreeText {
  const lines: string[] = [];
  const nodes: SyntaxNode[] = [];
  const open: [SyntaxNode, number][] = [[root, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, depth] = next;
    const { start, end } = node.range;
    const place = `[${start.line + 1}:${start.character + 1} - ${end.line + 1}:${end.character + 1}]`;
    const text = node.text === undefined ? "" : ` ${JSON.stringify(node.text)}`;
    lines.push(`${"  ".repeat(depth)}${node.kind}${text} ${place}${node.cut === true ? " …" : ""}`);
    nodes.push(node);
    for (const child of [...(node.children ?? [])].reverse()) open.push([child, depth + 1]);
  }
  return { text: `${lines.join("\n")}\n`, nodes };
}

/** The line of the innermost node around a position. */
export function lineOf(nodes: readonly SyntaxNode[], at: { line: number; character: number }): number {
  let found = 0;
  for (const [line, { range }] of nodes.entries()) {
    if (!isBefore(at, range.start) && !isBefore(range.end, at)) found = line;
  }
  return found;
}

function isBefore(a: { line: number; character: number }, b: { line: number; character: number }): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
