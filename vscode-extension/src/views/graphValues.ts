/** Values of an evaluation, as the drawing of a graph shows them. */
import type { Values } from "../graph/model";
import type { Statistics, TensorValue } from "../protocol";

/** Returns values by the names of tensors; of several iterations, the last. */
export function valuesOf(tensors: readonly TensorValue[]): Values {
  const values: Values = {};
  const add = (tensor: TensorValue): void => {
    if (tensor.items !== undefined) {
      tensor.items.forEach(add);
      return;
    }
    if (tensor.statistics === undefined || tensor.statistics === null) return;
    const shape = (tensor.shape ?? []).join(",");
    const lines = [`${tensor.dtype}[${shape}]`, ...Object.entries(tensor.statistics).map(([name, value]) => `${name} = ${number(value)}`)];
    values[tensor.name] = { summary: summaryOf(tensor.statistics, tensor.values), text: lines.join("\n") };
  };
  tensors.forEach(add);
  return values;
}

function summaryOf(statistics: Statistics, whole: unknown): string {
  if (statistics.n === 1 && (typeof whole === "number" || typeof whole === "boolean")) return String(number(whole));
  if (statistics.nan !== undefined && statistics.nan > 0) return `${statistics.nan} NaN of ${statistics.n}`;
  if (statistics.mean !== undefined && statistics.std !== undefined) return `μ ${number(statistics.mean)}  σ ${number(statistics.std)}`;
  if (statistics.true !== undefined) return `${statistics.true} of ${statistics.n} true`;
  if (statistics.min !== undefined) return `${number(statistics.min)} … ${number(statistics.max)}`;
  return `n ${statistics.n}`;
}

function number(value: unknown): string {
  return typeof value === "number" && !Number.isInteger(value) ? String(Number(value.toPrecision(3))) : String(value);
}
