import type { EditorModelAnswer, EditorModelRequest } from '../../core/editor-models.ts';
import type { Pointer } from '../../core/session.ts';
import type { AgentToolCost } from '../../protocol/agent-tools.ts';
import type { FileRange } from '../../protocol/messages.ts';
import type { AgentToolAnswered, AgentToolQuery } from '../agent-tools/tool-calls.ts';
import type { ConsentDecision, ConsentRequest } from '../consent/consent.ts';
import type { UserQuestion } from '../consent/question-board.ts';
import type { EditPlan } from '../disk/file-change.ts';
import type { Editor } from '../editor.ts';
import type { SidecarEdit } from '../edits/plan-sidecar-edit.ts';
import type { FileGroup } from '../evaluation/group-by-config.ts';
import type { GroupEvents, GroupResult, GroupSettings, WorkMarker } from '../evaluation/group-evaluation.ts';
import type { ContentQuery } from '../report/content-answers.ts';
import type { ContentView } from '../results/session-results-view.ts';
import type { RunQuestion, RunQuestions } from '../runs/run-answers.ts';

/** Tells these threads from others of the same entry. */
export const FILE_WORKER = 'worker';

/** What workers do. All of it is plain data: it is cloned between threads of one process, so it is not checked. */
export interface WorkerRequests {
  readonly evaluate: { readonly params: EvaluateParams; readonly result: GroupResult };
  /** Whether the beginning of a file looks like a trace. */
  readonly sniff: { readonly params: { readonly path: string }; readonly result: boolean };
  /** Where values stand in a file; null where it is not valid JSON. */
  readonly locate: { readonly params: LocateParams; readonly result: ReadonlyMap<Pointer, FileRange> | null };
  readonly answer: { readonly params: AnswerParams; readonly result: unknown };
  readonly planSidecarEdit: { readonly params: SidecarEdit; readonly result: EditPlan };
  readonly runs: { readonly params: RecordQuery; readonly result: unknown };
  readonly agentTool: { readonly params: AgentToolParams; readonly result: AgentToolAnswered };
  readonly agentToolCost: { readonly params: AgentToolParams; readonly result: AgentToolCost | null };
}

export type WorkerMethod = keyof WorkerRequests;

/** A request about the content of a session. */
export interface AnswerParams extends Omit<ContentQuery, 'view'> {
  /** Identifies the session. */
  readonly key: string;
  /** Absent where it is the one that was sent last for this key. */
  readonly view?: ContentView;
}

/** A question about recorded runs. */
export interface RecordQuery<Name extends RunQuestion = RunQuestion> {
  readonly name: Name;
  readonly params: RunQuestions[Name]['params'];
}

/** Views that a worker keeps: as many as the main thread knows that it has. */
export const MAX_VIEWS = 8;

export interface LocateParams {
  readonly path: string;
  readonly pointers: readonly Pointer[];
}

export interface EvaluateParams extends ModelSettings {
  readonly group: FileGroup;
  readonly settings: GroupSettings;
}

export interface AgentToolParams extends ModelSettings {
  readonly query: AgentToolQuery;
}

/** What an evaluation knows of the editor when it starts. */
export interface ModelSettings {
  readonly isTrusted: boolean;
  readonly hasTurnwiseExtension: boolean;
  readonly consentPath: string;
}

/** What an evaluation calls in the main thread: it reports, and asks what only the editor knows. */
export interface EvaluationHost extends GroupEvents, WorkMarker, ModelHostCalls {
  /** A run is recorded from now on. @param id of the run */
  readonly onRecording: (id: string) => void;
}

/** What only the editor knows about models. */
export interface ModelHostCalls
  extends Pick<Editor, 'folders' | 'findKey' | 'listEditorModels' | 'notify' | 'reportMissingKey'> {
  readonly choose: (question: UserQuestion<string>) => Promise<string | null>;
  readonly requestConsent: (request: Omit<ConsentRequest, 'onWait'>) => Promise<ConsentDecision>;
  /** @param id by which the question can be cancelled. */
  readonly askEditorModel: (id: string, request: EditorModelRequest) => Promise<EditorModelAnswer>;
  readonly cancelEditorModel: (id: string) => void;
}
