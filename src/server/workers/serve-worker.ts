import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { parentPort } from 'node:worker_threads';
import {
  createMessageConnection,
  type MessageConnection,
  PortMessageReader,
  PortMessageWriter,
} from 'vscode-languageserver/node';
import { evaluateFiles as evaluateFilesOfLibrary } from '../../app/evaluate-files.ts';
import { raceAbort } from '../../core/async/race-abort.ts';
import { LruCache } from '../../core/cache/lru-cache.ts';
import { lazy } from '../../core/cache/memoize.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { nodeFileSystem } from '../../input/node-file-system.ts';
import type { RequestHandler } from '../../protocol/rpc.ts';
import { editorRemedies } from '../../runs/remedies.ts';
import type { RunStore } from '../../runs/run-store.ts';
import { dataFolder } from '../../store/home.ts';
import { openRunStore } from '../../store/runs/run-store.ts';
import { toAbortSignal } from '../abort-signal.ts';
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
  HOST_CALL,
  type HostCall,
  MAX_VIEWS,
  type ModelSettings,
  ownWorkerData,
  PROCESS_NEWS,
  type ProcessNews,
  type WorkerMethod,
  type WorkerRequests,
} from './messages.ts';

const BEAT_MS = 25;

export interface WorkerServerOptions {
  readonly files?: FileSystem;
  readonly evaluateFiles?: EvaluateWithDecision;
}

/** Works for the thread that started this one, if this is a worker of the language server. */
export function serveWorker({
  files = nodeFileSystem,
  evaluateFiles = evaluateFilesOfLibrary,
}: WorkerServerOptions = {}): void {
  const data = ownWorkerData();
  if (!data || !parentPort) return;
  const beats = new Int32Array(data.beats);
  const beat = () => Atomics.add(beats, 0, 1);
  const connection = createMessageConnection(new PortMessageReader(parentPort), new PortMessageWriter(parentPort));
  const requests: RequestHandler = connection;
  const serve = <Method extends WorkerMethod>(
    method: Method,
    work: (params: WorkerRequests[Method]['params'], signal: AbortSignal) => Promise<WorkerRequests[Method]['result']>,
  ) => {
    requests.onRequest(method, async (params, token) => {
      using stop = toAbortSignal(token);
      const timer = setInterval(beat, BEAT_MS);
      try {
        return await work(params as WorkerRequests[Method]['params'], stop.signal);
      } finally {
        clearInterval(timer);
      }
    });
  };
  reportProcesses((news) => void connection.sendNotification(PROCESS_NEWS, news).catch(() => {}));
  const texts = new FileTexts(files);
  const runs = lazy(openRuns);
  serve('evaluate', (params, signal) => evaluate(params, signal, { files, evaluateFiles, connection, runs }));
  serve('sniff', ({ path }) => sniffFile(files, path));
  serve('planSidecarEdit', (edit) => planSidecarEdit(files, edit));
  serve('locate', ({ path, pointers }) => texts.find(path, pointers));
  const contents = new ContentAnswers(files);
  const views = new LruCache<string, ContentView>(MAX_VIEWS);
  serve('answer', ({ key, view = views.get(key), ...query }, signal) => {
    if (!view) throw new Error('The session is unknown to this worker.');
    views.set(key, view);
    return contents.answer({ ...query, view }, signal);
  });
  const answerRuns = lazy(() => createRunAnswers(runs(), files));
  serve('runs', ({ name, params }, signal) => answerRuns()(name, params, signal));
  connection.listen();
  beat();
}

/** The store has one index, which threads and processes share. */
function openRuns(): RunStore {
  const warn = (sentence: string) => void process.stderr.write(`${sentence}\n`);
  return openRunStore(dataFolder(process.env), { cwd: process.cwd(), warn, remedies: editorRemedies });
}

/** A thread that is terminated cannot end the processes that it has started: the main thread does. */
function reportProcesses(tell: (news: ProcessNews) => void): void {
  subscribe('child_process', (message) => {
    const { process: child } = message as { readonly process: ChildProcess };
    child.once('spawn', () => {
      const { pid } = child;
      if (pid === undefined) return;
      tell({ started: pid });
      child.once('exit', () => tell({ ended: pid }));
    });
  });
}

function evaluate(
  { group, settings, ...ofEditor }: EvaluateParams,
  signal: AbortSignal,
  {
    files,
    evaluateFiles,
    connection,
    runs,
  }: Required<WorkerServerOptions> & { readonly connection: MessageConnection; readonly runs: () => RunStore },
) {
  const host = evaluationHost(connection);
  const editor = hostEditor(host, ofEditor);
  const consent = {
    path: ofEditor.consentPath,
    request: ({ onWait: _, ...request }: Parameters<ConstructorParameters<typeof ModelAccess>[1]['request']>[0]) =>
      host.requestConsent(request),
  };
  const access = new ModelAccess(editor, consent, process.env);
  const evaluateGroup = createGroupEvaluation(
    withFolderConfiguration(evaluateFiles, editor, access, new RunRecordings(runs, editor, host.onRecording)),
    files,
    host,
  );
  return evaluateGroup(group, { ...host, signal, settings });
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
function evaluationHost(connection: MessageConnection): EvaluationHost {
  const tell =
    <Name extends keyof EvaluationHost>(name: Name) =>
    (...args: Parameters<EvaluationHost[Name]>): void => {
      const call: HostCall = { name, args };
      // A closed port has no thread behind it that would miss anything.
      connection.sendNotification(HOST_CALL, call).catch(() => {});
    };
  const ask =
    <Name extends keyof EvaluationHost>(name: Name) =>
    (...args: Parameters<EvaluationHost[Name]>): Promise<Awaited<ReturnType<EvaluationHost[Name]>>> => {
      const call: HostCall = { name, args };
      return connection.sendRequest(HOST_CALL, call);
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
