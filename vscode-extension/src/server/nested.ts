/** Settings as the server reads them. Knows nothing of VS Code. */

/** Features that are switched by `KEY.enabled` here, and by `KEY: false` at the server. */
const FEATURES = ["evaluation", "inlayHints", "codeLenses"] as const;

/** `{"a.b": 1}` as `{a: {b: 1}}`; a feature that is not enabled as `{a: false}`. */
export function nested(flat: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(flat)) {
    const [first, second] = key.split(".", 2) as [string, string?];
    if (second === undefined) result[first] = value;
    else result[first] = { ...(result[first] as object | undefined), [second]: value };
  }
  for (const feature of FEATURES) {
    const { enabled, ...rest } = (result[feature] ?? {}) as Record<string, unknown>;
    if (enabled === false) result[feature] = false;
    else if (feature in result) result[feature] = rest;
  }
  return result;
}
