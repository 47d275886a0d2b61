import { randomUUID } from 'node:crypto';
import { evaluateFiles as evaluateFilesOfLibrary } from '../../app/evaluate-files.ts';
import { raceAbort } from '../../core/async/race-abort.ts';
import { LruCache } from '../../core/cache/lru-cache.ts';
import { lazy } from '../../core/cache/memoize.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { nodeFileSystem } from '../../input/node-file-system.ts';
import { editorRemedies } from '../../runs/remedies.ts';
import type { RunStore } from '../../runs/run-store.ts';
import { dataFolder } from '../../store/home.ts';
import { openRunStore } from '../../store/runs/run-store.ts';
import { type ServedWorker, serveAsWorker } from '../../workers/serve-worker.ts';
import type { HostCall } from '../../workers/worker-messages.ts';
import { ModelAccess } from '../consent/model-access.ts';
import { sniffFile } from '../disk/sniff-file.ts';
import type { ModelEditor } from '../editor.ts';
import { planSidecarEdit } from '../edits/plan-sidecar-edit.ts';
import { type EvaluateWithDecision, withFolderConfiguration } from '../evaluation/folder-configuration.ts';
import { createGroupEvaluation } from '../evaluation/group-evaluation.ts';
import { ContentAnswers } from '../report/content-answers.ts';
import { FileTexts } from '../results/file-texts.ts';
import type { ContentView } from '../results/session-results-view.ts';
import { createRunAnswers } from '../runs/run-answers.ts';
import { RunRecordings } from '../runs/run-recordings.ts';
import {
  type EvaluateParams,
  type EvaluationHost,
  FILE_WORKER,
  MAX_VIEWS,
  type ModelSettings,
  type WorkerRequests,
} from './messages.ts';

export interface WorkerServerOptions {
  readonly files?: FileSystem;
  readonly evaluateFiles?: EvaluateWithDecision;
}

/** Works for the thread that started this one, if this is a worker of the language server. */
export function serveWorker({
  files = nodeFileSystem,
  evaluateFiles = evaluateFilesOfLibrary,
}: WorkerServerOptions = {}): void {
  serveAsWorker<WorkerRequests, null>(FILE_WORKER, (worker) => {
    const texts = new FileTexts(files);
    const runs = lazy(openRuns);
    worker.serve('evaluate', (params, signal) => evaluate(params, signal, { files, evaluateFiles, worker, runs }));
    worker.serve('sniff', ({ path }) => sniffFile(files, path));
    worker.serve('planSidecarEdit', (edit) => planSidecarEdit(files, edit));
    worker.serve('locate', ({ path, pointers }) => texts.find(path, pointers));
    const contents = new ContentAnswers(files);
    const views = new LruCache<string, ContentView>(MAX_VIEWS);
    worker.serve('answer', ({ key, view = views.get(key), ...query }, signal) => {
      if (!view) throw new Error('The session is unknown to this worker.');
      views.set(key, view);
      return contents.answer({ ...query, view }, signal);
    });
    const answerRuns = lazy(() => createRunAnswers(runs(), files));
    worker.serve('runs', ({ name, params }, signal) => answerRuns()(name, params, signal));
    const tools = lazy(async () => {
      const { AgentToolCalls } = await import('../agent-tools/tool-calls.ts');
      return new AgentToolCalls(runs(), files);
    });
    worker.serve('agentTool', async ({ query, ...ofEditor }, signal) =>
      (await tools()).call(query, modelsOfEditor(evaluationHost(worker), ofEditor), signal),
    );
    worker.serve('agentToolCost', async ({ query, ...ofEditor }, signal) =>
      (await tools()).cost(query, modelsOfEditor(evaluationHost(worker), ofEditor), signal),
    );
  });
}

/** The store has one index, which threads and processes share. */
function openRuns(): RunStore {
  const warn = (sentence: string) => void process.stderr.write(`${sentence}\n`);
  return openRunStore(dataFolder(process.env), { cwd: process.cwd(), warn, remedies: editorRemedies });
}

type MainThread = Pick<ServedWorker<WorkerRequests, null>, 'tellHost' | 'askHost'>;

function evaluate(
  { group, settings, ...ofEditor }: EvaluateParams,
  signal: AbortSignal,
  {
    files,
    evaluateFiles,
    worker,
    runs,
  }: Required<WorkerServerOptions> & { readonly worker: MainThread; readonly runs: () => RunStore },
) {
  const host = evaluationHost(worker);
  const { editor, access } = modelsOfEditor(host, ofEditor);
  const evaluateGroup = createGroupEvaluation(
    withFolderConfiguration(evaluateFiles, editor, access, new RunRecordings(runs, editor, host.onRecording)),
    files,
    host,
  );
  return evaluateGroup(group, { ...host, signal, settings });
}

/** What this thread may ask of models. */
function modelsOfEditor(host: EvaluationHost, ofEditor: ModelSettings) {
  const editor = hostEditor(host, ofEditor);
  const consent = {
    path: ofEditor.consentPath,
    request: ({ onWait: _, ...request }: Parameters<ConstructorParameters<typeof ModelAccess>[1]['request']>[0]) =>
      host.requestConsent(request),
  };
  return { editor, access: new ModelAccess(editor, consent, process.env) };
}

/** What the editor is to an evaluation in this thread. */
function hostEditor(host: EvaluationHost, { isTrusted, hasTurnwiseExtension }: ModelSettings): ModelEditor {
  const { folders, findKey, listEditorModels, notify, reportMissingKey } = host;
  return {
    isTrusted: () => isTrusted,
    hasTurnwiseExtension: () => hasTurnwiseExtension,
    folders,
    findKey,
    listEditorModels,
    askEditorModel: async (request, signal) => {
      const id = randomUUID();
      const cancel = () => host.cancelEditorModel(id);
      signal.addEventListener('abort', cancel, { once: true });
      return host.askEditorModel(id, request).finally(() => signal.removeEventListener('abort', cancel));
    },
    notify,
    reportMissingKey,
    choose: async <Answer extends string>(question: Parameters<ModelEditor['choose']>[0]) => {
      const chosen = await host.choose(question);
      return (Object.keys(question.buttons) as Answer[]).find((answer) => answer === chosen) ?? null;
    },
    // The main thread counts who waits.
    questions: { waitFor: (_id, answer, signal) => raceAbort(answer, signal) },
  };
}

/** The main thread, by the messages to it. */
function evaluationHost(worker: MainThread): EvaluationHost {
  const tell =
    <Name extends keyof EvaluationHost>(name: Name) =>
    (...args: Parameters<EvaluationHost[Name]>): void => {
      const call: HostCall = { name, args };
      worker.tellHost(call);
    };
  const ask =
    <Name extends keyof EvaluationHost>(name: Name) =>
    (...args: Parameters<EvaluationHost[Name]>): Promise<Awaited<ReturnType<EvaluationHost[Name]>>> => {
      const call: HostCall = { name, args };
      return worker.askHost(call) as Promise<Awaited<ReturnType<EvaluationHost[Name]>>>;
    };
  return {
    start: tell('start'),
    end: tell('end'),
    onContent: tell('onContent'),
    onFile: tell('onFile'),
    onRead: tell('onRead'),
    onResults: tell('onResults'),
    onLocalReport: tell('onLocalReport'),
    onJudging: tell('onJudging'),
    onCall: ({ cached }) => tell('onCall')({ cached }),
    onWait: tell('onWait'),
    onRecording: tell('onRecording'),
    resume: ask('resume'),
    folders: ask('folders'),
    findKey: ask('findKey'),
    listEditorModels: ask('listEditorModels'),
    askEditorModel: ask('askEditorModel'),
    cancelEditorModel: tell('cancelEditorModel'),
    choose: ask('choose'),
    requestConsent: ask('requestConsent'),
    notify: tell('notify'),
    reportMissingKey: tell('reportMissingKey'),
  };
}
