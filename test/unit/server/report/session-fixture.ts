import * as z from 'zod/mini';
import type { Report, SessionReport } from '../../../../src/core/report.ts';
import type { Result } from '../../../../src/core/result.ts';
import type { Session, Step, ToolStep, Turn } from '../../../../src/core/session.ts';
import { feedbackLookup } from '../../../../src/panel/feedback.ts';
import { buildHeader, headerFacts } from '../../../../src/panel/header.ts';
import { createSessionModel } from '../../../../src/panel/panel-session.ts';
import { Transcript } from '../../../../src/panel/transcript.ts';
import { turnRows } from '../../../../src/panel/turn-rows.ts';
import { sessionReport as headerRequest, type ReportHeader } from '../../../../src/protocol/report.ts';
import { type TurnRow, turns as turnsRequest } from '../../../../src/protocol/turn-rows.ts';
import type { SessionModel } from '../../../../src/report-model/session-model.ts';
import { summarizeSession } from '../../../../src/server/results/loaded-session.ts';
import { buildRows, type SessionResultsView } from '../../../../src/server/results/session-results-view.ts';
import { FakeLocator, report, session } from '../report-fixture.ts';

export const FILE = '/traces/a b.json';
export const URI = 'file:///traces/a%20b.json';

export function result(status: Result['status'], parts: Partial<Result> = {}): Result {
  return {
    status,
    score: null,
    label: null,
    labels: [],
    scale: [0, 1],
    threshold: null,
    passed: null,
    band: null,
    reason: `It is ${status}.`,
    source: null,
    evidence: [],
    metadata: {},
    ...parts,
  };
}

export const scored = (score: number, parts: Partial<Result> = {}) => result('scored', { score, ...parts });

export function turn(parts: Partial<Turn> = {}): Turn {
  return {
    id: 't',
    pointer: '/0',
    input: 'Hello?',
    inputPointer: '/0/i',
    output: 'Hi.',
    outputPointer: '/0/o',
    steps: [],
    ...parts,
  };
}

export function tool(parts: Partial<ToolStep> = {}): Step {
  return { type: 'tool', pointer: '/a', name: 'find', arguments: {}, outcome: 'ok', requestedBy: 'agent', ...parts };
}

export interface SessionSpec {
  /** What each turn says, and what was found of it. */
  readonly turns?: readonly (readonly [Turn, SessionReport['turns'][number]['metrics']])[];
  readonly metrics?: SessionReport['metrics'];
  /** By default it has passed. */
  readonly session?: Partial<Pick<SessionReport, 'verdict' | 'undecided' | 'outcome'>>;
  readonly report?: Partial<Report>;
}

/** A session that was evaluated, and what was said in it. */
export interface SessionFixture {
  readonly results: SessionResultsView;
  readonly model: SessionModel;
  readonly read: Session;
}

export function createSession({
  turns = [],
  metrics = {},
  session: verdict = {},
  report: parts = {},
}: SessionSpec): SessionFixture {
  const messages = turns.map(([{ id, pointer, file }, result], index) => ({
    id,
    index,
    pointer,
    line: index + 1,
    ...(file === undefined ? {} : { file }),
    metrics: result,
  }));
  const read: Session = {
    id: 's',
    source: { file: FILE, format: 'turnwise', pointer: '' },
    turns: turns.map(([turn]) => turn),
  };
  const given = report({ sessions: [session('s', FILE, { turns: messages, metrics, ...verdict })], ...parts });
  const [view] = buildRows(given, new FakeLocator(), [summarizeSession(read)]).sessions;
  if (!view) throw new Error('There is no session.');
  return { results: view, model: createSessionModel(view), read };
}

/** Its header, as it reaches a panel. */
export function header({ results }: Pick<SessionFixture, 'results'>): ReportHeader {
  const parts = { revision: 1, state: 'fresh', sessionsInFile: 1, feedback: () => null } as const;
  const { header: received } = z.parse(
    headerRequest.result,
    sent({ header: buildHeader(results, headerFacts(createSessionModel(results)), parts) }),
  );
  if (!received) throw new Error('There is no header.');
  return received;
}

/** Its turns, as they reach a panel. */
export function rows(
  { results, read }: Pick<SessionFixture, 'results' | 'read'>,
  from = 0,
  count = 1000,
  session: Session | null = read,
): readonly TurnRow[] {
  const transcript = session && new Transcript(session);
  const parts = { transcript, feedback: feedbackLookup(transcript) };
  return z.parse(
    turnsRequest.result,
    sent({ rows: turnRows(results.file, createSessionModel(results), parts, from, count) }),
  ).rows;
}

/** The only row. */
export function row(whole: Pick<SessionFixture, 'results' | 'read'>): TurnRow {
  const [only] = rows(whole);
  if (!only) throw new Error('There is no turn.');
  return only;
}

/** Over the wire. */
function sent(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
