import { pathToFileURL } from 'node:url';
import {
  CodeLensRefreshRequest,
  type Connection,
  type InitializeParams,
  InlayHintRefreshRequest,
} from 'vscode-languageserver/node';
import { Throttle } from '../core/async/throttle.ts';
import { resultsChanged } from '../protocol/messages.ts';
import type { InitializationSettings } from '../protocol/settings.ts';
import type { DiagnosticsPublisher } from './diagnostics.ts';

/** Above this number, the files are not listed. */
const MAX_LISTED_FILES = 500;

/** Refreshes everything that shows results: at once, or combined with changes that follow soon. */
export class RefreshScheduler implements Disposable {
  readonly #connection: Connection;
  readonly #diagnostics: DiagnosticsPublisher;
  readonly #shows: { readonly lenses: boolean; readonly hints: boolean; readonly view: boolean };
  readonly #hasOtherLenses: (uris: readonly string[] | undefined) => boolean;
  readonly #paced = new Throttle(() => this.#refresh());
  /** URIs of changed files; null: any may have changed. */
  #changed: Set<string> | null = new Set();

  /** @param hasOtherLenses whether lenses that the editor shows on some files, or on any, are no longer the current ones. */
  constructor(
    connection: Connection,
    diagnostics: DiagnosticsPublisher,
    { workspace }: Pick<InitializeParams['capabilities'], 'workspace'>,
    client: InitializationSettings['client'],
    hasOtherLenses: (uris: readonly string[] | undefined) => boolean,
  ) {
    this.#connection = connection;
    this.#diagnostics = diagnostics;
    this.#hasOtherLenses = hasOtherLenses;
    this.#shows = {
      lenses: workspace?.codeLens?.refreshSupport ?? false,
      hints: workspace?.inlayHint?.refreshSupport ?? false,
      // Only our extension knows this notification.
      view: client === 'vscode',
    };
  }

  /** @param uris the only files that have changed. */
  refresh(uris?: Iterable<string>): void {
    this.#add(uris);
    if (this.#changed?.size !== 0) this.#paced.runNow();
  }

  /** Within 200 ms. */
  schedule(paths: Iterable<string>): void {
    this.#add(Array.from(paths, (path) => pathToFileURL(path).href));
    if (this.#changed?.size !== 0) this.#paced.schedule();
  }

  #add(uris: Iterable<string> | undefined): void {
    if (uris && this.#changed) for (const uri of uris) this.#changed.add(uri);
    if (!uris || (this.#changed && this.#changed.size > MAX_LISTED_FILES)) this.#changed = null;
  }

  #refresh(): void {
    const uris = this.#changed && [...this.#changed];
    this.#changed = new Set();
    const connection = this.#connection;
    const sent = [
      this.#diagnostics.publish(uris ?? undefined),
      ...(this.#shows.lenses && this.#hasOtherLenses(uris ?? undefined)
        ? [connection.sendRequest(CodeLensRefreshRequest.type)]
        : []),
      ...(this.#shows.hints ? [connection.sendRequest(InlayHintRefreshRequest.type)] : []),
      ...(this.#shows.view ? [connection.sendNotification(resultsChanged.method, uris ? { uris } : {})] : []),
    ];
    // An editor that is closed or does not support it needs no refresh.
    for (const request of sent) request.catch(() => {});
  }

  [Symbol.dispose](): void {
    this.#paced[Symbol.dispose]();
  }
}
