import * as vscode from 'vscode';
import { DEFAULT_SCENARIOS } from '../../core/scenario-file-names.ts';
import { isConfigurationFile } from '../../core/trace-file-names.ts';
import { globFilters } from '../trace-selector.ts';

/** More files are not listed. */
const MAX_FILES = 20_000;

const IGNORED = '**/node_modules/**';
const CONFIGURATIONS = '**/{turnwise,agentest}.config.*';

/** A change on disk: of a scenario file, or (`configuration`) of a configuration, which may change any scenario. */
export interface ScenarioFileChange {
  readonly type: 'created' | 'changed' | 'deleted' | 'configuration';
  readonly uri: vscode.Uri;
}

/** The scenario files of the open folders, found by name. Nothing is searched or watched before `find`. */
export class ScenarioFiles implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<ScenarioFileChange>();
  #watching: vscode.Disposable | undefined;

  readonly onDidChange = this.#changed.event;

  /** Finds all files, and watches them from then on. @returns their URIs, sorted. */
  async find(token?: vscode.CancellationToken): Promise<string[]> {
    this.#watching ??= this.#watch();
    const { workspace } = vscode;
    const found = await Promise.all(
      DEFAULT_SCENARIOS.map((glob) => workspace.findFiles(glob, IGNORED, MAX_FILES, token)),
    );
    return [...new Set(found.flat().filter(isOnDisk).map(String))].sort();
  }

  /** Whether there is a configuration, which may name other files. */
  async hasConfiguration(token?: vscode.CancellationToken): Promise<boolean> {
    const [first] = await vscode.workspace.findFiles(CONFIGURATIONS, IGNORED, 1, token);
    return first !== undefined;
  }

  /** Whether a document is a scenario file by its name. */
  includes(document: vscode.TextDocument): boolean {
    return vscode.languages.match(globFilters(DEFAULT_SCENARIOS), document) > 0 && isOnDisk(document.uri);
  }

  #watch(): vscode.Disposable {
    const { workspace } = vscode;
    const scenarios = DEFAULT_SCENARIOS.map((glob) => workspace.createFileSystemWatcher(glob));
    const configurations = workspace.createFileSystemWatcher(CONFIGURATIONS);
    // Some systems do not report the files of a deleted or renamed folder.
    const folders = workspace.createFileSystemWatcher('**', true, true, false);
    const fire = (type: ScenarioFileChange['type']) => (uri: vscode.Uri) => {
      if (isOnDisk(uri)) this.#changed.fire({ type, uri });
    };
    const configured = (uri: vscode.Uri) => {
      if (isConfigurationFile(uri.path)) this.#changed.fire({ type: 'configuration', uri });
    };
    return vscode.Disposable.from(
      ...scenarios,
      configurations,
      folders,
      ...scenarios.flatMap((watcher) => [watcher.onDidCreate(fire('created')), watcher.onDidChange(fire('changed'))]),
      configurations.onDidCreate(configured),
      configurations.onDidChange(configured),
      configurations.onDidDelete(configured),
      folders.onDidDelete(fire('deleted')),
    );
  }

  dispose(): void {
    this.#watching?.dispose();
    this.#changed.dispose();
  }
}

function isOnDisk(uri: vscode.Uri): boolean {
  return uri.scheme === 'file' && !uri.path.includes('/node_modules/');
}
