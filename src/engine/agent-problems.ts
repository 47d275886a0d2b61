import type { Finding } from '../core/finding.ts';
import type { Observation, ResultsByMetric } from '../core/report.ts';
import type { Evidence, JudgeProblem, Result } from '../core/result.ts';
import type { RunPlan } from '../core/run-plan.ts';
import { type ImportedFailure, type Session, turnFile } from '../core/session.ts';
import type { AgentProblem } from '../core/session-outcome.ts';
import {
  type FailureLabel,
  GOAL_NOT_COMPLETED,
  isProblemLevel,
  NO_FAILURE,
  type Severity,
  severityOfLabel,
  worstSeverity,
} from '../core/severity.ts';
import { metricByName } from '../metrics/index.ts';
import { findRule, RULES, ruleSettings } from '../rules/index.ts';
import type { Rule } from '../rules/rule.ts';
import { locate } from './locations.ts';
import type { SessionResults } from './session-metrics.ts';

/** A session, or some of its turns; only these are examined. */
export interface ProblemScope extends Pick<SessionResults, 'session' | 'findings'> {
  readonly turns: Iterable<readonly [index: number, results: SessionResults['turns'][number]]>;
}

export type SeveritySettings = Pick<RunPlan, 'severities' | 'rules'>;

/**
 * The problems of a session, without duplicates: findings of rules, and labels from judges or the file. A label of a judge
 * that a rule also found in the turn is one problem with the higher of the two severities.
 */
export function collectProblems(
  results: ProblemScope,
  settings: SeveritySettings,
  rules: readonly Rule[] = RULES,
): AgentProblem[] {
  const findings = Map.groupBy(
    results.findings.filter(({ severity }) => isProblemLevel(severity)),
    ({ turn }) => turn,
  );
  const judgeProblems = new Map<Finding, LabelledProblem[]>();
  const others: AgentProblem[] = [];
  for (const [turn, metrics] of results.turns) {
    const turnFindings = findings.get(turn) ?? [];
    for (const [metric, result] of Object.entries(metrics)) {
      for (const failure of labelledProblems(metric, result, turnFindings)) {
        const group =
          result.source === 'imported' ? results.session.turns[turn]?.importedFailures?.[metric] : undefined;
        const severity = problemSeverity({ ...failure, severity: group?.severity ?? failure.severity }, settings);
        if (severity === null) continue;
        const named = { ...failure, severity, metric, turn, group, judged: result.source === 'judge' };
        const finding = named.judged ? matchingFinding(named, turnFindings, results.session) : undefined;
        if (finding) judgeProblems.set(finding, [...(judgeProblems.get(finding) ?? []), named]);
        else others.push(problemFromLabel(results.session, named, settings));
      }
    }
  }
  return [
    ...results.findings.flatMap(
      (finding) =>
        problemFromFinding(results.session, finding, judgeProblems.get(finding) ?? [], settings, rules) ?? [],
    ),
    ...others,
  ];
}

/**
 * The problem of a session whose goal a judge or the file says was not completed, at its last turn. A session of which no
 * turn was evaluated has none.
 */
export function goalProblem(
  session: Session,
  { goal_completion: result }: ResultsByMetric,
  settings: SeveritySettings,
): AgentProblem[] {
  if (result?.status !== 'scored' || result.score !== 0 || session.turns.length === 0) return [];
  const reason = result.reason ?? GOAL_NOT_COMPLETED;
  const failure = { label: GOAL_NOT_COMPLETED, reason, evidence: result.evidence };
  const severity = problemSeverity(failure, settings);
  if (severity === null) return [];
  const turn = session.turns.length - 1;
  const judged = result.source === 'judge';
  const named = { ...failure, severity, metric: GOAL_METRIC, turn, group: undefined, judged };
  return [{ ...problemFromLabel(session, named, settings), key: groupKey('goal'), title: 'Goal not completed' }];
}

/** The metric whose score of 0 is a problem of the whole session. */
export const GOAL_METRIC = 'goal_completion';

interface LabelledProblem extends JudgeProblem {
  readonly severity: Severity;
  readonly metric: string;
  readonly turn: number;
  /** To which the file assigns it. */
  readonly group: ImportedFailure | undefined;
  readonly judged: boolean;
}

/** The labels of a result, except those from findings of rules. */
function labelledProblems(metric: string, result: Result, findings: readonly Finding[]): readonly JudgeProblem[] {
  const { status, source, labels, failures = [], reason, evidence } = result;
  // Most results are scores: allocate nothing for them, a trace has many turns.
  if (status !== 'scored' || labels.length === 0) return [];
  // A label of a custom metric comes from its function, not from a finding.
  if (source === 'rules' && metricByName(metric) !== undefined) return [];
  const known = new Set<string>([NO_FAILURE, ...failures.map(({ label }) => label)]);
  if (source === 'judge') for (const { label } of findings) if (label !== null) known.add(label);
  const others = labels.filter((label) => !known.has(label));
  return [
    ...failures.filter(({ label }) => label !== NO_FAILURE),
    ...others.map((label) => ({ label, reason: reason ?? label, evidence })),
  ];
}

/**
 * The severity of the label, which a judge can raise but not lower. A severity that the user set for a label is final:
 * else a judge could fail a run on a problem that the user considers minor. Null: no problem.
 */
function problemSeverity({ label, severity: raised }: JudgeProblem, { severities }: SeveritySettings): Severity | null {
  const usual = severityOfLabel(label, severities);
  if (raised === undefined || Object.hasOwn(severities, label)) return usual;
  return usual === null ? raised : worstSeverity([usual, raised]);
}

/** The finding of this turn with the label of a judge problem, preferably at the same location. */
function matchingFinding(
  { label, evidence: cited }: JudgeProblem,
  findings: readonly Finding[],
  { source }: Session,
): Finding | undefined {
  const ofLabel = findings.filter((finding) => finding.label === label);
  const places = cited.map((place) => locationKey(place, source.file));
  const isCited = (evidence: Evidence) => {
    const at = locationKey(evidence, source.file);
    return places.some((other) => other === at || other.startsWith(`${at}/`) || at.startsWith(`${other}/`));
  };
  return ofLabel.find(({ evidence }) => evidence.some(isCited)) ?? ofLabel[0];
}

function locationKey({ file, pointer }: Evidence, fileOfSession: string): string {
  return `${file ?? fileOfSession}#${pointer}`;
}

function problemFromFinding(
  session: Session,
  finding: Finding,
  judgeProblems: readonly LabelledProblem[],
  { severities, rules }: SeveritySettings,
  allRules: readonly Rule[],
): AgentProblem | null {
  const { severity, message } = finding;
  // An observation is not a problem.
  if (!isProblemLevel(severity)) return null;
  const rule = findRule(finding.rule, allRules);
  const title = rule?.title ?? finding.rule;
  const label = finding.label ?? title;
  const tool = findingTool(session, finding);
  const evidence = distinctEvidence(
    [...finding.evidence, ...judgeProblems.flatMap((second) => second.evidence)],
    session,
  );
  return {
    occurrence: {
      ...locate(session.id, session, finding.turn, evidence),
      label,
      severity: worstSeverity([severity, ...judgeProblems.map((second) => second.severity)]) ?? severity,
      metric: judgeProblems[0]?.metric ?? null,
      rule: finding.rule,
      reason: [message, ...judgeProblems.map(({ reason }) => `A judge says: ${reason}`)].join(' '),
    },
    isJudged: judgeProblems.length > 0,
    isSeverityFixed:
      Object.hasOwn(severities, label) || (judgeProblems.length === 0 && hasConfiguredLevel(finding.rule, rules)),
    key: groupKey('rule', finding.rule, label, tool),
    title: titleWithTool(title, tool),
    explanation: rule?.proves ?? message,
  };
}

/** Whether the user configured the severity of a rule's findings. */
export function hasConfiguredLevel(rule: string, rules: SeveritySettings['rules']): boolean {
  const own = ruleSettings(rule, rules);
  return typeof own === 'string' || own?.level !== undefined;
}

function problemFromLabel(session: Session, named: LabelledProblem, { severities }: SeveritySettings): AgentProblem {
  const { label, severity, metric, turn, reason, evidence, judged, group } = named;
  const tool = citedTool(session, named);
  const key = group
    ? groupKey('imported', session.source.file, group.group)
    : tool === ''
      ? groupKey('reason', label, normalizeReason(reason))
      : groupKey('tool', label, tool);
  return {
    occurrence: { ...locate(session.id, session, turn, evidence), label, severity, metric, rule: null, reason },
    isJudged: judged,
    isSeverityFixed: Object.hasOwn(severities, label),
    key,
    title: group?.title ?? titleWithTool(label, tool),
    explanation: group?.explanation ?? reason,
  };
}

function groupKey(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

function titleWithTool(title: string, tool: string): string {
  return tool === '' ? title : `${title}: ${tool}`;
}

/** The tool of the call that a finding is about; empty if it is about none. */
function findingTool(session: Session, { turn, calls: [call] = [] }: Finding): string {
  if (call === undefined) return '';
  // A model's text can have the same pointer as the call that it requested.
  const step = session.turns[turn]?.steps.find(({ type, pointer }) => type === 'tool' && pointer === call);
  return step?.type === 'tool' ? step.name : '';
}

/** Labels about a tool call. */
const TOOL_CALL_LABELS: ReadonlySet<string> = new Set<string>([
  'unsafe action',
  'wrong tool',
  'wrong arguments',
  'ignored tool result',
  'unnecessary tool call',
  'repeated tool call',
] satisfies FailureLabel[]);

/** The tool with calls or results that a judge cites; empty for several tools or a label that is not about calls. */
function citedTool(session: Session, { label, turn, evidence }: LabelledProblem): string {
  if (!TOOL_CALL_LABELS.has(label)) return '';
  const { turns, source } = session;
  const citingTurn = turns[turn];
  if (!citingTurn) return '';
  const cited = new Set(evidence.map((place) => locationKey(place, source.file)));
  const file = turnFile(session, citingTurn);
  const isCited = (pointer: string | undefined) =>
    pointer !== undefined && cited.has(locationKey({ pointer, note: '' }, file));
  const tools = new Set(
    citingTurn.steps.flatMap((step) =>
      step.type === 'tool' && (isCited(step.pointer) || isCited(step.resultPointer)) ? step.name : [],
    ),
  );
  const [tool = ''] = tools.size === 1 ? tools : [];
  return tool;
}

const QUOTED = /"[^"\n]*"|“[^“”\n]*”|`[^`\n]*`|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])/gu;

/** Normalizes reasons that differ only in numbers, ids, quoted names and punctuation to the same text. */
function normalizeReason(reason: string): string {
  return reason
    .replace(QUOTED, ' 0 ')
    .toLowerCase()
    .split(/\s+/)
    .map((word) => (/\p{N}/u.test(word) ? '0' : word.replace(/[^\p{L}\p{M}]+/gu, '')))
    .filter((word) => word !== '')
    .join(' ');
}

/** Keeps the first evidence of each location. */
function distinctEvidence(evidence: readonly Evidence[], { source }: Session): Evidence[] {
  const seen = new Set<string>();
  return evidence.filter((place) => {
    const at = locationKey(place, source.file);
    const isNew = !seen.has(at);
    seen.add(at);
    return isNew;
  });
}

/** Findings that do not count against the agent, in the order of the turns. */
export function collectObservations(
  { session, findings }: Pick<ProblemScope, 'session' | 'findings'>,
  rules: readonly Rule[] = RULES,
): Observation[] {
  return findings
    .filter(({ severity }) => !isProblemLevel(severity))
    .map(({ rule, turn, message, evidence }) => ({
      ...locate(session.id, session, turn, evidence),
      rule,
      title: findRule(rule, rules)?.title ?? rule,
      reason: message,
    }));
}
