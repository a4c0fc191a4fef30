import assert from "node:assert/strict";
import { test } from "node:test";
import type { ComposedGraph, GraphAnswer, SampleAnswer, SyntaxNode } from "../../src/protocol";
import { added, codePoints, moved, optionsOf, removed, renamed, signatureOf } from "../../src/commands/signature";
import { titleOf, verdictOf } from "../../src/testing/verdict";
import { beside, cellText, slices } from "../../src/views/flow/cells";
import { placeOfName } from "../../src/views/shapes/place";
import { rowsOf } from "../../src/views/shapes/rows";
import { clicked, visible, type Order } from "../../src/views/shapes/table";
import { lineOf, treeText } from "../../src/views/treeText";
import { valuesMarkdown } from "../../src/views/valueText";

// ---- shapes ---------------------------------------------------------------------------------------------------------
const tensor = (name: string, shape: (number | string)[], bound: (number | null)[] = shape as number[], line = 1) => ({
  name, dtype: "real", shape, bound, line,
});
const operation = (operator: string, outputs: ComposedGraph["operations"][0]["outputs"], more = {}) => ({
  operator, label: null, attributes: {}, inputs: [], outputs, line: 1, macs: 0, ...more,
});
const GRAPH: ComposedGraph = {
  graph: "net", attributes: {}, diagnostics: [],
  inputs: [tensor("x", [2, 3])],
  outputs: [tensor("y", ["n", 3], [7, 3])],
  variables: [tensor("f.w", [10])],
  tensors: [
    tensor("x", [2, 3]), tensor("y", ["n", 3], [7, 3], 4), tensor("f.w", [10]), tensor("z", ["m"], [null], 5),
    { name: "p", dtype: "bool", line: 6, items: [{ ...tensor("p:0", [8]), dtype: "bool" }, { ...tensor("p:1", [9]), dtype: "bool" }] },
    { name: "u", dtype: "real", shape: null, bound: null, line: 7 },
  ],
  operations: [
    operation("select", ["y"], { label: "f" }),
    operation("layout.split", [["p:0", "p:1"]]),
    operation("do", ["z"], {
      subgraphs: { body: { inputs: [], outputs: [], tensors: [tensor("t", [4], [4], 9)], operations: [operation("math.exp", ["t"])] } },
    }),
  ],
};

test("a row for each tensor, with what makes it and what it takes", () => {
  const rows = rowsOf(GRAPH);
  assert.deepEqual(rows.map((each) => each.name), ["x", "y", "f.w", "z", "p:0", "p:1", "u", "t"]);
  const [x, y, w, z, p, , u, t] = rows as [typeof rows[0], ...typeof rows];
  assert.deepEqual([x!.kind, y!.kind, w!.kind, z!.kind], ["input", "output", "variable", ""]);
  assert.deepEqual([x!.bytes, y!.bytes, w!.bytes, z!.bytes, p!.bytes, u!.bytes], [24, 84, 40, null, 8, null]);
  assert.deepEqual([y!.shape, y!.bound, y!.isDynamic], ["[n,3]", "[7,3]", true]);
  assert.deepEqual([x!.bound, z!.bound, u!.shape], ["", "[?]", "?"]);
  assert.deepEqual([y!.producer, p!.producer, t!.producer], ["select f", "layout.split", "math.exp"]);
  assert.deepEqual([t!.part, p!.line], ["do body", 6]);
});

test("rows that are filtered and sorted", () => {
  const rows = rowsOf(GRAPH);
  const names = (filter: string, order: Order) => visible(rows, filter, order).map((each) => each.name);
  const natural: Order = { column: undefined, descending: false };
  assert.deepEqual(names("", natural), rows.map((each) => each.name));
  assert.deepEqual(names("split P", natural), ["p:0", "p:1"]);
  assert.deepEqual(names("no such", natural), []);
  assert.deepEqual(names("", { column: "bytes", descending: true }).slice(0, 2), ["y", "f.w"]);
  assert.deepEqual(names("", { column: "name", descending: false }).slice(0, 2), ["f.w", "p:0"]);
});

test("clicks on the head of a column", () => {
  let order: Order = { column: undefined, descending: false };
  order = clicked(order, "bytes");
  assert.deepEqual(order, { column: "bytes", descending: false });
  order = clicked(order, "bytes");
  assert.deepEqual(order, { column: "bytes", descending: true });
  assert.deepEqual(clicked(order, "name"), { column: "name", descending: false });
  assert.equal(clicked(order, "bytes").column, undefined);
});

test("where a tensor's name stands", () => {
  assert.deepEqual(placeOfName("    xy, x = f(x);", "x"), [8, 9]);
  assert.deepEqual(placeOfName("  conv1 = nn.conv(x);", "conv1.filter"), [2, 7]);
  assert.deepEqual(placeOfName("  ps = split(x);", "ps:1"), [2, 4]);
  assert.deepEqual(placeOfName("  y, ps = split(x);", "ps[0][12]"), [5, 7]);
  assert.deepEqual(placeOfName("  größe = f(x);  ", "grö"), [2, 15], "all that is written, if it is not there");
  assert.deepEqual(placeOfName("a + b", "a+"), [0, 5]);
  assert.deepEqual(placeOfName("", ""), [0, 0]);
});

// ---- the syntax tree ------------------------------------------------------------------------------------------------
const range = (a: number, b: number, c: number, d: number) => ({ start: { line: a, character: b }, end: { line: c, character: d } });
const TREE: SyntaxNode = {
  kind: "File", range: range(0, 0, 3, 0),
  children: [
    { kind: "Import", range: range(0, 0, 0, 9), children: [{ kind: "Name", range: range(0, 7, 0, 8), text: 'a"\n' }] },
    { kind: "Definition", range: range(1, 0, 2, 1), cut: true },
  ],
};

test("a tree as text, a node in each line", () => {
  const { text, nodes } = treeText(TREE);
  assert.equal(text, 'File [1:1 - 4:1]\n  Import [1:1 - 1:10]\n    Name "a\\"\\n" [1:8 - 1:9]\n  Definition [2:1 - 3:2] …\n');
  assert.equal(nodes.length, text.trimEnd().split("\n").length);
  assert.equal(lineOf(nodes, { line: 0, character: 7 }), 2);
  assert.equal(lineOf(nodes, { line: 1, character: 4 }), 3);
  assert.equal(lineOf(nodes, { line: 2, character: 9 }), 0);
});

test("a tree that is deep does not end the program", () => {
  let node: SyntaxNode = { kind: "Leaf", range: range(0, 0, 0, 1) };
  for (let depth = 0; depth < 20_000; depth++) node = { kind: "N", range: node.range, children: [node] };
  assert.equal(treeText(node).nodes.length, 20_001);
});

// ---- values ---------------------------------------------------------------------------------------------------------
test("what came out of a graph, as Markdown", () => {
  const answer: GraphAnswer = {
    outputs: [
      { name: "y", dtype: "real", shape: [2], statistics: { n: 2, min: 0, max: 1.23456789, mean: "nan", std: 1e-9, nan: 1, inf: 0 }, values: [0, "nan"] },
      { name: "none", dtype: null, shape: null, statistics: null, values: null },
      { name: "ps", items: [{ name: "ps:0", dtype: "bool", shape: [], statistics: { n: 1, true: 1 }, values: true }] },
    ],
    random: { inputs: [{ name: "x|y", dtype: "real", shape: [4], statistics: { n: 4 } }], variables: ["w"] },
    seconds: { composing: 0.5, running: 0.25 },
    diagnostics: [{ path: "", rule: "some-rule", severity: "error", message: "wrong", range: { start: { line: 3, column: 1 } } }],
  };
  const text = valuesMarkdown({ file: "m.sknd", graph: "net", attributes: ["a=1"], inputs: ["x=ones[4]"], answer });
  for (const part of ["# net", "`a=1`, `x=ones[4]`", "**error** wrong (some-rule, line 3)", "| y | real[2] | n=2 [0, 1.235] μ=nan σ=1e-9 nan=1 |",
    "| none | null |  |", "| ps:0 | bool[] | n=1 true=1 |", "x\\|y", "`w`", '[0,"nan"]', "Composed in 0.500 s, run in 0.250 s."]) {
    assert.ok(text.includes(part), `${part} in\n${text}`);
  }
});

// ---- samples as tests -----------------------------------------------------------------------------------------------
const LINES = ["# >>> f(1.0)", "# y: real[] = 2.0", "# z: real[] = 5.0"];
const ANSWER: SampleAnswer = { age: "fresh", status: "ok", rule: null, message: null, seconds: 0.1, results: [] };
const result = (name: string, text: string, difference: string | null) => ({ name, text, brief: text.replace(" nan=0", ""), recorded: true, difference });

test("verdicts on samples", () => {
  assert.equal(verdictOf(ANSWER, LINES).kind, "passed");
  assert.equal(verdictOf({ ...ANSWER, status: "error as expected" }, LINES).kind, "passed");
  assert.equal(verdictOf({ ...ANSWER, status: "nothing recorded" }, LINES).kind, "skipped");
  const differs = verdictOf({ ...ANSWER, status: "differs", results: [result("y", "y: real[] = 2.0", null), result("z", "z: real[] = 4.0", "1 of 1")] }, LINES);
  assert.equal(differs.kind, "failed");
  assert.deepEqual(differs.failures, [{ message: "z: 1 of 1", expected: "z: real[] = 5.0", actual: "z: real[] = 4.0", line: 2 }]);
  const large = "y: real[200] n=200 x∈[0, 1] μ=0.5 σ=0.3";
  const output = verdictOf({ ...ANSWER, results: [result("y", `${large} nan=0`, null)] }, LINES).output;
  assert.equal(output, `${large}\n`);
  const failure = verdictOf({ ...ANSWER, age: "failed", status: "failed", rule: "sample-fails", message: "overflow" }, LINES);
  assert.deepEqual([failure.kind, failure.failures[0]!.message], ["failed", "overflow (sample-fails)"]);
  assert.equal(verdictOf({ ...ANSWER, age: "over limit", status: "failed" }, LINES).kind, "error");
  assert.equal(verdictOf({ ...ANSWER, status: "invalid" }, LINES).kind, "error");
  const other = verdictOf({ ...ANSWER, status: "differs", message: "too deep" }, ["# >>> f()", "# error: too high"]);
  assert.deepEqual(other.failures, [{ message: "too deep", expected: "error: too high", actual: "error: too deep", line: 1 }]);
});

test("the code of a sample in one line", () => {
  assert.equal(titleOf("# >>> add(1.0,\n# ...     2.0)"), "add(1.0, 2.0)");
  assert.equal(titleOf(">>> f(x)"), "f(x)");
});

// ---- data flow ------------------------------------------------------------------------------------------------------
test("cells of a tensor are slices along its last two dimensions", () => {
  const found = slices({ name: "x", shape: [2, 3, 4], cells: [[0, 1, 2], [1, 0, 0], [0, 2, null]] });
  assert.deepEqual(found.map(({ at, rows, columns }) => [at, rows, columns]), [[[0], 3, 4], [[1], 3, 4]]);
  assert.deepEqual(found[0]?.filled, [[1, 2], [2, 0], [2, 1], [2, 2], [2, 3]]);
});

test("a vector is one row, and a scalar one cell", () => {
  const vector = { name: "v", shape: [5], cells: [[3]] };
  const scalar = { name: "s", shape: [], cells: [[]] };
  assert.deepEqual(slices(vector), [{ at: [], rows: 1, columns: 5, filled: [[0, 3]] }]);
  assert.deepEqual(slices(scalar), [{ at: [], rows: 1, columns: 1, filled: [[0, 0]] }]);
  assert.equal(cellText(vector, slices(vector)[0]!, 0, 4), "v[4]");
  assert.equal(cellText(scalar, slices(scalar)[0]!, 0, 0), "s[]");
});

test("a cell as the server reads it, and the cell beside it", () => {
  const tensor = { name: "xs[1]", shape: [2, 3, 4], cells: [[null, 1, 2]] };
  const slice = slices(tensor)[0]!;
  assert.equal(cellText(tensor, slice, 2, 3), "xs[1][0,2,3]");
  assert.deepEqual(beside(slice, 1, 2, "ArrowDown"), [2, 2]);
  assert.deepEqual(beside(slice, 1, 2, "ArrowRight"), [1, 3]);
  assert.equal(beside(slice, 2, 3, "ArrowDown"), undefined);
  assert.equal(beside(slice, 2, 3, "Enter"), undefined);
});

// ---- signatures -----------------------------------------------------------------------------------------------------
test("a signature that was changed becomes the options of the command", () => {
  let signature = signatureOf(["k", "unused"], ["x", "z", "w"]);
  assert.deepEqual(optionsOf(signature), {
    attributes: [{ was: "k" }, { was: "unused" }], inputs: [{ was: "x" }, { was: "z" }, { was: "w" }],
  });
  signature = removed(moved(renamed(signature, "inputs", 0, "u"), "inputs", 0, 1), "attributes", 1);
  signature = added(signature, "attributes", { name: "stride", type: "int", default: "1" });
  assert.deepEqual(optionsOf(signature), {
    attributes: [{ was: "k" }, { name: "stride", type: "int", default: "1" }],
    inputs: [{ was: "z" }, { was: "x", name: "u" }, { was: "w" }],
  });
});

test("a parameter at an end stays there", () => {
  const signature = signatureOf([], ["x", "z"]);
  assert.deepEqual(moved(signature, "inputs", 0, -1), signature);
  assert.deepEqual(moved(signature, "inputs", 1, 1), signature);
});

test("offsets are code points", () => {
  assert.equal(codePoints("# é𝄞\n"), 5);
});
