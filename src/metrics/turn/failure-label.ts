import * as z from 'zod';
import type { Finding } from '../../core/finding.ts';
import type { Evidence, MetricOutcome } from '../../core/result.ts';
import {
  isAtLeast,
  isProblemLevel,
  NO_FAILURE,
  SEVERITIES,
  type Severity,
  severityRank,
  worstSeverity,
} from '../../core/severity.ts';
import { defineQuestion, type Question } from '../../judge/question.ts';
import { judgedTurn, notApplicable } from '../judged-metric.ts';
import type { TurnMetric, TurnView } from '../metric.ts';
import { evidenceIds, REASON } from '../shared/graded-question.ts';
import type { JudgedOutcome } from '../shared/judged-outcome.ts';
import { summarizeFindings } from '../shared/rule-based-scores.ts';
import { textOrEmpty } from '../shared/text.ts';

/** The labels of a family, the most severe first, with their usual severities. */
type FailureFamily = Readonly<Record<string, Severity>>;

interface FailureMetricInput extends Pick<TurnMetric, 'name' | 'question'> {
  readonly family: FailureFamily;
  /** The question: each label with what it means and what it does not. */
  readonly instructions: string;
  /** The outcome if there is nothing to judge; labels that rules proved are kept. */
  readonly precheck: (view: TurnView) => MetricOutcome | null;
}

/**
 * A metric that names the failures of one family in a turn. Rules prove some; a judge names others. Without a judge and
 * without findings the outcome is `needs_judge`, not "no failure".
 */
export function failureMetric({
  name,
  question: sentence,
  family,
  instructions,
  precheck,
}: FailureMetricInput): TurnMetric {
  const question = failureQuestion(name, instructions, family);
  const metric = judgedTurn({
    name,
    question: sentence,
    source: 'Agentest, qualitative metrics',
    scale: 'label',
    threshold: null,
    precheck,
    fromFindings: (view: TurnView) => failuresFromFindings(view, family),
    ask: {
      question: () => question,
      interpret: (answer, _, view) => combineAnswers([answer], family, view),
      combine: (answers, view) => combineAnswers(answers, family, view),
    },
  });
  return {
    ...metric,
    evaluate(view, options) {
      const outcome = metric.evaluate(view, options);
      const proven = failuresFromFindings(view, family);
      if (proven === null) return outcome;
      return outcome instanceof Promise
        ? outcome.then((judged) => keepProven(judged, proven))
        : keepProven(outcome, proven);
    },
  };
}

/** A turn in which the agent neither said nor did anything. */
export function requireAction({ turn: { output, steps } }: TurnView): MetricOutcome | null {
  const isBlank =
    textOrEmpty(output) === '' && steps.every((step) => step.type === 'tool' && step.requestedBy === 'user');
  return isBlank ? NO_ACTION : null;
}

const NO_ACTION = notApplicable('The agent did nothing in this turn.');

type FailureAnswer = z.output<ReturnType<typeof namedFailure>>;
interface FailureAnswers {
  readonly failures: readonly FailureAnswer[];
}

function namedFailure(id: z.ZodType<string>, family: FailureFamily) {
  return z.object({
    evidence: evidenceIds(id).min(1),
    reason: REASON,
    label: z.enum(Object.keys(family)),
    severity: z.enum(SEVERITIES).nullish().describe('null, unless it is worse than failures of this label usually are'),
  });
}

function failureQuestion(name: string, instructions: string, family: FailureFamily): Question<FailureAnswers> {
  return defineQuestion({
    name,
    context: 'turn',
    instructions: `${instructions}\n${PROVEN_NOTE} ${describeSeverities(family)}`,
    answer: ({ id }) =>
      z.object({ failures: z.array(namedFailure(id, family)).describe('one for each label; empty: no failure') }),
  });
}

/** Prompts show findings, and a judge that sees a failure tends to name it again. */
const PROVEN_NOTE = 'What checks proved stands already: name it again only if it is worse than they say.';

/** `Usual severity: critical for unsafe action; low for repetition.` */
function describeSeverities(family: FailureFamily): string {
  const labels = Map.groupBy(Object.keys(family), (label) => family[label]);
  const parts = Array.from(labels, ([severity, ofIt]) => `${severity} for ${ofIt.join(', ')}`);
  return `Usual severity: ${parts.join('; ')}.`;
}

/** The failures that rules prove; null without any, which is not evidence that there are none. */
function failuresFromFindings(view: TurnView, family: FailureFamily): MetricOutcome | null {
  const findings = provenFindings(view, family);
  const [headline, ...more] = labelsOf(findings, family);
  if (headline === undefined) return null;
  return {
    status: 'scored',
    label: headline,
    labels: [headline, ...more],
    source: 'rules',
    reason: summarizeFindings(findings),
    evidence: evidenceIn(findings),
    metadata: { rules: rulesOf(findings) },
  };
}

/** Keeps proven failures if the judge gave no outcome; if it failed, the reason has both. */
function keepProven(outcome: MetricOutcome, proven: MetricOutcome): MetricOutcome {
  switch (outcome.status) {
    case 'not_applicable':
      return proven;
    case 'error':
    case 'cancelled': {
      const reason = `${withPeriod(outcome.reason)} Proven by rules: ${proven.reason}`;
      return { ...outcome, reason, evidence: proven.evidence, metadata: proven.metadata };
    }
    default:
      return outcome;
  }
}

/** Findings with a label of the family, the most severe label first. */
function provenFindings({ findings }: TurnView, family: FailureFamily): readonly Finding[] {
  const labels = Object.keys(family);
  const rank = ({ label }: Finding) => labels.indexOf(label ?? '');
  return findings.filter((finding) => rank(finding) >= 0).sort((a, b) => rank(a) - rank(b));
}

function labelsOf(labelled: readonly { readonly label: string | null }[], family: FailureFamily): string[] {
  return Object.keys(family).filter((label) => labelled.some((entry) => entry.label === label));
}

function rulesOf(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map(({ rule }) => rule))];
}

function evidenceIn(findings: readonly Finding[]): readonly Evidence[] {
  return findings.flatMap(({ evidence }) => evidence);
}

/** A failure that a judge named. */
interface JudgedFailure {
  readonly label: string;
  /** The usual severity of the label. */
  readonly usual: Severity;
  /** The severity by the judge; null if it gives none, or a lower one than usual. */
  readonly raised: Severity | null;
  readonly reason: string;
  readonly cited: readonly string[];
}

/** Combines the samples of an answer with the findings of the rules. */
function combineAnswers(answers: readonly FailureAnswers[], family: FailureFamily, view: TurnView): JudgedOutcome {
  const samples = answers.map(({ failures }) => mergeByLabel(failures, family));
  const judged = majorityFailures(samples, family);
  const findings = provenFindings(view, family);
  const [headline = NO_FAILURE, ...more] = labelsOf([...findings, ...judged], family);
  const votes = Object.keys(family).map((label) => [label, votesFor(label, samples).length] as const);
  return {
    labels: [headline, ...more],
    failures: judged.flatMap((failure) => beyond(failure, findings) ?? []),
    reason: describeFailures(findings, judged),
    cited: judged.flatMap(({ cited }) => cited),
    evidence: evidenceIn(findings),
    metadata: {
      ...(findings.length > 0 ? { rules: rulesOf(findings), judged: judged.map(({ label }) => label) } : {}),
      ...(samples.length > 1
        ? {
            samples: samples.map(([first]) => first?.label ?? NO_FAILURE),
            votes: Object.fromEntries(votes.filter(([, count]) => count > 0)),
          }
        : {}),
    },
  };
}

/**
 * One failure for each label, the most severe label first. A judge may name one label several times, for example for two
 * wrong statements; these are merged into one.
 */
function mergeByLabel(failures: readonly FailureAnswer[], family: FailureFamily): readonly JudgedFailure[] {
  return Object.entries(family).flatMap(([label, usual]) => {
    const same = failures.filter((failure) => failure.label === label);
    if (same.length === 0) return [];
    const raised = worstSeverity(same.flatMap(({ severity }) => severity ?? []));
    return {
      label,
      usual,
      raised: raised !== null && isAtLeast(raised, usual) ? raised : null,
      reason: same.map(({ reason }) => withPeriod(reason)).join(' '),
      cited: [...new Set(same.flatMap(({ evidence }) => evidence))],
    };
  });
}

/** The labels that more than half of the samples name, each from the sample with the median severity. */
function majorityFailures(
  samples: readonly (readonly JudgedFailure[])[],
  family: FailureFamily,
): readonly JudgedFailure[] {
  return Object.keys(family).flatMap((label) => {
    const votes = votesFor(label, samples);
    if (votes.length * 2 <= samples.length) return [];
    const ascending = votes.toSorted((a, b) => rankOf(a) - rankOf(b));
    return ascending[Math.floor((ascending.length - 1) / 2)] ?? [];
  });
}

function rankOf({ raised, usual }: JudgedFailure): number {
  return severityRank(raised ?? usual);
}

function votesFor(label: string, samples: readonly (readonly JudgedFailure[])[]): readonly JudgedFailure[] {
  return samples.flatMap((sample) => sample.find((failure) => failure.label === label) ?? []);
}

/**
 * What a judge's failure adds to the findings: everything if no rule proved its label. If one did, the judge repeats what
 * it was shown, and only a higher severity counts.
 */
function beyond(judged: JudgedFailure, findings: readonly Finding[]) {
  const { label, usual, raised, reason, cited } = judged;
  const proven = worstSeverity(
    findings.flatMap((finding) =>
      finding.label === label && isProblemLevel(finding.severity) ? finding.severity : [],
    ),
  );
  const isWorse = raised !== null && !isAtLeast(proven ?? usual, raised);
  if (proven !== null && !isWorse) return null;
  return { label, ...(isWorse ? { severity: raised } : {}), reason, cited };
}

/** Says which failures are proven and which the judge names. */
function describeFailures(findings: readonly Finding[], judged: readonly JudgedFailure[]): string {
  const named = judged.map(({ label, reason }) => `${label}: ${reason}`).join(' ');
  if (findings.length === 0) return named === '' ? 'The judge names no failure.' : named;
  const others = named === '' ? 'The judge names no others.' : `Named by the judge: ${named}`;
  return `Proven by rules: ${summarizeFindings(findings)} ${others}`;
}

function withPeriod(sentence: string): string {
  const text = sentence.trim();
  return /[.!?…]["'”’)]*$/.test(text) ? text : `${text}.`;
}
