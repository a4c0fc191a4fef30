/** Adds an element with attributes and text; never with markup. */
export function child<Name extends keyof HTMLElementTagNameMap>(
  parent: Element, name: Name, attributes: Record<string, string> = {}, content?: string,
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (content !== undefined) element.textContent = content;
  parent.append(element);
  return element;
}
