/** The results of a graph, as Markdown. Knows nothing of VS Code. */
import type { GraphAnswer, Statistics, TensorValue } from "../protocol";

const MOST_TEXT = 10_000;

export interface Evaluated {
  readonly file: string;
  readonly graph: string;
  readonly attributes: readonly string[];
  readonly inputs: readonly string[];
  readonly answer: GraphAnswer;
}

export function valuesMarkdown({ file, graph, attributes, inputs, answer }: Evaluated): string {
  const lines = [`# ${graph}`, "", `*${file}*`, ""];
  const given = [...attributes, ...inputs].map((each) => `\`${each}\``);
  if (given.length > 0) lines.push(`Given: ${given.join(", ")}`, "");
  const problems = answer.diagnostics.filter((each) => each.severity === "error" || each.severity === "warning");
  for (const { severity, message, rule, range } of problems) {
    lines.push(`- **${severity}** ${message} (${rule}, line ${range.start.line})`);
  }
  if (problems.length > 0) lines.push("");
  if (answer.outputs.length > 0) lines.push("## Outputs", "", ...table(answer.outputs));
  const drawn = answer.random.inputs;
  if (drawn.length > 0) lines.push("## Inputs that were made", "", ...table(drawn));
  const variables = answer.random.variables;
  if (variables.length > 0) lines.push(`Variables that were drawn: ${variables.map((each) => `\`${each}\``).join(", ")}`, "");
  for (const tensor of answer.outputs.flatMap(flat)) {
    if (tensor.values === null || tensor.values === undefined) continue;
    lines.push(`## ${tensor.name}`, "", "```text", valuesText(tensor.values), "```", "");
  }
  if (answer.seconds) {
    lines.push(`Composed in ${answer.seconds.composing.toFixed(3)} s, run in ${answer.seconds.running.toFixed(3)} s.`);
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

function table(tensors: readonly TensorValue[]): string[] {
  const rows = tensors.flatMap(flat).map((each) => {
    const type = each.dtype ? `${each.dtype}[${(each.shape ?? []).join(",")}]` : "null";
    return `| ${cell(each.name)} | ${cell(type)} | ${cell(statisticsText(each.statistics ?? undefined))} |`;
  });
  return ["| tensor | type | values |", "|---|---|---|", ...rows, ""];
}

export function statisticsText(statistics: Statistics | undefined): string {
  if (statistics === undefined) return "";
  const { n, min, max, mean, std, nan, inf, distinct } = statistics;
  const parts = [`n=${n}`];
  if (min !== undefined && min !== null) parts.push(`[${number(min)}, ${number(max)}]`);
  if (mean !== undefined && mean !== null) parts.push(`μ=${number(mean)}`);
  if (std !== undefined && std !== null) parts.push(`σ=${number(std)}`);
  if (nan) parts.push(`nan=${nan}`);
  if (inf) parts.push(`inf=${inf}`);
  if (statistics.true !== undefined) parts.push(`true=${statistics.true}`);
  if (distinct !== undefined) parts.push(`distinct=${distinct}`);
  return parts.join(" ");
}

function valuesText(values: unknown): string {
  const text = Array.isArray(values) && values.some(Array.isArray)
    ? `[${values.map((each) => JSON.stringify(each)).join(",\n ")}]`
    : JSON.stringify(values);
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)} …` : text;
}

function number(value: number | string | null | undefined): string {
  return typeof value === "number" ? String(Number(value.toPrecision(4))) : String(value);
}

function flat(tensor: TensorValue): TensorValue[] {
  return tensor.items === undefined ? [tensor] : tensor.items.flatMap(flat);
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
