// The open and closed operators.
import type { GraphModel } from "../model";

/** Opens a closed operator, or closes an open one. `toggled` has the operators that differ from the start. */
export function toggle(toggled: Set<string>, path: string): void {
  if (!toggled.delete(path)) toggled.add(path);
}

/** Opens all that is around a node; whether anything was closed. */
export function openAround(model: GraphModel, toggled: Set<string>, path: string): boolean {
  let changed = false;
  const steps = path.split("/");
  let body = model.bodies[0];
  for (let depth = 1; depth < steps.length; depth++) {
    const node = body.nodes.find((each) => each.name === steps[depth - 1]);
    if (node?.body === undefined) break;
    const around = steps.slice(0, depth).join("/");
    const open = toggled.has(around) !== (node.kind === "part");
    if (!open) {
      changed = true;
      toggle(toggled, around);
    }
    body = model.bodies[node.body];
  }
  return changed;
}
