/** Commands about the sample under the cursor. */
import * as vscode from "vscode";
import { ExecuteCommandRequest } from "vscode-languageclient/node";
import { samples, type SampleName } from "../protocol";
import type { SndClient } from "../server/client";
import type { Guard } from "./guard";

/** Our commands, and those of the server that do it. */
const COMMANDS = {
  "snd.evaluateSampleAtCursor": "snd.evaluate",
  "snd.refreshSampleAtCursor": "snd.refresh",
  "snd.recordSampleAtCursor": "snd.record",
  "snd.cancelSampleAtCursor": "snd.cancel",
} as const;

export function registerSampleCommands(guard: Guard): vscode.Disposable[] {
  return Object.entries(COMMANDS).map(([name, command]) =>
    guard.editorCommand(name, async (client, editor) => {
      const sample = await sampleAt(client, editor);
      if (sample === undefined) {
        void vscode.window.showInformationMessage("There is no sample at the cursor: a line of a comment that begins with '# >>>'.");
        return;
      }
      const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
      await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [uri, sample] });
    }),
  );
}

async function sampleAt(client: SndClient, editor: vscode.TextEditor): Promise<SampleName | undefined> {
  const { code2ProtocolConverter: converter } = client;
  const answer = await client.sendRequest(samples, {
    textDocument: converter.asTextDocumentIdentifier(editor.document),
    position: converter.asPosition(editor.selection.active),
  });
  return answer.samples.at(0)?.sample;
}
