import { fileURLToPath } from 'node:url';
import type { SessionRow } from '../../protocol/messages.ts';
import { type Outline, type OutlineRow, outline, sessionsOf, type Verdicts } from '../../protocol/outline.ts';
import { answer } from '../../protocol/request.ts';
import type { Feature } from '../context.ts';
import type { Part, Results } from '../held/results.ts';
import type { HeldSession } from '../held/rows.ts';

/** What a list of all results is made of. */
export const outlines: Feature = ({ connection, results }) => {
  answer(connection, outline, ({ offset, limit }) => outlineOf(results, offset, limit));
  answer(connection, sessionsOf, ({ of, offset, limit }) => {
    return part('file' in of ? beginningIn(of.file, results) : withVerdict(of.verdict, results), offset, limit);
  });
  return {};
};

export function outlineOf(results: Results, offset: number, limit: number): Outline {
  const sessions = allRows(results).flatMap(({ key }) => results.session(key) ?? []);
  return {
    ...part(outlineRows(results), offset, limit),
    verdicts: counted(sessions),
    unreadable: new Set(results.problems.map(({ file }) => file)).size,
    judges: [...new Set(sessions.flatMap((session) => [...judgesOf(session)]))],
  };
}

/** What is held of a session never changes. */
const JUDGES = new WeakMap<HeldSession, ReadonlySet<string>>();

/** The names of the models that answered: one that was asked and was away judged nothing. */
function judgesOf(session: HeldSession): ReadonlySet<string> {
  const known = JUDGES.get(session);
  if (known) return known;
  const { metrics, turns } = session.detail.report;
  const judges = new Set<string>();
  for (const results of [metrics, ...turns.map((turn) => turn.metrics)]) {
    for (const { judge } of Object.values(results)) if (judge !== undefined) judges.add(modelOf(judge));
  }
  JUDGES.set(session, judges);
  return judges;
}

/** `a/b` of `openai/a/b`. */
function modelOf(judge: string): string {
  return judge.slice(judge.indexOf('/') + 1);
}

function outlineRows(results: Results): OutlineRow[] {
  return results.files(0, Number.POSITIVE_INFINITY).rows.flatMap((file): OutlineRow[] => {
    if (file.sessions === 0) return isPart(file, results) ? [] : [{ file, session: null }];
    return [{ file, session: file.sessions === 1 ? (beginningIn(file.uri, results)[0] ?? null) : null }];
  });
}

/** Whether there is nothing to say of the file but that a session of another goes on in it. */
function isPart({ uri, problems }: OutlineRow['file'], results: Results): boolean {
  return problems.length === 0 && results.sessionsIn(fileURLToPath(uri)).length > 0;
}

export function beginningIn(uri: string, results: Results): SessionRow[] {
  const path = fileURLToPath(uri);
  const sessions = results.sessionsIn(path).filter(({ file }) => file === path);
  return sessions.map((session) => results.rowOf(session));
}

export function withVerdict(verdict: SessionRow['verdict'], results: Results): SessionRow[] {
  return allRows(results).filter((row) => row.verdict === verdict);
}

function allRows(results: Results): readonly SessionRow[] {
  return results.sessions(0, Number.POSITIVE_INFINITY).rows;
}

function counted(sessions: readonly HeldSession[]): Verdicts {
  const verdicts = { failed: 0, undecided: 0, passed: 0, underway: 0 };
  for (const session of sessions) verdicts[isUnknown(session) ? 'underway' : session.row.verdict] += 1;
  return verdicts;
}

/** Whether it is being evaluated, and never was before. */
function isUnknown({ row, detail }: HeldSession): boolean {
  return row.turnsDone !== null && Object.keys(detail.report.metrics).length === 0;
}

function part<T>(rows: readonly T[], offset: number, limit: number): Part<T> {
  return { total: rows.length, rows: rows.slice(offset, offset + limit) };
}
