import * as vscode from 'vscode';
import type { FileLocation } from '../protocol/messages.ts';
import { setContext } from './context-keys.ts';
import { toRange } from './locations.ts';
import { openFile } from './open-file.ts';

/** The kinds of selection changes that only the user makes. */
const { Mouse: BY_MOUSE, Keyboard: BY_KEYBOARD } = vscode.TextEditorSelectionChangeKind;

/**
 * Shows locations of a trace in its file: a cursor at the beginning, and a decoration on the range. The range is never selected,
 * since the next key would replace it. The decoration goes when the cursor leaves it or the file is edited.
 */
export class EvidenceMarker implements vscode.Disposable {
  readonly #decoration = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    borderColor: new vscode.ThemeColor('editor.rangeHighlightBorder'),
    borderStyle: 'solid',
    borderWidth: '0 0 0 2px',
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.rangeHighlightForeground'),
  });
  #marked: { readonly uri: string; readonly range: vscode.Range } | undefined;
  readonly #listening: vscode.Disposable;

  constructor() {
    this.#listening = vscode.Disposable.from(
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections: [selection], kind }) => {
        // A newly opened editor can first have its cursor elsewhere.
        if (kind !== BY_MOUSE && kind !== BY_KEYBOARD) return;
        if (selection && this.#marks(textEditor.document) && !this.#marked?.range.contains(selection)) this.clear();
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && this.#marks(document)) this.clear();
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#draw()),
    );
  }

  /** Opens a location, with its range marked. @param focus whether the editor gets the keyboard focus. */
  async show(location: FileLocation, options: { readonly preview: boolean; readonly focus: boolean }): Promise<void> {
    const range = toRange(location.range);
    this.clear();
    const uri = vscode.Uri.parse(location.uri);
    const selection = new vscode.Range(range.start, range.start);
    await openFile(uri, { preview: options.preview, preserveFocus: !options.focus, selection });
    this.#marked = { uri: uri.toString(), range };
    this.#draw();
    await setContext('turnwise.hasSeenEvidence', true);
  }

  clear(): void {
    if (!this.#marked) return;
    this.#marked = undefined;
    this.#draw();
  }

  #marks({ uri }: vscode.TextDocument): boolean {
    return this.#marked?.uri === uri.toString();
  }

  #draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const range = this.#marks(editor.document) ? this.#marked?.range : undefined;
      editor.setDecorations(this.#decoration, range ? [range] : []);
    }
  }

  dispose(): void {
    this.#listening.dispose();
    this.#decoration.dispose();
  }
}
