import type { Configuration } from '../config/schema.ts';
import type { Finding } from '../core/finding.ts';
import type { Occurrence } from '../core/report.ts';
import type { Evidence, NamedFailure, Result } from '../core/result.ts';
import { fileOf, type Session } from '../core/session.ts';
import { type FailureLabel, isFailure, NO_FAILURE, type Severity, severityOfLabel, worst } from '../core/severity.ts';
import { metricByName } from '../metrics/index.ts';
import { ruleOf } from '../rules/index.ts';
import { foundAt } from './places.ts';
import type { SessionResults } from './session-evaluation.ts';

/** One failure, before it has a line. */
export interface Failure {
  readonly occurrence: Occurrence;
  /** Whether a judge named it. */
  readonly judged: boolean;
  /** Whether its severity is one that the user set: nobody else has a say in it. */
  readonly fixed: boolean;
  /** The same for failures that belong together whoever looks at them. */
  readonly key: string;
  readonly title: string;
  readonly explanation: string;
}

/** What failures are found in: a session, or a part of it that costs no more than its turns. */
export interface FoundIn extends Pick<SessionResults, 'session' | 'findings'> {
  readonly turns: Iterable<readonly [index: number, results: SessionResults['turns'][number]]>;
}

export type SeveritySettings = Pick<Configuration, 'severities' | 'rules'>;

/**
 * Every failure of a session, once: what the rules found, and what a judge or the file named beside that. Where a judge
 * names a label that a rule has proved of the turn, it is one failure, as severe as the worse of the two.
 */
export function failuresOf(results: FoundIn, settings: SeveritySettings): Failure[] {
  const findings = Map.groupBy(
    results.findings.filter(({ severity }) => isFailure(severity)),
    ({ turn }) => turn,
  );
  const seconds = new Map<Finding, Named[]>();
  const others: Failure[] = [];
  for (const [turn, metrics] of results.turns) {
    const found = findings.get(turn) ?? [];
    for (const [metric, result] of Object.entries(metrics)) {
      for (const failure of namedIn(metric, result, found)) {
        const severity = severityOf(failure, settings);
        if (severity === null) continue;
        const named = { ...failure, severity, metric, turn, judged: result.source === 'judge' };
        const finding = named.judged ? standingFor(named, found, results.session) : undefined;
        if (finding) seconds.set(finding, [...(seconds.get(finding) ?? []), named]);
        else others.push(fromNamed(results.session, named, settings));
      }
    }
  }
  return [
    ...results.findings.flatMap(
      (finding) => fromFinding(results.session, finding, seconds.get(finding) ?? [], settings) ?? [],
    ),
    ...others,
  ];
}

interface Named extends NamedFailure {
  readonly severity: Severity;
  readonly metric: string;
  readonly turn: number;
  readonly judged: boolean;
}

/** What a result names beside what rules found: their labels are there as findings already. */
function namedIn(metric: string, result: Result, findings: readonly Finding[]): readonly NamedFailure[] {
  const { status, source, labels, failures = [], reason, evidence } = result;
  // Most results are scores, and nothing is made for them: a trace has many turns.
  if (status !== 'scored' || labels.length === 0) return [];
  // Behind a label of a metric of the configuration's own is its function, and no finding.
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
 * By the table of labels; a judge may find it worse, and never better. What the user set for a label stands: else a
 * judge could fail a run on what the user has said is minor, and nothing would keep it from that. Null: no failure.
 */
function severityOf({ label, severity: raised }: NamedFailure, { severities }: SeveritySettings): Severity | null {
  const usual = severityOfLabel(label, severities);
  if (raised === undefined || Object.hasOwn(severities, label)) return usual;
  return usual === null ? raised : worst([usual, raised]);
}

/** The finding of this turn that stands for what a judge names: of its label, and the one at its place if there is one. */
function standingFor(
  { label, evidence: cited }: NamedFailure,
  findings: readonly Finding[],
  { source }: Session,
): Finding | undefined {
  const ofLabel = findings.filter((finding) => finding.label === label);
  const places = cited.map((place) => placeOf(place, source.file));
  const isCited = (place: Evidence) => {
    const at = placeOf(place, source.file);
    return places.some((other) => other === at || other.startsWith(`${at}/`) || at.startsWith(`${other}/`));
  };
  return ofLabel.find(({ evidence }) => evidence.some(isCited)) ?? ofLabel[0];
}

function placeOf({ file, pointer }: Evidence, fileOfSession: string): string {
  return `${file ?? fileOfSession}#${pointer}`;
}

function fromFinding(
  session: Session,
  finding: Finding,
  seconds: readonly Named[],
  { severities, rules }: SeveritySettings,
): Failure | null {
  const { severity, message } = finding;
  // An observation is no failure.
  if (!isFailure(severity)) return null;
  const rule = ruleOf(finding.rule);
  const title = rule?.title ?? finding.rule;
  const label = finding.label ?? title;
  const tool = toolAtFault(session, finding);
  const evidence = distinct([...finding.evidence, ...seconds.flatMap((second) => second.evidence)], session);
  return {
    occurrence: {
      ...foundAt(session.id, session, finding.turn, evidence),
      label,
      severity: worst([severity, ...seconds.map((second) => second.severity)]) ?? severity,
      metric: seconds[0]?.metric ?? null,
      rule: finding.rule,
      reason: [message, ...seconds.map(({ reason }) => `A judge says: ${reason}`)].join(' '),
    },
    judged: seconds.length > 0,
    fixed: Object.hasOwn(severities, label) || (seconds.length === 0 && hasLevel(finding.rule, rules)),
    key: keyOf('rule', finding.rule, label, tool),
    title: withTool(title, tool),
    explanation: rule?.proves ?? message,
  };
}

/** Whether the user set how severe the findings of a rule are. */
export function hasLevel(rule: string, rules: SeveritySettings['rules']): boolean {
  const own = Object.hasOwn(rules, rule) ? rules[rule] : undefined;
  return typeof own === 'string' || own?.level !== undefined;
}

function fromNamed(session: Session, named: Named, { severities }: SeveritySettings): Failure {
  const { label, severity, metric, turn, reason, evidence, judged } = named;
  const tool = toolNamed(session, named);
  return {
    occurrence: { ...foundAt(session.id, session, turn, evidence), label, severity, metric, rule: null, reason },
    judged,
    fixed: Object.hasOwn(severities, label),
    key: tool === '' ? keyOf('reason', label, normalised(reason)) : keyOf('tool', label, tool),
    title: withTool(label, tool),
    explanation: reason,
  };
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

function withTool(title: string, tool: string): string {
  return tool === '' ? title : `${title}: ${tool}`;
}

/** The tool whose call is at fault; empty where it is no call that is. */
function toolAtFault(session: Session, { turn, calls: [call] = [] }: Finding): string {
  if (call === undefined) return '';
  // What the model wrote may stand at the same place as the call that it asked for.
  const step = session.turns[turn]?.steps.find(({ type, pointer }) => type === 'tool' && pointer === call);
  return step?.type === 'tool' ? step.name : '';
}

/** Labels that say of a call that it is at fault. */
const OF_A_CALL: ReadonlySet<string> = new Set<string>([
  'unsafe action',
  'wrong tool',
  'wrong arguments',
  'ignored tool result',
  'unnecessary tool call',
  'repeated tool call',
] satisfies FailureLabel[]);

/** The tool whose calls, or their results, a judge cites; empty where they are of several, or the label is of none. */
function toolNamed(session: Session, { label, turn, evidence }: Named): string {
  if (!OF_A_CALL.has(label)) return '';
  const { turns, source } = session;
  const asked = turns[turn];
  if (!asked) return '';
  const cited = new Set(evidence.map((place) => placeOf(place, source.file)));
  const file = fileOf(session, asked);
  const isCited = (pointer: string | undefined) =>
    pointer !== undefined && cited.has(placeOf({ pointer, note: '' }, file));
  const tools = new Set(
    asked.steps.flatMap((step) =>
      step.type === 'tool' && (isCited(step.pointer) || isCited(step.resultPointer)) ? step.name : [],
    ),
  );
  const [tool = ''] = tools.size === 1 ? tools : [];
  return tool;
}

const QUOTED = /"[^"\n]*"|“[^“”\n]*”|`[^`\n]*`|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])/gu;

/** Two reasons that differ in figures, ids, quoted names and punctuation only are one. */
function normalised(reason: string): string {
  return reason
    .replace(QUOTED, ' 0 ')
    .toLowerCase()
    .split(/\s+/)
    .map((word) => (/\p{N}/u.test(word) ? '0' : word.replace(/[^\p{L}\p{M}]+/gu, '')))
    .filter((word) => word !== '')
    .join(' ');
}

/** Of what names the same place, the first. */
function distinct(evidence: readonly Evidence[], { source }: Session): Evidence[] {
  const seen = new Set<string>();
  return evidence.filter((place) => {
    const at = placeOf(place, source.file);
    const isNew = !seen.has(at);
    seen.add(at);
    return isNew;
  });
}
