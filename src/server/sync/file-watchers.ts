import { basename, dirname, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type Connection,
  DidChangeWatchedFilesNotification,
  type FileSystemWatcher,
  type InitializeParams,
  type Disposable as Registration,
} from 'vscode-languageserver/node';
import { DEFAULT_SCENARIOS } from '../../core/scenario-file-names.ts';
import { RISK_FILE } from '../../core/trace-file-names.ts';
import { isInside } from '../disk/paths.ts';
import { anyDepthGlob } from '../disk/trace-globs.ts';
import { CRITERIA_FILE } from '../results/evaluated-file.ts';

/** Files that affect the evaluation of traces. */
const INPUT_GLOBS = [
  '**/*.turnwise.json',
  '**/{turnwise,agentest}.config.{ts,js,mjs,json,yaml,yml}',
  `**/${CRITERIA_FILE}`,
  `**/${RISK_FILE}`,
  ...DEFAULT_SCENARIOS,
];

/** Watched when there are too many folders to watch each. */
const ALL_TRACES_GLOB = '**/*.{json,jsonl,ndjson,traj,eval}';
const MAX_FOLDERS = 200;

/** Characters with a meaning in globs. */
const GLOB_CHARACTERS = /[*?{}[\]!,]/;

/** Asks the editor to watch files: only those that matter. */
export class FileWatchers {
  readonly #connection: Connection;
  readonly #folders: ReadonlySet<string>;
  readonly #can: { readonly register: boolean; readonly relative: boolean };
  readonly #traces: () => readonly string[];
  #isReady = false;
  #named: Promise<Registration> | undefined;
  readonly #ofHeld: Promise<Registration>[] = [];
  readonly #watched = new Set<string>();

  /** @param folders the open folders, kept current. @param traces globs of files that may be traces. */
  constructor(
    connection: Connection,
    { workspace }: Pick<InitializeParams['capabilities'], 'workspace'>,
    folders: ReadonlySet<string>,
    traces: () => readonly string[],
  ) {
    const { dynamicRegistration = false, relativePatternSupport = false } = workspace?.didChangeWatchedFiles ?? {};
    this.#connection = connection;
    this.#folders = folders;
    this.#can = { register: dynamicRegistration, relative: relativePatternSupport };
    this.#traces = traces;
  }

  /** Watches the current globs; called when the editor is ready, and when the globs change. */
  watchGlobs(): void {
    this.#isReady = true;
    const before = this.#named;
    const globs = [...this.#traces().map(anyDepthGlob), ...INPUT_GLOBS];
    this.#named = this.#register(globs.map((globPattern) => ({ globPattern })));
    disposeRegistration(before);
  }

  /** Watches the folders of files with results, wherever they are. */
  watchFolders(paths: Iterable<string>): void {
    const folders = new Set(Array.from(paths, (path) => dirname(path)));
    const watchers = [...folders].flatMap((folder) => this.#watchersOf(folder));
    if (watchers.length > 0) this.#ofHeld.push(...[this.#register(watchers)].flatMap((disposable) => disposable ?? []));
  }

  /** Stops watching these folders. */
  unwatchFolders(): void {
    for (const registration of this.#ofHeld.splice(0)) disposeRegistration(registration);
    this.#watched.clear();
  }

  #watchersOf(folder: string): FileSystemWatcher[] {
    if (this.#watched.has(folder)) return [];
    if (this.#watched.size >= MAX_FOLDERS || !this.#can.relative) {
      if (this.#watched.has(ALL_TRACES_GLOB)) return [];
      this.#watched.add(ALL_TRACES_GLOB);
      return [{ globPattern: ALL_TRACES_GLOB }];
    }
    this.#watched.add(folder);
    const files = { globPattern: { baseUri: pathToFileURL(folder).href, pattern: '*' } };
    return [files, ...this.#watchersOfFolders(folder)];
  }

  /** When a folder is deleted, some systems report no deletion of what was in it. */
  #watchersOfFolders(folder: string): FileSystemWatcher[] {
    const root = [...this.#folders].find((open) => isInside(folder, open));
    if (root === undefined || GLOB_CHARACTERS.test(relative(root, folder))) return [];
    const baseUri = pathToFileURL(root).href;
    const watchers: FileSystemWatcher[] = [];
    for (let at = folder; isInside(at, root); at = dirname(at)) {
      const key = `${dirname(at)}${sep}./${basename(at)}`;
      if (this.#watched.has(key)) break;
      this.#watched.add(key);
      const pattern = relative(root, at).replaceAll(sep, '/');
      watchers.push({ globPattern: { baseUri, pattern }, kind: DELETED });
    }
    return watchers;
  }

  #register(watchers: readonly FileSystemWatcher[]): Promise<Registration> | undefined {
    if (!this.#isReady || !this.#can.register) return undefined;
    return this.#connection.client.register(DidChangeWatchedFilesNotification.type, { watchers: [...watchers] });
  }
}

const DELETED = 4;

/** An editor that is closed or never registered needs no disposal. */
function disposeRegistration(registration: Promise<Registration> | undefined): void {
  registration?.then(
    (disposable) => disposable.dispose(),
    () => {},
  );
}
