import { dirname } from 'node:path';
import { findProject, readGitState } from '../../app/git-state.ts';
import type { RunRecording } from '../../app/record-run.ts';
import type { RunStore } from '../../runs/run-store.ts';
import { isInside } from '../disk/paths.ts';
import type { ModelEditor } from '../editor.ts';

/** Makes runs of evaluations that the user asks for, as `turnwise eval` does in the folder that is open. */
export class RunRecordings {
  readonly #store: () => RunStore;
  readonly #editor: Pick<ModelEditor, 'folders' | 'isTrusted'>;

  /** @param store is opened when the first run is recorded. */
  constructor(store: () => RunStore, editor: Pick<ModelEditor, 'folders' | 'isTrusted'>) {
    this.#store = store;
    this.#editor = editor;
  }

  /** @param paths absolute paths of files and folders. */
  async start(paths: readonly string[], signal: AbortSignal): Promise<RunRecording> {
    const [first = '.'] = paths;
    const open = (await this.#editor.folders())
      .filter((folder) => folder === first || isInside(first, folder))
      .sort((a, b) => a.length - b.length)[0];
    const project = await findProject(open ?? dirname(first));
    return {
      store: this.#store(),
      project,
      // In a folder that the user does not trust, nothing is started.
      git: this.#editor.isTrusted() ? readGitState(project) : null,
      cwd: project,
      inputs: paths,
      stoppedBy: () => (signal.aborted ? 'It was stopped in the editor.' : null),
    };
  }
}
