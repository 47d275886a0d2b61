import type {
  FileProblemRow,
  FileRow,
  HeadlineCounts,
  SessionProblemRow,
  SessionRow,
} from '../../../src/protocol/messages.ts';
import type { ResultsOutline } from '../../../src/protocol/results-outline.ts';

/** Minimal rows, with the given properties. */

const START = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

export const uri = (name: string): string => `file:///workspace/${name}`;

export function headlines(counts: Partial<HeadlineCounts> = {}): HeadlineCounts {
  return { failed: 0, undecided: 0, problems: 0, 'not-run': 0, clean: 0, succeeded: 0, pending: 0, ...counts };
}

export function sessionRow(id: string, parts: Partial<SessionRow> = {}): SessionRow {
  const place = parts.location ?? { uri: uri(`${id}.json`), range: START };
  return {
    key: `${place.uri}#${id}`,
    id,
    title: id,
    verdict: 'passed',
    risk: null,
    riskLevel: null,
    riskReason: null,
    turns: 5,
    problems: 0,
    headline: { kind: 'clean', text: 'No problems found', turn: null },
    outcome: 'unknown',
    why: [],
    state: 'fresh',
    turnsDone: null,
    ...parts,
    location: place,
  };
}

export function fileRow(name: string, parts: Partial<FileRow> = {}): FileRow {
  return { uri: uri(name), state: 'fresh', sessions: 0, headlines: headlines(), risk: null, problems: [], ...parts };
}

export function failureRow(parts: Partial<SessionProblemRow> = {}): SessionProblemRow {
  return {
    turn: 2,
    title: 'Unknown tool: refund',
    label: 'wrong tool',
    severity: 'high',
    reason: 'There is no such tool.',
    code: 'unknown-tool',
    rule: 'unknown-tool',
    pointer: '/x',
    location: { uri: uri('a.json'), range: { start: { line: 8, character: 2 }, end: { line: 9, character: 3 } } },
    related: [],
    ...parts,
  };
}

export function problemRow(name: string, message = 'It ends too early.'): FileProblemRow {
  return { severity: 'error', message, location: { uri: uri(name), range: START } };
}

export function outline(rows: ResultsOutline['rows'], parts: Partial<ResultsOutline> = {}): ResultsOutline {
  return {
    total: rows.length,
    rows,
    headlines: headlines(),
    unreadable: 0,
    lookalikes: 0,
    judges: [],
    judged: 0,
    ...parts,
  };
}
