/** Shows what a lens has counted. */
import * as vscode from "vscode";
import type { Location, Position } from "vscode-languageclient/node";
import { SHOW_REFERENCES, type SndClient } from "../server/client";

export function registerReferencesCommand(client: SndClient): vscode.Disposable {
  return vscode.commands.registerCommand(
    SHOW_REFERENCES,
    async (uri?: string, position?: Position, locations: readonly Location[] = []) => {
      if (uri === undefined || position === undefined) return;
      const converter = client.protocol2CodeConverter;
      const places = locations.map((each) => converter.asLocation(each));
      await vscode.commands.executeCommand(
        "editor.action.showReferences", converter.asUri(uri), converter.asPosition(position), places,
      );
    },
  );
}
