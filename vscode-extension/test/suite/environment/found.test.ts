import assert from "node:assert/strict";
import * as vscode from "vscode";
import { children, hovers, place, shown, until } from "../editing";

suite("a workspace with an environment of Python", () => {
  test("the server is the one of the environment in the workspace", async () => {
    const { document } = await shown("main.sknd");
    await until("an answer", () => hovers(document.uri, place(document, "block{channels=4}")));
    assert.equal(vscode.workspace.getConfiguration("snd").get("server.path"), "");
    const [server] = children().filter((line) => /\blsp\b/.test(line));
    assert.ok(server?.includes(vscode.Uri.joinPath(document.uri, "../.venv").fsPath), server);
  });
});
