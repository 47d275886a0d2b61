import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { UserError } from './errors.ts';
import { formatJson, moveRange } from './format-json.ts';
import { fileName } from './labels.ts';

const SCHEME = 'turnwise-formatted';

/** Larger copies are of no use and slow down the editor. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

/** The size limit of documents for extensions. */
const MAX_COPY_LENGTH = 50 * 1024 * 1024;

/** VS Code's default for `editor.stopRenderingLineAfter`. */
const RENDERED_COLUMNS = 10_000;

/** Formatted copies of JSON and JSON Lines files: read-only documents, which are saved only under another name. */
export class FormattedCopies implements vscode.TextDocumentContentProvider, vscode.Disposable {
  /** By the URI of the open copy. */
  readonly #contents = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #disposables = vscode.Disposable.from(
    this.#changed,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#contents.delete(uri.toString())),
  );

  /** The location itself where VS Code renders it, else the same one in the formatted copy of its file. */
  async visible(location: vscode.Location): Promise<vscode.Location> {
    if (isRendered(location)) return location;
    try {
      return await this.locate(location);
    } catch (error) {
      if (error instanceof UserError) return location;
      throw error;
    }
  }

  /** The same location in the formatted copy. Throws where the file is too large for one. */
  async locate({ uri, range }: vscode.Location): Promise<vscode.Location> {
    const source = await openSource(uri);
    const copy = await this.#open(source);
    const moved = moveRange(source.getText(), copy.getText(), {
      start: source.offsetAt(range.start),
      end: source.offsetAt(range.end),
    });
    return { uri: copy.uri, range: new vscode.Range(copy.positionAt(moved.start), copy.positionAt(moved.end)) };
  }

  /** Copies of an earlier text are formatted again. */
  async #open(source: vscode.TextDocument): Promise<vscode.TextDocument> {
    const uri = formattedUri(source.uri);
    const content = await formatDocument(source);
    const before = this.#contents.get(uri.toString());
    this.#contents.set(uri.toString(), content);
    if (before !== undefined && before !== content) await this.#update(uri);
    return vscode.workspace.openTextDocument(uri);
  }

  async #update(uri: vscode.Uri): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const isCopy = (document: vscode.TextDocument): boolean => document.uri.toString() === uri.toString();
    const listening = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document }) => isCopy(document) && resolve()),
      vscode.workspace.onDidCloseTextDocument((document) => isCopy(document) && resolve()),
    );
    this.#changed.fire(uri);
    await promise;
    listening.dispose();
  }

  /** Without a content, after a restart of VS Code. */
  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const content =
      this.#contents.get(uri.toString()) ?? (await formatDocument(await openSource(vscode.Uri.parse(uri.query))));
    this.#contents.set(uri.toString(), content);
    return content;
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

/** Whether VS Code renders the line as far as a location: it stops at a column, 10,000 unless the user has set another one. */
export function isRendered({ uri, range }: vscode.Location): boolean {
  const limit = vscode.workspace.getConfiguration('editor', uri).get<unknown>('stopRenderingLineAfter');
  const columns = typeof limit === 'number' ? limit : RENDERED_COLUMNS;
  return columns < 0 || range.start.character < columns;
}

/** Its name, which is the title of the editor, says which file it shows. */
export function formattedUri(uri: vscode.Uri): vscode.Uri {
  const path = uri.path.replace(/(\.[^./]*)?$/, (extension) => `.formatted${extension}`);
  return vscode.Uri.from({ scheme: SCHEME, path, query: uri.toString() });
}

async function openSource(uri: vscode.Uri): Promise<vscode.TextDocument> {
  if (uri.scheme === 'file' && (await vscode.workspace.fs.stat(uri)).size > MAX_FILE_BYTES) throw tooLarge(uri);
  return vscode.workspace.openTextDocument(uri);
}

/** Yields to other work between the chunks. */
async function formatDocument(source: vscode.TextDocument): Promise<string> {
  const { uri } = source;
  const title = vscode.l10n.t('Formatting {0}…', fileName(uri));
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, async () => {
    const pieces: string[] = [];
    let length = 0;
    for (const piece of formatJson(source.getText())) {
      pieces.push(piece);
      length += piece.length;
      if (length > MAX_COPY_LENGTH) throw tooLarge(uri);
      await setImmediate();
    }
    return pieces.join('');
  });
}

function tooLarge(uri: vscode.Uri): UserError {
  return new UserError(
    vscode.l10n.t(
      '{0} is too large to format in the editor (limit: 20 MB). Use a tool such as `jq . file`.',
      fileName(uri),
    ),
  );
}
