import type { RunManifest } from '../core/run-record.ts';
import { plainPath } from '../input/paths.ts';
import type { RunListing, RunRecord } from '../runs/run-store.ts';
import { dataFolder, type Environment } from '../store/home.ts';
import { openRunStore } from '../store/runs/run-store.ts';
import { findProject, readGitState } from './git-state.ts';
import type { RunRecording } from './record-run.ts';

export interface RecordingOptions {
  /** Absolute path of the folder that paths are relative to; its project is that of the run. */
  readonly folder: string;
  readonly env: Environment;
  /** The paths of the traces, as they were given. */
  readonly inputs: readonly string[];
  /** Called with a sentence if the run will not be listed. */
  readonly warn: (sentence: string) => void;
  readonly selection?: RunManifest['selection'];
  readonly name?: string | undefined;
  /** A folder or a file, instead of the data folder. */
  readonly elsewhere?: string | undefined;
  readonly transcripts?: boolean | undefined;
  readonly stoppedBy?: RunRecording['stoppedBy'];
  readonly onQuestionsChanged?: RunRecording['onQuestionsChanged'];
}

/** A recording with a store of its own. */
export interface OpenRecording extends Disposable {
  readonly recording: RunRecording;
  /** Those that were deleted after the run, because there were too many. */
  readonly deleted: readonly RunListing[];
}

/**
 * Opens the record of a run in the data folder. Runs git in the project: not for folders that the user does not trust.
 *
 * @param resume finds the interrupted run to continue, whose paths are used where there are none. @throws what it throws
 */
export async function openRecording(
  { folder, env, warn, inputs, elsewhere, ...rest }: RecordingOptions,
  resume?: (find: (reference: string) => Promise<RunRecord>) => Promise<RunRecord>,
): Promise<OpenRecording> {
  const project = await findProject(folder);
  const store = openRunStore(dataFolder(env), { cwd: folder, warn });
  const deleted: RunListing[] = [];
  try {
    const interrupted = await resume?.((reference) => store.find(reference, project));
    const recording: RunRecording = {
      ...rest,
      store,
      project,
      cwd: folder,
      git: readGitState(project),
      inputs: interrupted ? inputsOf(interrupted, inputs) : inputs,
      elsewhere,
      resume: interrupted,
      onDeleted: (runs) => deleted.push(...runs),
    };
    return { recording, deleted, [Symbol.dispose]: () => store[Symbol.dispose]() };
  } catch (error) {
    store[Symbol.dispose]();
    throw error;
  }
}

/** The spelling of the run that is continued, by which its sessions are recognized. */
function inputsOf({ manifest }: RunRecord, inputs: readonly string[]): readonly string[] {
  const plain = (paths: readonly string[]) => JSON.stringify(paths.map(plainPath));
  return inputs.length === 0 || plain(inputs) === plain(manifest.inputs) ? manifest.inputs : inputs;
}
