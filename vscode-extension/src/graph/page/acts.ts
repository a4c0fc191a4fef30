// Actions of the user with keys and with the pointer.
import type { Item } from "../draw";
import type { Canvas } from "./canvas";
import type { Finder } from "./finder";
import { reveal } from "./host";
import { edgesOf, linked, targetOf } from "./linked";
import type { Selection } from "./selection";

const STEP = 80;

export function followKeys(canvas: Canvas, selection: Selection, finder: Finder, toggle: (path: string) => void): void {
  const onSelected = (act: (item: Item) => void) => () => {
    if (selection.item !== undefined) act(selection.item);
  };
  const acts: Record<string, () => void> = {
    "+": () => canvas.zoom(1.25),
    "=": () => canvas.zoom(1.25),
    "-": () => canvas.zoom(0.8),
    "0": () => canvas.fit(),
    "/": () => finder.focus(),
    Escape: () => selection.select(undefined),
    Enter: onSelected((item) => item.node!.body !== undefined && toggle(item.path)),
    " ": onSelected((item) => item.node!.location !== null && reveal(item.node!.location)),
    ArrowDown: () => selection.neighbour(1),
    ArrowUp: () => selection.neighbour(-1),
    ArrowRight: () => selection.besides(1),
    ArrowLeft: () => selection.besides(-1),
    "shift ArrowDown": () => canvas.pan(0, -STEP),
    "shift ArrowUp": () => canvas.pan(0, STEP),
    "shift ArrowRight": () => canvas.pan(-STEP, 0),
    "shift ArrowLeft": () => canvas.pan(STEP, 0),
    PageDown: () => canvas.pan(0, -canvas.window().height * 0.9),
    PageUp: () => canvas.pan(0, canvas.window().height * 0.9),
    Home: () => canvas.start(),
  };
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "f") {
      finder.focus();
      event.preventDefault();
      return;
    }
    const busy = event.target instanceof HTMLInputElement || event.target instanceof HTMLButtonElement;
    if (busy || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = acts[`${event.shiftKey && event.key.startsWith("Arrow") ? "shift " : ""}${event.key}`];
    if (act === undefined) return;
    act();
    event.preventDefault();
  });
}

export function followPointer(canvas: Canvas, selection: Selection, toggle: (path: string) => void): void {
  const { element } = canvas;
  const itemOf = (event: MouseEvent): Item | undefined => {
    const hit = (event.target as Element).closest(".node, .edge");
    return hit === null ? undefined : canvas.itemOf(hit);
  };
  element.addEventListener("click", (event) => {
    if (element.classList.contains("moving")) return;
    const item = itemOf(event);
    if (item?.node?.body !== undefined && (event.target as Element).closest(".toggle") !== null) return toggle(item.path);
    const mark = (event.target as Element).closest(".reference");
    if (item !== undefined && mark !== null) return selection.select(canvas.item(targetOf(item, edgesOf(mark))));
    selection.select(item, false);
    if (item?.node?.location?.uri !== undefined) reveal(item.node.location);
  });
  element.addEventListener("pointerover", (event) => {
    const mark = (event.target as Element).closest(".reference");
    const item = mark === null ? undefined : itemOf(event);
    selection.point(item === undefined ? new Set() : linked(item, edgesOf(mark!)));
  });
  element.addEventListener("dblclick", (event) => {
    const item = itemOf(event);
    if (item?.node?.body !== undefined && (event.target as Element).closest(".toggle") === null) toggle(item.path);
  });
}
