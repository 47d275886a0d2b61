import type { RunStore } from '../../runs/run-store.ts';
import type { EvaluateGroup } from '../evaluation/group-evaluation.ts';
import type { AnswerRuns } from './run-answers.ts';
import type { RunHistory } from './run-history.ts';

/** The recorded runs, as the server's features use them. */
export interface RecordedRuns {
  readonly store: RunStore;
  readonly history: RunHistory;
  readonly answer: AnswerRuns;
  /** For evaluations that become runs, and no results of the editor. */
  readonly evaluateGroup: EvaluateGroup;
}
