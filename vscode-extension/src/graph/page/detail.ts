// Details of the selected node or edge.
import { costText, typeText } from "../tips";
import { written } from "../face";
import type { Item } from "../draw";
import type { Place, Port, Value } from "../model";
import { child } from "./elements";

export interface Actions {
  reveal(place: Place): void;
  toggle(path: string): void;
  value(item: Item, tensor: number): Value | undefined;
  close(): void;
}

const KINDS: Record<string, string> = {
  input: "input", capture: "tensor from around", variable: "variable", constant: "constant", output: "output",
  update: "new value of a variable", operation: "operation", branch: "branch", loop: "loop", part: "part of control flow",
};

export function showDetail(panel: HTMLElement, item: Item | undefined, actions: Actions): void {
  panel.replaceChildren();
  panel.hidden = item === undefined;
  if (item === undefined) return;
  const close = child(panel, "button", { class: "close", title: "Close (Escape)", "aria-label": "Close details" }, "×");
  close.onclick = actions.close;
  if (item.edge !== undefined) return showEdge(panel, item, actions);
  const node = item.node!;
  child(panel, "h2", {}, node.title);
  child(panel, "p", { class: "quiet" }, [KINDS[node.kind], node.label ?? ""].filter(Boolean).join(" · "));
  const buttons = child(panel, "div", { class: "buttons" });
  if (node.body !== undefined) {
    child(buttons, "button", {}, item.open ? "Close it" : "Look inside").onclick = () => actions.toggle(item.path);
  }
  placeButton(buttons, "Go to source", node.location, actions);
  if (node.definition !== undefined) placeButton(buttons, "Definition", node.definition, actions);
  if ((node.attributes ?? []).length > 0) {
    child(panel, "h3", {}, "Attributes");
    const table = child(panel, "table");
    for (const each of node.attributes!) {
      const row = child(table, "tr", each.default ? { class: "quiet", title: "by default" } : {});
      child(row, "th", { scope: "row" }, each.name);
      child(row, "td", {}, each.text);
    }
  }
  showPorts(panel, "Inputs", node.inputs, item, actions);
  showPorts(panel, "Outputs", node.outputs, item, actions);
  const cost = costText(node);
  if (cost !== undefined) {
    child(panel, "h3", {}, "Cost");
    child(panel, "p", {}, cost);
  }
  if (node.cut) child(panel, "p", { class: "quiet" }, "What it is composed of is left out: the graph is too large.");
}

function showEdge(panel: HTMLElement, item: Item, actions: Actions): void {
  const { edge, body } = item;
  child(panel, "h2", {}, edge!.tensors.length === 1 ? body.tensors[edge!.tensors[0]].name : `${edge!.tensors.length} tensors`);
  const from = body.nodes[edge!.source[0]].title;
  child(panel, "p", { class: "quiet" }, `from ${from} to ${body.nodes[edge!.target[0]].title}`);
  placeButton(child(panel, "div", { class: "buttons" }), "Go to source", body.tensors[edge!.tensors[0]].location, actions);
  for (const tensor of edge!.tensors.slice(0, 50)) showTensor(panel, tensor, item, actions);
}

function showPorts(panel: HTMLElement, title: string, ports: Port[], item: Item, actions: Actions): void {
  if (ports.length === 0) return;
  child(panel, "h3", {}, title);
  for (const port of ports) {
    const entry = child(panel, "div", { class: "port" });
    if (port.name !== null) child(entry, "span", { class: "formal" }, port.name);
    if (port.tensors.length === 0) child(entry, "div", { class: "tensor" }, port.value === null || port.value === undefined ? "nothing" : written(port.value));
    for (const tensor of port.tensors.slice(0, 20)) showTensor(entry, tensor, item, actions);
    if (port.tensors.length > 20) child(entry, "div", { class: "quiet" }, `… ${port.tensors.length - 20} more`);
  }
}

function showTensor(parent: HTMLElement, number: number, item: Item, actions: Actions): void {
  const tensor = item.body.tensors[number];
  const line = child(parent, "div", { class: "tensor" });
  child(line, "b", {}, tensor.name);
  child(line, "span", {}, `: ${typeText(tensor)}`);
  const value = actions.value(item, number);
  if (value !== undefined) child(parent, "pre", {}, value.text);
}

function placeButton(parent: HTMLElement, title: string, place: Place | null, actions: Actions): void {
  if (place === null) return;
  if (place.uri !== undefined) {
    child(parent, "button", {}, title).onclick = () => actions.reveal(place);
    return;
  }
  const line = `${place.path}:${place.range.start.line}`;
  child(parent, "span", { class: "quiet", title: line }, `${title === "Definition" ? "defined in " : ""}${line}`);
}
