/** The settings for the server: only those that somebody made. The server knows the defaults of the others. */
import * as vscode from "vscode";
import { contributions } from "./contributions";
import { nested } from "./nested";

export const SECTION = "snd";

/** Keys that concern the extension alone. */
const OWN = /^(server|trace)(\.|$)/;
/** The defaults of this client: its hovers show pictures. */
const OURS: Readonly<Record<string, unknown>> = { "evaluation.pictures": true };

/** The settings for a scope, as the server reads them. */
export function serverSettings(scope: vscode.Uri | undefined, keys: readonly string[]): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration(SECTION, scope);
  const made: Record<string, unknown> = {};
  for (const key of keys) {
    if (OWN.test(key)) continue;
    const value = isSet(settings.inspect(key)) ? settings.get(key) : OURS[key];
    if (value !== undefined && value !== null) made[key] = value;
  }
  return nested(made);
}

/** The keys that the extension declares, without the section. */
export function declaredKeys(extension: vscode.Extension<unknown>): string[] {
  const keys = (contributions(extension).configuration ?? []).flatMap((each) => Object.keys(each.properties ?? {}));
  return keys.filter((key) => key.startsWith(`${SECTION}.`)).map((key) => key.slice(SECTION.length + 1));
}

function isSet(said: ReturnType<vscode.WorkspaceConfiguration["inspect"]>): boolean {
  return Object.entries(said ?? {}).some(([level, value]) => /Value$/.test(level) && level !== "defaultValue" && value !== undefined);
}
