import type { FailureGroup } from '../core/report.ts';
import type { ReportProblemGroup } from '../protocol/report.ts';
import type { ReportProblem } from '../protocol/report-values.ts';
import { sortGroups } from '../report-model/session-findings.ts';
import type { SessionModel } from '../report-model/session-model.ts';
import { type FindingContext, failureRow } from './findings.ts';
import { MAX_ROWS } from './limits.ts';
import { limitName, limitSentence } from './values.ts';

/** Occurrences that come with each group. */
const INITIAL_OCCURRENCES = 20;

/** The problems of a session by kind. */
export function groupRows(model: SessionModel, parts: FindingContext) {
  const sorted = sortGroups(model.findings.groups);
  return {
    groups: sorted.slice(0, MAX_ROWS).map((group) => groupRow(group, parts)),
    groupsOmitted: Math.max(0, sorted.length - MAX_ROWS),
  };
}

function groupRow(group: FailureGroup, parts: FindingContext): ReportProblemGroup {
  return {
    label: limitName(group.label),
    severity: group.severity,
    title: limitSentence(group.title),
    explanation: limitSentence(group.explanation),
    count: group.occurrences.length,
    occurrences: occurrencePage(group, parts, 0, INITIAL_OCCURRENCES),
    occurrencesOmitted: Math.max(0, group.occurrences.length - INITIAL_OCCURRENCES),
  };
}

/** The problems of one kind, in the order of their turns. @param group the index of the kind. */
export function occurrenceRows(
  model: SessionModel,
  { group: at, offset, limit }: { readonly group: number; readonly offset: number; readonly limit: number },
  parts: FindingContext,
) {
  const group = sortGroups(model.findings.groups)[at];
  if (!group) return { total: 0, rows: [] };
  return { total: group.occurrences.length, rows: occurrencePage(group, parts, offset, Math.min(limit, MAX_ROWS)) };
}

function occurrencePage(group: FailureGroup, parts: FindingContext, offset: number, limit: number): ReportProblem[] {
  const sorted = group.occurrences.toSorted((a, b) => a.turn - b.turn);
  return sorted.slice(offset, offset + limit).map((occurrence) => failureRow(occurrence, group.title, parts));
}
