import * as vscode from 'vscode';
import { turnAt, turnLocation } from '../protocol/cursor-sync.ts';
import { sessionUri } from '../protocol/panel.ts';
import { type FormattedCopies, formattedUri, isRendered } from './formatted-copies.ts';
import type { LanguageServer } from './language-server.ts';
import { toLocation } from './locations.ts';
import type { ReportCursorSync, ReportPanelHandle, TurnSelection } from './report-panel-types.ts';
import { isTrace } from './trace-selector.ts';

/** The time a cursor must rest before the report follows it. */
const REST_MS = 120;

/** Selection changes within this time after a reveal are ignored. */
const REVEAL_MS = 500;

/** The kinds of selection changes that only the user makes. */
const { Mouse: BY_MOUSE, Keyboard: BY_KEYBOARD } = vscode.TextEditorSelectionChangeKind;

/** The part of a report panel that is needed here. */
type SyncedReport = Pick<ReportPanelHandle, 'uri' | 'isPinned' | 'selected' | 'select'>;

interface CursorSyncOptions {
  readonly server: Pick<LanguageServer, 'request' | 'isRunning'>;
  readonly log: Pick<vscode.LogOutputChannel, 'warn'>;
  readonly copies: Pick<FormattedCopies, 'locate'>;
  readonly visible: () => readonly SyncedReport[];
  readonly now?: () => number;
}

/** Selects the turn at the editor's cursor in the report, and reveals the selected turn in the editor. */
export class CursorSync implements ReportCursorSync, vscode.Disposable {
  readonly #server: Pick<LanguageServer, 'request' | 'isRunning'>;
  readonly #log: Pick<vscode.LogOutputChannel, 'warn'>;
  readonly #copies: CursorSyncOptions['copies'];
  readonly #listening: vscode.Disposable;
  readonly #visible: () => readonly SyncedReport[];
  readonly #now: () => number;
  /** A selection that the report causes, which must not move the report again. */
  #expected: { readonly uri: string; readonly range: vscode.Range; readonly until: number } | undefined;
  #resting: NodeJS.Timeout | undefined;
  /** What the visible reports had selected at the last cursor move. */
  #selectedAtMove: readonly TurnSelection[] = [];

  /** @param visible the visible reports. */
  constructor({ server, log, copies, visible, now = Date.now }: CursorSyncOptions) {
    this.#server = server;
    this.#log = log;
    this.#copies = copies;
    this.#visible = visible;
    this.#now = now;
    this.#listening = vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections: [selection], kind }) => {
      if (kind === BY_MOUSE || kind === BY_KEYBOARD) this.#expected = undefined;
      if (selection) this.#moved(textEditor.document, selection);
    });
  }

  expect(uri: vscode.Uri, range: vscode.Range): void {
    this.#expected = { uri: uri.toString(), range, until: this.#now() + REVEAL_MS };
  }

  /** Only in a visible editor of the file or of its formatted copy, and unless the cursor is in the turn already. */
  async show({ session, turn }: TurnSelection): Promise<void> {
    if (turn === null || !vscode.workspace.getConfiguration('turnwise').get<unknown>('revealOnSelect', true)) return;
    if (!this.#server.isRunning) return;
    const { location } = await this.#server.request(turnLocation, { session, turn });
    if (!location) return;
    const inFile = toLocation(location);
    if (isRendered(inFile)) this.#reveal(inFile);
    const isCopy = isIn(formattedUri(inFile.uri));
    if (vscode.window.visibleTextEditors.some(isCopy)) this.#reveal(await this.#copies.locate(inFile));
  }

  #reveal({ uri, range }: vscode.Location): void {
    const editor = vscode.window.visibleTextEditors.find(isIn(uri));
    if (!editor || range.contains(editor.selection)) return;
    const beginning = new vscode.Selection(range.start, range.start);
    this.expect(editor.document.uri, beginning);
    editor.selection = beginning;
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  #moved(document: vscode.TextDocument, selection: vscode.Selection): void {
    clearTimeout(this.#resting);
    if (this.#isExpected(document.uri, selection)) return;
    if (this.#visible().length === 0 || document.uri.scheme !== 'file' || !isTrace(document)) return;
    const selected = this.#visible().map((report) => report.selected);
    this.#selectedAtMove = selected;
    this.#resting = setTimeout(() => {
      this.#follow(document.uri, selection.active, selected).catch((error: unknown) => this.#log.warn(String(error)));
    }, REST_MS);
  }

  /** A newly opened editor can first have its cursor elsewhere. */
  #isExpected(uri: vscode.Uri, selection: vscode.Selection): boolean {
    if (this.#expected?.uri !== uri.toString()) return false;
    const { range, until } = this.#expected;
    if (this.#now() < until) return true;
    this.#expected = undefined;
    return range.isEqual(selection);
  }

  /** Not if the cursor has moved on, or another turn was selected since the move. */
  async #follow(
    uri: vscode.Uri,
    { line, character }: vscode.Position,
    selectedAtMove: readonly TurnSelection[],
  ): Promise<void> {
    if (!this.#server.isRunning) return;
    const { turn } = await this.#server.request(turnAt, { uri: uri.toString(), position: { line, character } });
    if (!turn || selectedAtMove !== this.#selectedAtMove) return;
    const { session, index } = turn;
    const report = this.#reportOf(session);
    if (!report || !selectedAtMove.includes(report.selected)) return;
    if (report.selected.session === session && report.selected.turn === index) return;
    report.select({ session, turn: index });
  }

  /** The report of the session, else one that can show another session of the file. */
  #reportOf(session: string): SyncedReport | undefined {
    const all = this.#visible().filter(({ uri }) => uri === sessionUri(session));
    return all.find(({ selected }) => selected.session === session) ?? all.find(({ isPinned }) => !isPinned);
  }

  dispose(): void {
    clearTimeout(this.#resting);
    this.#listening.dispose();
  }
}

function isIn(uri: vscode.Uri): (editor: vscode.TextEditor) => boolean {
  return ({ document }) => document.uri.toString() === uri.toString();
}
