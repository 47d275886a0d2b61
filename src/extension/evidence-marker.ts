import * as vscode from 'vscode';
import type { FileLocation } from '../protocol/messages.ts';
import { setContext } from './context-keys.ts';
import type { FormattedCopies } from './formatted-copies.ts';
import { toLocation } from './locations.ts';
import { openFile } from './open-file.ts';

/** The kinds of selection changes that only the user makes. */
const { Mouse: BY_MOUSE, Keyboard: BY_KEYBOARD } = vscode.TextEditorSelectionChangeKind;

interface ShowOptions {
  readonly preview: boolean;
  /** Whether the editor gets the keyboard focus. */
  readonly focus: boolean;
}

/**
 * Shows locations of a trace in its file: a cursor at the beginning, and a decoration on the range. The range is never selected,
 * since the next key would replace it. The decoration goes when the cursor leaves it or the file is edited. What VS Code does not
 * render, far behind in a long line, is shown in the formatted copy of the file.
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
  readonly #copies: Pick<FormattedCopies, 'visible' | 'locate'>;
  readonly #listening: vscode.Disposable;

  constructor(copies: Pick<FormattedCopies, 'visible' | 'locate'>) {
    this.#copies = copies;
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

  /** Opens a location, with its range marked. */
  async show(location: FileLocation, options: ShowOptions): Promise<void> {
    this.clear();
    await this.#open(await this.#copies.visible(toLocation(location)), options);
    await setContext('turnwise.hasSeenEvidence', true);
  }

  /** Opens a location in the formatted copy of its file. */
  async showInCopy(location: vscode.Location): Promise<void> {
    this.clear();
    await this.#open(await this.#copies.locate(location), { preview: false, focus: true });
  }

  async #open({ uri, range }: vscode.Location, { preview, focus }: ShowOptions): Promise<void> {
    const selection = new vscode.Range(range.start, range.start);
    await openFile(uri, { preview, preserveFocus: !focus, selection });
    this.#marked = { uri: uri.toString(), range };
    this.#draw();
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
