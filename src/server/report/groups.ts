import type { FailureGroup } from '../../core/report.ts';
import { severityRank } from '../../core/severity.ts';
import type { Group } from '../../protocol/report.ts';
import type { Failure } from '../../protocol/report-values.ts';
import type { HeldSession } from '../held/rows.ts';
import { type FindingParts, failureRow } from './findings.ts';
import { ROWS } from './limits.ts';
import { name, sentence } from './values.ts';

/** Of each kind, so many come with it. */
const FIRST = 20;

/** The failures of a session by kind. */
export function groupRows(held: HeldSession, parts: FindingParts) {
  const sorted = groupsOf(held);
  return {
    groups: sorted.slice(0, ROWS).map((group) => groupRow(group, parts)),
    groupsOmitted: Math.max(0, sorted.length - ROWS),
  };
}

function groupRow(group: FailureGroup, parts: FindingParts): Group {
  return {
    label: name(group.label),
    severity: group.severity,
    title: sentence(group.title),
    explanation: sentence(group.explanation),
    count: group.occurrences.length,
    occurrences: rowsOf(group, parts, 0, FIRST),
    occurrencesOmitted: Math.max(0, group.occurrences.length - FIRST),
  };
}

/** The failures of one kind, in the order of their turns. @param group the place of the kind among all. */
export function occurrenceRows(
  held: HeldSession,
  { group: at, offset, limit }: { readonly group: number; readonly offset: number; readonly limit: number },
  parts: FindingParts,
) {
  const group = groupsOf(held)[at];
  if (!group) return { total: 0, rows: [] };
  return { total: group.occurrences.length, rows: rowsOf(group, parts, offset, Math.min(limit, ROWS)) };
}

/** The most severe first, then the most frequent. */
function groupsOf({ detail }: HeldSession): FailureGroup[] {
  return detail.found.groups.toSorted(
    (a, b) => severityRank(b.severity) - severityRank(a.severity) || b.occurrences.length - a.occurrences.length,
  );
}

function rowsOf(group: FailureGroup, parts: FindingParts, offset: number, limit: number): Failure[] {
  const sorted = group.occurrences.toSorted((a, b) => a.turn - b.turn);
  return sorted.slice(offset, offset + limit).map((occurrence) => failureRow(occurrence, parts));
}
