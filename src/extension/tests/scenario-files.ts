import * as vscode from 'vscode';
import { ANY_DEFAULT_SCENARIO } from '../../core/scenario-file-names.ts';
import { isConfigurationFile } from '../../core/trace-file-names.ts';
import { CONFIGURATIONS } from '../configuration-files.ts';

/** More files are not listed. */
const MAX_FILES = 20_000;

const IGNORED = '**/node_modules/**';

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
    const found = await vscode.workspace.findFiles(ANY_DEFAULT_SCENARIO, IGNORED, MAX_FILES, token);
    return found.filter(isOnDisk).map(String).sort();
  }

  /** Whether a document is a scenario file by its name. */
  includes(document: vscode.TextDocument): boolean {
    const filter = { scheme: 'file', pattern: ANY_DEFAULT_SCENARIO };
    return vscode.languages.match(filter, document) > 0 && isOnDisk(document.uri);
  }

  #watch(): vscode.Disposable {
    const { workspace } = vscode;
    const scenarios = workspace.createFileSystemWatcher(ANY_DEFAULT_SCENARIO);
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
      scenarios,
      configurations,
      folders,
      scenarios.onDidCreate(fire('created')),
      scenarios.onDidChange(fire('changed')),
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
