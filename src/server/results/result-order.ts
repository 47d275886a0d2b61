import { HEADLINE_KINDS } from '../../core/statuses.ts';
import { type FileRow, type HeadlineCounts, NO_HEADLINES, type SessionRow } from '../../protocol/messages.ts';
import type { SortOrder } from '../../protocol/results-outline.ts';
import { byHeadline, headlineRank } from '../../report-model/session-order.ts';
import type { SessionResultsView } from './session-results-view.ts';

export function countHeadlines(sessions: readonly SessionResultsView[]): HeadlineCounts {
  const counts = { ...NO_HEADLINES };
  for (const session of sessions) counts[isPending(session) ? 'pending' : session.row.headline.kind] += 1;
  return counts;
}

/** Whether it is being evaluated for the first time. */
function isPending({ row, detail }: SessionResultsView): boolean {
  return row.turnsDone !== null && Object.keys(detail.report.metrics).length === 0;
}

/** Whether a headline says something against the agent, or that nobody could say. */
export function isProblematic({ failed, undecided, problems }: HeadlineCounts): boolean {
  return failed + undecided + problems > 0;
}

/** The order of files. */
export function fileOrder(sort: SortOrder): (a: FileRow, b: FileRow) => number {
  const byUri = (a: FileRow, b: FileRow) => (a.uri < b.uri ? -1 : 1);
  const byRisk = (a: FileRow, b: FileRow) => (b.risk ?? -1) - (a.risk ?? -1);
  if (sort === 'name') return byUri;
  if (sort === 'risk') return (a, b) => byRisk(a, b) || byUri(a, b);
  return (a, b) => worstRank(a.headlines) - worstRank(b.headlines) || byRisk(a, b) || byUri(a, b);
}

/** The order of sessions. */
export function sessionOrder(sort: SortOrder): (a: SessionRow, b: SessionRow) => number {
  if (sort === 'outcome') return byHeadline;
  if (sort === 'risk') return (a, b) => (b.risk ?? -1) - (a.risk ?? -1) || byHeadline(a, b);
  return (a, b) => NAMES.compare(a.title, b.title) || byHeadline(a, b);
}

/** Numbers in titles count as numbers: "Task 9" is before "Task 10". */
const NAMES = new Intl.Collator('en', { numeric: true });

/** Of the worst session; files without any are last. */
function worstRank(counts: HeadlineCounts): number {
  const ranks = HEADLINE_KINDS.filter((kind) => counts[kind] > 0).map(headlineRank);
  return ranks.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...ranks);
}
