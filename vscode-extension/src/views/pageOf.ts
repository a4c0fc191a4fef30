/** The HTML of a webview: one script and one style sheet of ours, and nothing else may run or be loaded. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

export function pageOf(webview: vscode.Webview, extension: vscode.Uri, name: string): string {
  const nonce = randomBytes(16).toString("base64");
  const file = (suffix: string) =>
    webview.asWebviewUri(vscode.Uri.joinPath(extension, "dist", `${name}.${suffix}`)).toString();
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}';`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${file("css")}">
</head>
<body><script nonce="${nonce}" src="${file("js")}"></script></body>
</html>`;
}
