import { resolve } from 'node:path';
import { findProject, readGitState } from '../../app/git-state.ts';
import type { RunRecording } from '../../app/record-run.ts';
import type { RunStore } from '../../runs/run-store.ts';
import { containingFolder } from '../disk/open-folders.ts';
import { isInside } from '../disk/paths.ts';
import type { ModelEditor } from '../editor.ts';

/** What a run says that the user stopped. */
export const STOPPED_BY_USER = 'It was stopped in the editor.';

/** Makes runs of evaluations that the user asks for, as `turnwise eval` does in the folder that is open. */
export class RunRecordings {
  readonly #onStarted: (id: string) => void;
  readonly #store: () => RunStore;
  readonly #editor: Pick<ModelEditor, 'folders' | 'isTrusted'>;

  /** @param store is opened when the first run is recorded. @param onStarted called with the id of each run. */
  constructor(
    store: () => RunStore,
    editor: Pick<ModelEditor, 'folders' | 'isTrusted'>,
    onStarted: (id: string) => void = () => {},
  ) {
    this.#store = store;
    this.#editor = editor;
    this.#onStarted = onStarted;
  }

  /** @param paths absolute paths of files and folders. */
  async start(paths: readonly string[], signal: AbortSignal): Promise<RunRecording> {
    // The URI of a folder may end with a slash.
    const first = resolve(paths[0] ?? '.');
    const open = (await this.#editor.folders())
      .filter((folder) => folder === first || isInside(first, folder))
      .sort((a, b) => a.length - b.length)[0];
    const project = await findProject(open ?? (await containingFolder(first)));
    return {
      store: this.#store(),
      project,
      // In a folder that the user does not trust, nothing is started.
      git: this.#editor.isTrusted() ? readGitState(project) : null,
      cwd: project,
      inputs: paths,
      stoppedBy: () => (signal.aborted ? STOPPED_BY_USER : null),
      onStarted: this.#onStarted,
    };
  }
}
