import type { FileSystem } from '../input/file-system.ts';
import type { RunStore } from '../runs/run-store.ts';
import type { AgentToolWork } from './agent-tools/tool-calls.ts';
import type { ModelDecisions } from './consent/model-decisions.ts';
import type { ServerContext } from './context.ts';
import { sniffFile } from './disk/sniff-file.ts';
import { type PlanSidecarEdit, planSidecarEdit } from './edits/plan-sidecar-edit.ts';
import { createGroupEvaluation, type EvaluateFiles, type EvaluateGroup } from './evaluation/group-evaluation.ts';
import { type AnswerContent, ContentAnswers } from './report/content-answers.ts';
import type { PointerLookup } from './results/file-snapshots.ts';
import { FileTexts } from './results/file-texts.ts';
import { type AnswerRuns, createRunAnswers } from './runs/run-answers.ts';

/** Everything that parses or scans the text of traces. */
export interface FileWork extends Disposable {
  /** What the user decides about models; null where the evaluation that was given knows it. */
  readonly decisions: ModelDecisions | null;
  readonly evaluateGroup: EvaluateGroup;
  readonly answer: AnswerContent;
  readonly find: PointerLookup;
  readonly looksLikeTrace: (path: string) => Promise<boolean>;
  readonly planSidecarEdit: PlanSidecarEdit;
  /** Reads the records of runs. */
  readonly answerRuns: AnswerRuns;
  /** Answers coding agents; null where no thread can. */
  readonly agentTools: AgentToolWork | null;
  /** Forgets texts. */
  clear(): void;
}

/** Starts it for one connection, over which it asks the user. */
export type StartFileWork = (
  context: Pick<ServerContext, 'connection' | 'settings'>,
  /** Called when the work on a file had to be stopped. @param clause why */
  onStuck: (path: string, clause: string) => void,
) => FileWork;

/** Works on files in this thread: a file that takes long keeps everything else waiting. */
export function workInThisThread(evaluateFiles: EvaluateFiles, files: FileSystem, runs: RunStore | null): FileWork {
  const texts = new FileTexts(files);
  const contents = new ContentAnswers(files);
  return {
    decisions: null,
    evaluateGroup: createGroupEvaluation(evaluateFiles, files),
    answer: contents.answer,
    find: texts.find,
    looksLikeTrace: (path) => sniffFile(files, path),
    planSidecarEdit: (edit) => planSidecarEdit(files, edit),
    agentTools: null,
    answerRuns: runs ? createRunAnswers(runs, files) : refuseRuns,
    clear() {
      texts.clear();
      contents.clear();
    },
    [Symbol.dispose]() {},
  };
}

const refuseRuns: AnswerRuns = () => Promise.reject(new Error('No runs are recorded.'));
