/** The HTML of a drawing in a webview. It is as the page that `snd graph` writes, without a graph in it. */
import { randomBytes } from "node:crypto";

export function graphPage(engine: string, page: string): string {
  const nonce = randomBytes(16).toString("base64");
  const policy = `default-src 'none'; script-src 'nonce-${nonce}' blob:; worker-src blob:; img-src blob:`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
</head>
<body>
<script type="text/plain" id="engine">${insideScript(engine)}</script>
<script nonce="${nonce}">${insideScript(page)}</script>
</body>
</html>`;
}

/** Code in which nothing ends the element that it stands in; it stands in strings and regular expressions only. */
function insideScript(code: string): string {
  return code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
}
