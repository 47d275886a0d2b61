import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FailureGroup, Gate, Observation, Report, SessionReport, TurnReport } from '../../core/report.ts';
import { isSidecar } from '../../core/trace-file-names.ts';
import type { RunEvent } from '../../engine/events.ts';
import { sessionKey } from '../../protocol/panel.ts';
import type { FileStamp } from '../disk/file-stamp.ts';
import type { FileStamps } from '../disk/file-stamps.ts';
import type { DirtyDocuments } from '../results/dirty-documents.ts';
import { CRITERIA_FILE, EvaluatedFile } from '../results/evaluated-file.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';
import type { LoadedSession } from '../results/loaded-session.ts';
import { isJudged, withEarlierScores, withOutdatedScores } from '../results/outdated-scores.ts';
import { type Positions, PositionTable } from '../results/positions.ts';
import { buildRows, type ResultRows, type SessionResultsView } from '../results/session-results-view.ts';
import {
  createPartialReport,
  emptySessionReport,
  fillMissingResults,
  isFinished,
  isStarted,
  mergeSessionView,
  withoutJudge,
} from './partial-results.ts';

export interface StreamingRunOptions {
  readonly results: EvaluationResults;
  readonly documents: DirtyDocuments;
  readonly disk: FileStamps;
}

/** A run that has ended. */
interface FinishedRun {
  /** Whether models were not used, whatever the configuration says. */
  readonly rulesOnly: boolean;
  /** Files and folders that were evaluated. */
  readonly paths: readonly string[];
  /** Folders inside them that were not. */
  readonly otherFolders: ReadonlySet<string>;
  readonly report: Report;
}

export interface RunChanges {
  /** The results of the run. */
  readonly rows: ResultRows;
  /** Files whose results have changed. */
  readonly changedPaths: readonly string[];
}

/** What has become known of a session since results were last shown. */
interface SessionUpdate {
  readonly turns: TurnReport[];
  readonly failures: FailureGroup[];
  readonly observations: Observation[];
  /** Set when all its turns are evaluated. */
  finished: { readonly report: SessionReport; readonly gates: readonly Gate[] } | null;
}

/** Streams the results of an evaluation: turn by turn while it runs, and as a whole when it ends. */
export class StreamingRun {
  readonly #parts: StreamingRunOptions;
  readonly #texts = new Map<string, EvaluatedFile>();
  readonly #inputs = { beside: new Map<string, string>(), above: new Map<string, string>() };
  readonly #looking: Promise<void>[] = [];
  readonly #positions = new PositionTable();
  #read: readonly LoadedSession[] | null = null;
  readonly #sessions = new Map<string, LoadedSession>();
  /** Earlier results of these sessions, by key. */
  readonly #before = new Map<string, SessionResultsView>();
  /** Ids of sessions that a judge had scored, and whether these results are still right. */
  readonly #judged = new Map<string, { readonly isCurrent: boolean }>();
  /** Results without a judge, by key. */
  readonly #local = new Map<string, SessionResultsView>();
  readonly #news = new Map<string, SessionUpdate>();
  /** All problems and observations of sessions that are not finished. */
  readonly #found = new Map<string, Pick<SessionUpdate, 'failures' | 'observations'>>();
  readonly #turnsDone = new Map<string, number>();
  /** The views that are shown of this evaluation, by session id. */
  readonly #shown = new Map<string, SessionResultsView>();

  constructor(parts: StreamingRunOptions) {
    this.#parts = parts;
  }

  /** Called before anything is read. @param configurations under which the files are evaluated. */
  async start(configurations: readonly string[]): Promise<void> {
    await Promise.all(configurations.map((path) => this.#look(path, this.#inputs.above)));
  }

  async #look(path: string, inputs: Map<string, string>): Promise<void> {
    const stamp = await this.#parts.disk.get(path);
    if (stamp) inputs.set(path, stamp.hash);
  }

  /** A file was read. */
  readonly onContent = (path: string, stamp: FileStamp): void => {
    const { disk, documents, results } = this.#parts;
    disk.set(path, stamp);
    if (isSidecar(path)) this.#inputs.beside.set(path, stamp.hash);
    // Earlier results are stale unless the content is the same.
    results.updateHash(path, stamp.hash, documents.isDirty(path));
    const text = new EvaluatedFile(path, stamp, this.#inputs);
    if (documents.isDirty(path)) text.addEdits(documents.edits(path));
    this.#texts.set(path, text);
    results.addVersion(text);
  };

  /** Adds positions that following results refer to. */
  addPositions(positions: Positions): void {
    this.#positions.add(positions);
  }

  /** Whether the content that was read is still the current one, or the file has not been read yet. */
  isCurrent(path: string): boolean {
    const text = this.#texts.get(path);
    return text ? !text.isChanged : this.#read === null;
  }

  /** Called when all files are read. */
  readonly onRead = (read: readonly LoadedSession[]): void => {
    this.#read = read;
    const beside = new Set<string>();
    for (const session of read) {
      this.#sessions.set(session.id, session);
      const key = sessionKey(pathToFileURL(session.source.file).href, session.id);
      const before = this.#parts.results.session(key);
      if (before) this.#before.set(key, before);
      if (before && isJudged(before)) this.#judged.set(session.id, { isCurrent: this.#isFresh(before) });
      beside.add(join(dirname(session.source.file), CRITERIA_FILE));
    }
    for (const path of beside) this.#looking.push(this.#look(path, this.#inputs.beside));
  };

  #isFresh(view: SessionResultsView): boolean {
    return this.#parts.results.sessionRow(view).state === 'fresh';
  }

  /** Like `onResult`, of what is evaluated before a judge is asked. It does not hide earlier scores. */
  readonly onLocalResult = (event: RunEvent): void => {
    if (event.type === 'started') return;
    const id = event.type === 'turn' ? event.session : event.session.id;
    if (!this.#judged.has(id)) this.onResult(event);
  };

  /**
   * All that needs no judge is evaluated. It stays, whatever becomes of the judge, and is shown as being evaluated.
   *
   * @returns the files with changes.
   */
  settleLocal(report: Report): readonly string[] {
    if (!this.#read) return [];
    const { results } = this.#parts;
    const { sessions: all, problems } = buildRows(report, this.#positions, this.#read);
    const sessions = all
      // Results with a judge are more than those without.
      .filter(({ row }) => !this.#judged.get(row.id)?.isCurrent)
      .map((view) => withOutdatedScores(view, this.#before.get(view.row.key)));
    const changed = results.merge({ sessions, problems }, this.#texts);
    for (const known of [this.#shown, this.#news, this.#found, this.#turnsDone]) known.clear();
    for (const view of sessions) {
      this.#local.set(view.row.key, view);
      const shown = withEarlierScores(view, this.#before.get(view.row.key));
      this.#shown.set(view.row.id, { ...shown, row: { ...view.row, turnsDone: 0 } });
    }
    results.showPartial(sessions, [...this.#shown.values()], this.#texts);
    return changed;
  }

  readonly onResult = (event: RunEvent): void => {
    if (event.type === 'turn') {
      const { session, turn, failures, observations } = event;
      const news = this.#newsOf(session);
      news.turns.push(turn);
      const findings = this.#found.get(session) ?? { failures: [], observations: [] };
      this.#found.set(session, findings);
      for (const to of [news, findings]) {
        to.failures.push(...failures);
        to.observations.push(...observations);
      }
      this.#turnsDone.set(session, (this.#turnsDone.get(session) ?? 0) + 1);
    } else if (event.type === 'session') {
      this.#newsOf(event.session.id).finished = { report: event.session, gates: event.gates };
    }
  };

  #newsOf(session: string): SessionUpdate {
    const news = this.#news.get(session) ?? { turns: [], failures: [], observations: [], finished: null };
    this.#news.set(session, news);
    return news;
  }

  /** Shows what has arrived since the last call. @returns the files with changes. */
  showPartial(): Iterable<string> {
    if (!this.#read) return [];
    const { results } = this.#parts;
    const rows = buildRows(this.#reportOfNews(), this.#positions, this.#read).sessions;
    for (const row of rows) this.#shown.set(row.row.id, this.#asShown(row));
    this.#news.clear();
    results.showPartial(rows, [...this.#shown.values()], this.#texts);
    return new Set(rows.flatMap(({ files }) => files));
  }

  /** A session without earlier results is shown as soon as it is read. */
  #reportOfNews() {
    const waiting = [...this.#sessions.values()].filter((session) => this.#isUnheard(session));
    const news = [...this.#news].flatMap(([id, update]) => {
      const session = this.#sessions.get(id);
      if (!session) return [];
      if (!update.finished)
        return [{ report: { ...emptySessionReport(session), turns: update.turns }, gates: [], found: update }];
      const all = this.#found.get(id) ?? update;
      this.#found.delete(id);
      return [{ report: update.finished.report, gates: update.finished.gates, found: all }];
    });
    return createPartialReport({
      sessions: [...news.map(({ report }) => report), ...waiting.map(emptySessionReport)],
      failures: news.flatMap(({ found }) => found.failures),
      observations: news.flatMap(({ found }) => found.observations),
      gates: news.flatMap(({ gates }) => gates),
    });
  }

  #isUnheard({ id, source }: LoadedSession): boolean {
    if (this.#shown.has(id) || this.#news.has(id)) return false;
    return !this.#parts.results.session(sessionKey(pathToFileURL(source.file).href, id));
  }

  #asShown(now: SessionResultsView): SessionResultsView {
    const { id, key } = now.row;
    const before = this.#shown.get(id) ?? this.#parts.results.session(key);
    if (this.#news.get(id)?.finished) return withOwnThresholds(now, before);
    const turns = this.#sessions.get(id)?.turns ?? 0;
    return mergeSessionView(before, now, { turns, turnsDone: this.#turnsDone.get(id) ?? 0 });
  }

  /** The evaluation has ended: its results replace the earlier ones, as far as it went. */
  async finish(
    { paths, otherFolders: others, report, rulesOnly }: FinishedRun,
    sessions: readonly LoadedSession[],
  ): Promise<RunChanges> {
    await Promise.all(this.#looking);
    const { results } = this.#parts;
    const built = buildRows(report, this.#positions, sessions);
    const asBefore = (view: SessionResultsView) => withOutdatedScores(view, this.#before.get(view.row.key));
    if (report.run.complete) {
      const rows = rulesOnly ? { ...built, sessions: built.sessions.map(asBefore) } : built;
      return { rows, changedPaths: results.replace(paths, rows, this.#texts, others) };
    }
    // Earlier results are visible again.
    const withdrawn = this.withdraw();
    const { sessions: all, problems } = built;
    const judged = all.flatMap((view) => this.#keptWhenStopped(view) ?? []);
    const keys = new Set(judged.map(({ row }) => row.key));
    const local = [...this.#local.values()].filter((view) => !keys.has(view.row.key) && this.#isSettled(view));
    const rows = { sessions: [...judged, ...local.map(withoutJudge)], problems };
    return { rows, changedPaths: [...new Set([...withdrawn, ...results.merge(rows, this.#texts)])] };
  }

  /** What a stopped evaluation knows of a session; null where other results of it are better. */
  #keptWhenStopped(view: SessionResultsView): SessionResultsView | null {
    const { report } = view.detail;
    if (isFinished(report)) return view;
    if (!isStarted(report)) return null;
    const local = this.#local.get(view.row.key);
    if (local && this.#isSettled(local)) return fillMissingResults(view, local);
    return this.#parts.results.session(view.row.key) ? null : view;
  }

  /** Whether it is the final result so far: another evaluation can have replaced it. */
  #isSettled(view: SessionResultsView): boolean {
    return this.#parts.results.session(view.row.key) === view;
  }

  /** Removes results that were shown and are not final. @returns the files that showed any. */
  withdraw(): readonly string[] {
    return this.#parts.results.endRun(this.#texts);
  }
}

/** Until the run ends and says it, thresholds are those of the run before, so that lenses stay where they are. */
function withOwnThresholds(now: SessionResultsView, before: SessionResultsView | undefined): SessionResultsView {
  const ownThresholds = before?.detail.run.ownThresholds;
  if (!ownThresholds) return now;
  return { ...now, detail: { ...now.detail, run: { ...now.detail.run, ownThresholds } } };
}
