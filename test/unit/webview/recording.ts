import { join } from 'node:path';
import { evaluateFiles } from '../../../src/index.ts';
import { type ReportHeader, report, type TurnRow, turns as turnsRequest } from '../../../src/protocol/report.ts';
import { headerOf, turnsOf } from '../../../src/server/report.ts';
import { rowsOf } from '../../../src/server/rows.ts';
import type { Recorded } from '../../../webview/recording.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** As the app asks for it. */
const PAGE = 25;
const session = 'recorded';

export interface Parts {
  readonly header: ReportHeader;
  readonly rows: readonly TurnRow[];
}

/** What the server says of the riskiest session of a file in this repository. */
export async function evaluated(path: string): Promise<Parts> {
  const found = await evaluateFiles([join(ROOT, path)]);
  const [held] = rowsOf(found.report, found.locator, found.sessions).sessions;
  if (!held) throw new Error(`There is no session in ${path}.`);
  const turns = found.sessions.find(({ id }) => id === held.row.id)?.turns ?? null;
  return { header: headerOf(held), rows: turnsOf({ ...held, turns }, 0, 100_000) };
}

/** The messages that give the app a report. */
export function recording({ header, rows }: Parts): Recorded[] {
  const pages = Array.from({ length: Math.ceil(header.cells.length / PAGE) }, (_, page) => page * PAGE);
  return [
    { method: report.method, params: { session }, result: { header } },
    ...pages.map((from) => ({
      method: turnsRequest.method,
      params: { session, from, count: PAGE },
      result: { rows: rows.slice(from, from + PAGE) },
    })),
  ];
}

/** The answer when the server holds nothing. */
export const GONE: readonly Recorded[] = [{ method: report.method, params: { session }, result: { header: null } }];

const target = { uri: 'file:///traces/made.json', pointer: '' };

/** A turn that says nothing but what a test is about. */
export function turn(index: number, parts: Partial<TurnRow> = {}): TurnRow {
  return {
    index,
    line: index + 1,
    target: { ...target, pointer: `/${index}` },
    recorded: true,
    input: { text: `Question ${index + 1}`, omitted: 0, target: { ...target, pointer: `/${index}/input` } },
    output: { text: `Answer ${index + 1}`, omitted: 0, target: { ...target, pointer: `/${index}/output` } },
    calls: [],
    callsOmitted: 0,
    failures: [],
    failuresOmitted: 0,
    scores: [],
    unscored: [],
    ...parts,
  };
}

/** A report of turns; the risk of each is what its failures make likely. */
export function made(rows: readonly TurnRow[], parts: Partial<ReportHeader> = {}): Parts {
  const header: ReportHeader = {
    id: 'made',
    target,
    verdict: 'passed',
    risk: 0.1,
    riskReason: 'Nothing was found.',
    why: [],
    failures: rows.reduce((sum, { failures }) => sum + failures.length, 0),
    gates: [],
    coverage: { scored: 0, of: 0 },
    unscored: [],
    scores: [],
    judge: null,
    complete: true,
    cells: rows.map(({ index, failures }) => ({
      index,
      risk: failures.length > 0 ? 0.7 : 0,
      reason: failures[0]?.reason ?? 'Nothing found by 10 rules.',
      failures: failures.length,
    })),
    ...parts,
  };
  return { header, rows };
}
