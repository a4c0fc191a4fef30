/** The signature of an operator while the user changes it: two lists of parameters. */

export type Kind = "attributes" | "inputs";

/** A parameter that the operator has (`was`), perhaps with another name, or a new one. */
export interface Parameter {
  readonly was?: string;
  readonly name: string;
  readonly type?: string;
  readonly default?: string;
}

export type Signature = Readonly<Record<Kind, readonly Parameter[]>>;

export function signatureOf(attributes: readonly string[], inputs: readonly string[]): Signature {
  const known = (name: string): Parameter => ({ was: name, name });
  return { attributes: attributes.map(known), inputs: inputs.map(known) };
}

/** The signature with a parameter some places further on; at an end of the list, it stays. */
export function moved(signature: Signature, kind: Kind, at: number, by: number): Signature {
  const list = [...signature[kind]];
  const [parameter] = list.splice(at, 1);
  if (parameter !== undefined) list.splice(Math.max(0, Math.min(list.length, at + by)), 0, parameter);
  return { ...signature, [kind]: list };
}

export function removed(signature: Signature, kind: Kind, at: number): Signature {
  return { ...signature, [kind]: signature[kind].filter((_, index) => index !== at) };
}

export function renamed(signature: Signature, kind: Kind, at: number, name: string): Signature {
  return { ...signature, [kind]: signature[kind].map((each, index) => (index === at ? { ...each, name } : each)) };
}

export function added(signature: Signature, kind: Kind, parameter: Parameter): Signature {
  return { ...signature, [kind]: [...signature[kind], parameter] };
}

/** The options of the command `snd.refactor`: names stand only where they are new. */
export function optionsOf(signature: Signature): Record<Kind, object[]> {
  const option = ({ was, name, ...rest }: Parameter) => (was === undefined ? { name, ...rest } : was === name ? { was } : { was, name });
  return { attributes: signature.attributes.map(option), inputs: signature.inputs.map(option) };
}

/** The number of code points before a place: the server counts these. */
export function codePoints(before: string): number {
  return [...before].length;
}
