/** The declarations in package.json that the extension reads. */
import type * as vscode from "vscode";

interface Contributions {
  readonly commands?: readonly { readonly command: string }[];
  readonly configuration?: readonly { readonly properties?: Readonly<Record<string, unknown>> }[];
}

export function contributions(extension: vscode.Extension<unknown>): Contributions {
  return (extension.packageJSON as { contributes?: Contributions }).contributes ?? {};
}
