/** The page of the table of shapes: draws rows, sorts and filters them, and tells its host what is clicked. */
import "./page.css";
import type { FromPage, ToPage } from "./messages";
import type { Row } from "./rows";
import { COLUMNS, clicked, visible, type Order } from "./table";

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void;
  getState(): { filter: string; order: Order } | undefined;
  setState(state: { filter: string; order: Order }): void;
};

// More rows than anybody reads; a filter finds the others.
const MOST_ROWS = 3_000;

const host = acquireVsCodeApi();
const state = host.getState() ?? { filter: "", order: { column: undefined, descending: false } as Order };
let rows: readonly Row[] = [];
let cursor = 0;

const title = element("h1");
const filter = element("input", { type: "search", placeholder: "Filter", ariaLabel: "Filter tensors", value: state.filter });
const count = element("span", { className: "count" });
const note = element("p", { className: "note" });
const head = element("thead");
const body = element("tbody");
const table = element("table", {}, head, body);
const header = element("header", {}, title, filter, count);
document.body.append(header, note, element("main", {}, table));
table.setAttribute("aria-label", "Composed shapes");

filter.addEventListener("input", () => {
  state.filter = filter.value;
  draw();
});
body.addEventListener("click", (event) => reveal((event.target as Element).closest("tr")));
body.addEventListener("keydown", (event) => {
  const row = (event.target as Element).closest("tr");
  if (event.key === "Enter" || event.key === " ") reveal(row);
  else if (event.key === "ArrowDown") (row?.nextElementSibling as HTMLElement | null)?.focus();
  else if (event.key === "ArrowUp") (row?.previousElementSibling as HTMLElement | null)?.focus();
  else return;
  event.preventDefault();
});
addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  if (data.type === "cursor") {
    cursor = data.line;
    mark();
    return;
  }
  const hasTable = data.type === "table";
  header.hidden = table.hidden = !hasTable;
  note.textContent = data.note;
  rows = hasTable ? data.rows : [];
  if (hasTable) title.replaceChildren(data.graph, element("span", { className: "attributes" }, ` ${data.attributes}`));
  draw();
});
host.postMessage({ type: "ready" });

function draw(): void {
  host.setState(state);
  const { order } = state;
  head.replaceChildren(
    element("tr", {}, ...COLUMNS.map(({ column, title }) => {
      const button = element("button", { type: "button" }, title);
      button.addEventListener("click", () => {
        state.order = clicked(state.order, column);
        draw();
        head.querySelector<HTMLElement>(`th.${column} button`)?.focus();
      });
      const cell = element("th", { className: column, scope: "col" }, button);
      cell.ariaSort = order.column !== column ? "none" : order.descending ? "descending" : "ascending";
      return cell;
    })),
  );
  const found = visible(rows, state.filter, order);
  body.replaceChildren(...found.slice(0, MOST_ROWS).map(drawn));
  const all = `${rows.length} tensor${rows.length === 1 ? "" : "s"}`;
  count.textContent = found.length === rows.length ? all : `${found.length} of ${all}`;
  if (found.length > MOST_ROWS) count.textContent += `, the first ${MOST_ROWS} shown`;
  mark();
}

function drawn(row: Row): HTMLTableRowElement {
  const name = element("td", { className: "name" }, row.name);
  if (row.kind !== "") name.append(element("span", { className: "kind" }, row.kind));
  if (row.part !== "") name.append(element("span", { className: "part" }, `  in ${row.part}`));
  const line = element(
    "tr",
    { tabIndex: 0, title: row.line === null ? row.name : `${row.name}, line ${row.line}` },
    name,
    element("td", { className: "dtype" }, row.dtype),
    element("td", { className: row.isDynamic ? "shape dynamic" : "shape" }, row.shape),
    element("td", { className: "bound" }, row.bound),
    element("td", { className: "bytes" }, row.bytes === null ? "" : row.bytes.toLocaleString("en")),
    element("td", { className: "producer" }, row.producer),
  );
  line.dataset["line"] = String(row.line ?? "");
  line.dataset["name"] = row.name;
  return line;
}

function mark(): void {
  let first: Element | undefined;
  for (const row of body.rows) {
    const isCurrent = row.dataset["line"] === String(cursor);
    row.classList.toggle("current", isCurrent);
    if (isCurrent) first ??= row;
  }
  first?.scrollIntoView({ block: "nearest" });
}

function reveal(row: HTMLTableRowElement | null): void {
  const line = Number(row?.dataset["line"]);
  if (row && line > 0) host.postMessage({ type: "reveal", line, name: row.dataset["name"] ?? "" });
}

function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, properties: Partial<HTMLElementTagNameMap[K]> = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
