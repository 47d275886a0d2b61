import type { EvaluateFilesOptions } from '../../app/evaluate-files.ts';
import type { ScenarioSettings } from '../../app/scenario-evaluation.ts';
import type { ConfigFlags } from '../../config/flags.ts';
import type { Configuration, ConfigurationInput } from '../../config/schema.ts';
import { Throttle } from '../../core/async/throttle.ts';
import type { Report } from '../../core/report.ts';
import type { Pointer, Session } from '../../core/session.ts';
import type { RunEvent } from '../../engine/events.ts';
import { type FileSystem, RefusedFile } from '../../input/file-system.ts';
import type { Locator, TextRange } from '../../input/load.ts';
import type { CallLog } from '../../llm/chat-client.ts';
import { toolNameMatcher } from '../../rules/shared/tool-effect.ts';
import type { FileStamp } from '../disk/file-stamp.ts';
import { hashingFiles } from '../results/hashing-files.ts';
import { type LoadedSession, summarizeSession } from '../results/loaded-session.ts';
import type { Positions } from '../results/positions.ts';
import { type PartialReport, reportPointers } from '../results/session-results-view.ts';
import { type FileGroup, GroupFiles } from './group-by-config.ts';
import { createPartialReport, emptySessionReport } from './partial-results.ts';

/** Attempts at scenarios that were just made, as they are evaluated. */
export interface ScenarioEvaluation {
  /** Of the run that made them. */
  readonly runId: string;
  /** Their scenario file, whose nearest configuration counts. */
  readonly file: string;
  readonly settings: ScenarioSettings;
}

/** What one run does otherwise than the configuration says, as options of the command line do. */
export type Overrides = Pick<ConfigFlags, 'judge' | 'judgeUrl' | 'metrics'>;

/** The part of the library that an evaluation in the editor uses. */
export type EvaluateFiles = (
  paths: readonly string[],
  configuration: ConfigurationInput | Configuration,
  options: {
    readonly signal: AbortSignal;
    /** Whether models may not be used, whatever the configuration says. */
    readonly rulesOnly?: boolean;
    readonly withoutEditorModels?: boolean;
    /** Whether it becomes a recorded run. */
    readonly isRecorded?: boolean;
    readonly overrides?: Overrides;
    /** Where the files are attempts at scenarios. */
    readonly scenarios?: ScenarioEvaluation;
    readonly runId?: string;
    readonly files?: FileSystem;
    readonly onFile: (file: string) => void;
    readonly onRead?: (read: LoadedFiles) => void;
    readonly onResult: (event: RunEvent) => void;
    /** Like `onResult`, of what is evaluated before a judge is asked: rules, and metrics without a judge. */
    readonly onLocalResult?: (event: RunEvent) => void;
    /** Called with all of it, before the user is asked about a judge and before a judge is asked. */
    readonly onLocalReport?: (report: Report) => void;
    /** Called before a judge is asked, with about how many calls it gets. */
    readonly onJudging?: (calls: number) => void;
    /** Called after each call of a model. */
    readonly onCall?: (call: Pick<CallLog, 'cached'>) => void;
    /** Called with what the evaluation waits for while the user is asked; other evaluations run meanwhile. */
    readonly onWait?: (what: string) => void;
    /** Awaited before it goes on, so that a running evaluation can finish first. */
    readonly resume?: () => Promise<void>;
  } & Pick<EvaluateFilesOptions, 'onSessionStart' | 'sessionsAtOnce'>,
) => Promise<LoadedFiles & { readonly report: Report; readonly rulesOnly?: boolean }>;

/** What was read, before any of it is evaluated. */
export interface LoadedFiles {
  readonly sessions: readonly Session[];
  readonly locator: Locator;
  /** As the configuration names them. */
  readonly stateChangingTools?: readonly string[];
}

/** Evaluates the files of a group, wherever their texts are read. All that it is given and gives is plain data. */
export type EvaluateGroup = (group: FileGroup, options: GroupOptions) => Promise<GroupResult>;

export interface GroupResult {
  readonly report: Report;
  /** Whether models were left out, although the configuration names some. */
  readonly rulesOnly: boolean;
  /** Positions that were not reported before. */
  readonly positions: Positions;
  readonly sessions: readonly LoadedSession[];
  /** Folders inside the group that belong to other groups. */
  readonly otherFolders: readonly string[];
}

/** A result as it arrives. */
export interface StreamedResult {
  readonly event: RunEvent;
  /** Whether it was evaluated before a judge is asked: rules, and metrics without a judge. */
  readonly isLocal: boolean;
}

/** What has become known of a group while it is evaluated. */
export interface GroupEvents {
  /** A file was read. */
  readonly onContent: (path: string, stamp: FileStamp) => void;
  /** A trace was read. */
  readonly onFile: () => void;
  /** All files are read. */
  readonly onRead: (sessions: readonly LoadedSession[]) => void;
  /** @param positions those of the results that were not reported before. */
  readonly onResults: (results: readonly StreamedResult[], positions: Positions) => void;
  /** All that needs no judge is evaluated. */
  readonly onLocalReport: (report: Report, positions: Positions) => void;
  readonly onJudging: (calls: number) => void;
  readonly onCall: (call: Pick<CallLog, 'cached'>) => void;
  readonly onWait: (what: string) => void;
  readonly resume: () => Promise<void>;
}

/** For an evaluation of which only the result counts. */
export const NO_GROUP_EVENTS: GroupEvents = {
  onContent() {},
  onFile() {},
  onRead() {},
  onResults() {},
  onLocalReport() {},
  onJudging() {},
  onCall() {},
  onWait() {},
  resume: async () => {},
};

/** How a group is evaluated. */
export interface GroupSettings {
  readonly rulesOnly: boolean;
  /** Whether nothing but rules runs where the judge is one of the editor's models, because nobody asked for the evaluation. */
  readonly withoutEditorModels?: boolean;
  /** Whether it becomes a recorded run; by default not. */
  readonly isRecorded?: boolean;
  readonly overrides?: Overrides;
  readonly scenarios?: ScenarioEvaluation;
  /** Files that are not read, and why not: clauses by path. */
  readonly unreadable?: ReadonlyMap<string, string>;
  /** How many sessions are evaluated at once; by default as many as suit the models. */
  readonly sessionsAtOnce?: number;
}

export interface GroupOptions extends GroupEvents {
  readonly signal: AbortSignal;
  readonly settings: GroupSettings;
  /** The evaluation has given no sign of life for a moment, though it may yet go on. */
  readonly onBusy?: () => void;
}

/** What an evaluation works on, for one who must know which file it does not get on with. */
export interface WorkMarker {
  /** @param what identifies the work. */
  start(what: string, file: string): void;
  end(what: string): void;
}

const NO_MARKER: WorkMarker = { start() {}, end() {} };

/** What is not the work on one session: reading a file, or resolving its pointers. */
const FILE = 'file';

/** Evaluates groups in this thread. */
export function createGroupEvaluation(
  evaluateFiles: EvaluateFiles,
  files: FileSystem,
  marker: WorkMarker = NO_MARKER,
): EvaluateGroup {
  return async (group, options) => {
    const { unreadable = new Map(), ...settings } = options.settings;
    const { files: inGroup, otherFolders } = new GroupFiles(files, group);
    const positions = new PositionFinder(marker);
    const waiting: StreamedResult[] = [];
    let loaded: readonly LoadedSession[] = [];
    const flush = () => {
      if (waiting.length === 0) return;
      const results = waiting.splice(0);
      options.onResults(results, positions.find(reportOfResults(results, loaded)));
    };
    using updates = new Throttle(flush);
    const take = (event: RunEvent, isLocal: boolean) => {
      if (event.type === 'session') marker.end(sessionWork(event.session.id));
      waiting.push({ event, isLocal });
      updates.schedule();
    };
    const readable = markedFiles(hashingFiles(inGroup, options.onContent), unreadable, marker);
    const {
      report,
      rulesOnly = false,
      ...read
    } = await evaluateFiles(
      group.paths,
      {},
      {
        ...settings,
        ...(settings.scenarios && { runId: settings.scenarios.runId }),
        signal: options.signal,
        files: readable,
        onFile: options.onFile,
        onRead: (read) => {
          marker.end(FILE);
          positions.locator = read.locator;
          loaded = summarizeSessions(read);
          options.onRead(loaded);
        },
        onSessionStart: ({ id, source }) => marker.start(sessionWork(id), source.file),
        onResult: (event) => take(event, false),
        onLocalResult: (event) => take(event, true),
        onLocalReport: (local) => {
          flush();
          options.onLocalReport(local, positions.find(local));
        },
        onJudging: options.onJudging,
        onCall: options.onCall,
        onWait: options.onWait,
        resume: options.resume,
      },
    ).then(({ locator, ...read }) => {
      positions.locator = locator;
      return read;
    });
    flush();
    return {
      report,
      rulesOnly,
      positions: positions.find(report),
      sessions: loaded.length === read.sessions.length ? loaded : summarizeSessions(read),
      otherFolders: [...otherFolders],
    };
  };
}

function sessionWork(id: string): string {
  return `session ${id}`;
}

/** Names each file before it is read, since it is parsed afterwards. */
function markedFiles(files: FileSystem, unreadable: ReadonlyMap<string, string>, marker: WorkMarker): FileSystem {
  return {
    ...files,
    read: async (path, signal) => {
      const why = unreadable.get(path);
      if (why !== undefined) throw new RefusedFile(why);
      marker.start(FILE, path);
      return files.read(path, signal);
    },
  };
}

/** Finds each position once. */
class PositionFinder {
  locator: Locator | null = null;
  readonly #marker: WorkMarker;
  readonly #known = new Map<string, Set<Pointer>>();

  constructor(marker: WorkMarker) {
    this.#marker = marker;
  }

  /** The positions of a report that were not found before. */
  find(report: PartialReport): Positions {
    const positions = new Map<string, ReadonlyMap<Pointer, TextRange>>();
    for (const [file, pointers] of reportPointers(report)) {
      const known = this.#known.get(file) ?? new Set();
      this.#known.set(file, known);
      const open = [...pointers].filter((pointer) => !known.has(pointer));
      for (const pointer of open) known.add(pointer);
      if (open.length === 0 || !this.locator) continue;
      this.#marker.start(FILE, file);
      positions.set(file, this.locator.locate(file, open));
      this.#marker.end(FILE);
    }
    return positions;
  }
}

/** A report that names all locations of some results. */
function reportOfResults(results: readonly StreamedResult[], loaded: readonly LoadedSession[]): PartialReport {
  const sessions = new Map(loaded.map((session) => [session.id, session]));
  const turns = results.flatMap(({ event }) => (event.type === 'turn' ? [event] : []));
  const finished = results.flatMap(({ event }) => (event.type === 'session' ? [event.session] : []));
  const started = results.some(({ event }) => event.type === 'started') ? loaded.map(emptySessionReport) : [];
  return createPartialReport({
    sessions: [
      ...started,
      ...finished,
      ...turns.flatMap(({ session: id, turn }) => {
        const session = sessions.get(id);
        return session ? [{ ...emptySessionReport(session), turns: [turn] }] : [];
      }),
    ],
    failures: turns.flatMap(({ failures }) => failures),
    observations: turns.flatMap(({ observations }) => observations),
  });
}

function summarizeSessions({ sessions, stateChangingTools = [] }: Omit<LoadedFiles, 'locator'>): LoadedSession[] {
  const changesState = toolNameMatcher(stateChangingTools);
  return sessions.map((session) => summarizeSession(session, changesState));
}
