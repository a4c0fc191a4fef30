/** Read-only documents whose text is made when it is asked for. */
import * as vscode from "vscode";

export class VirtualDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registration: vscode.Disposable;

  constructor(
    scheme: string,
    private readonly make: (uri: vscode.Uri) => Promise<string> | string,
  ) {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): Promise<string> | string {
    return this.make(uri);
  }

  /** Tells that the shown text is outdated. */
  refresh(uri: vscode.Uri): void {
    this.changed.fire(uri);
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}
