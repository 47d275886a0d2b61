import type { Finding } from '../core/finding.ts';
import type { FailureGroup, Occurrence } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import { fileOf } from '../core/session.ts';
import { isFailure, NO_FAILURE, type Severity, severityOfLabel, severityRank, worst } from '../core/severity.ts';
import { RULES } from '../rules/index.ts';
import type { SessionResults } from './session-evaluation.ts';

/** One failure, before it is grouped and has a line. */
interface Failure {
  readonly label: string;
  readonly severity: Severity;
  readonly key: string;
  readonly title: string;
  readonly explanation: string;
  readonly occurrence: Occurrence;
}

/** Every finding and every failure label that was not a finding's, as occurrences in groups; most severe first. */
export function groupFailures(
  sessions: readonly { readonly id: string; readonly results: SessionResults }[],
  severities: Readonly<Record<string, Severity>>,
): FailureGroup[] {
  const groups = new Map<string, Failure[]>();
  for (const { id, results } of sessions) {
    for (const failure of failuresOf(id, results, severities)) {
      const group = groups.get(failure.key);
      if (group) group.push(failure);
      else groups.set(failure.key, [failure]);
    }
  }
  return [...groups.values()]
    .flatMap((failures) => toGroup(failures) ?? [])
    .sort((a, b) => severityRank(b.severity) - severityRank(a.severity) || b.count - a.count);
}

function failuresOf(id: string, results: SessionResults, severities: Readonly<Record<string, Severity>>): Failure[] {
  const failures = results.findings.flatMap((finding) => fromFinding(id, results, finding) ?? []);
  results.turns.forEach((metrics, turn) => {
    for (const [metric, result] of Object.entries(metrics)) {
      for (const label of judgedLabels(result)) {
        const severity = severityOfLabel(label, severities);
        if (severity) failures.push(fromLabel(id, results, turn, metric, result, label, severity));
      }
    }
  });
  return failures;
}

/** Labels that the rules gave are there as findings already. */
function judgedLabels(result: Result): readonly string[] {
  if (result.status !== 'scored' || result.source === 'rules') return [];
  return result.labels.filter((label) => label !== NO_FAILURE);
}

function fromFinding(id: string, { session }: SessionResults, finding: Finding): Failure | null {
  // An observation is no failure.
  if (!isFailure(finding.severity)) return null;
  const rule = RULES.find((candidate) => candidate.id === finding.rule);
  const label = finding.label ?? rule?.title ?? finding.rule;
  const first = finding.evidence[0];
  const turn = session.turns[finding.turn];
  return {
    label,
    severity: finding.severity,
    key: `${finding.rule}\n${label}\n${subjectOf(finding.message)}`,
    title: rule?.title ?? finding.rule,
    explanation: rule?.proves ?? finding.message,
    occurrence: {
      session: id,
      file: first?.file ?? (turn ? fileOf(session, turn) : session.source.file),
      turn: finding.turn,
      metric: null,
      rule: finding.rule,
      reason: finding.message,
      pointer: first?.pointer ?? turn?.pointer ?? session.source.pointer,
      line: null,
    },
  };
}

function fromLabel(
  id: string,
  { session }: SessionResults,
  index: number,
  metric: string,
  result: Result,
  label: string,
  severity: Severity,
): Failure {
  const turn = session.turns[index];
  const first = result.evidence[0];
  const reason = result.reason ?? label;
  return {
    label,
    severity,
    key: `${metric}\n${label}\n${normalised(reason)}`,
    title: label,
    explanation: reason,
    occurrence: {
      session: id,
      file: first?.file ?? (turn ? fileOf(session, turn) : session.source.file),
      turn: index,
      metric,
      rule: null,
      reason,
      pointer: first?.pointer ?? turn?.pointer ?? session.source.pointer,
      line: null,
    },
  };
}

/** What a rule's sentence is about: the first name that it sets in code type, usually the tool. */
function subjectOf(message: string): string {
  return /`([^`]+)`/.exec(message)?.[1] ?? '';
}

/** Two reasons that differ in figures only are one. */
function normalised(reason: string): string {
  return reason
    .toLowerCase()
    .replace(/[\d.,]+/g, '0')
    .replace(/\s+/g, ' ')
    .trim();
}

function toGroup(failures: readonly Failure[]): FailureGroup | null {
  const first = failures[0];
  const severity = worst(failures.map((failure) => failure.severity));
  if (!first || !severity) return null;
  return {
    label: first.label,
    severity,
    count: failures.length,
    title: first.title,
    explanation: first.explanation,
    occurrences: failures.map((failure) => failure.occurrence),
  };
}
