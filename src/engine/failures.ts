import type { Finding } from '../core/finding.ts';
import type { FailureGroup, Occurrence } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import type { Session } from '../core/session.ts';
import { isFailure, NO_FAILURE, type Severity, severityOfLabel, severityRank, worst } from '../core/severity.ts';
import { ruleOf } from '../rules/index.ts';
import { foundAt } from './places.ts';
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
  const { severity, message } = finding;
  // An observation is no failure.
  if (!isFailure(severity)) return null;
  const rule = ruleOf(finding.rule);
  const title = rule?.title ?? finding.rule;
  const label = finding.label ?? title;
  const subject = subjectOf(session, finding);
  return {
    label,
    severity,
    key: `${finding.rule}\n${label}\n${subject}`,
    title: subject === '' ? title : `${title}: ${subject}`,
    explanation: rule?.proves ?? message,
    occurrence: {
      ...foundAt(id, session, finding.turn, finding.evidence),
      metric: null,
      rule: finding.rule,
      reason: message,
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
  const reason = result.reason ?? label;
  return {
    label,
    severity,
    key: `${metric}\n${label}\n${normalised(reason)}`,
    title: label,
    explanation: reason,
    occurrence: { ...foundAt(id, session, index, result.evidence), metric, rule: null, reason },
  };
}

/** The tool whose call is at fault; empty where it is no call that is. */
function subjectOf(session: Session, { turn, calls: [call] = [] }: Finding): string {
  if (call === undefined) return '';
  // What the model wrote may stand at the same place as the call that it asked for.
  const step = session.turns[turn]?.steps.find(({ type, pointer }) => type === 'tool' && pointer === call);
  return step?.type === 'tool' ? step.name : '';
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
