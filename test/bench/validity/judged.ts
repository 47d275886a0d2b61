import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { FindingLevel } from '../../../src/core/severity.ts';
import { LEVELS } from '../../../src/core/severity.ts';
import { wilsonInterval } from '../../../src/stats/intervals.ts';
import { cohensKappa, type Pair } from '../judge/statistics.ts';
import type { SetSession } from './labelled-sets.ts';
import { figure, percent, percentRange, table } from './markdown.ts';
import { drawFindings, findingKey } from './sample.ts';

const VERDICTS = ['true', 'arguable', 'false'] as const;
export type JudgedVerdict = (typeof VERDICTS)[number];

/** What a reader said of a finding, and the sentence that proves it. */
const readingSchema = z.strictObject({ verdict: z.enum(VERDICTS), proof: z.string().min(1) });

/** A finding that people judged with the transcript before them, neither knowing what the other said. */
const judgedFindingSchema = z.strictObject({
  /** As in `sample.ts`. */
  key: z.string(),
  rule: z.string(),
  /** When it was judged. */
  severity: z.enum(LEVELS),
  readers: z.partialRecord(z.enum(['first', 'second']), readingSchema),
});

export type JudgedFinding = z.infer<typeof judgedFindingSchema>;

export const JUDGED_FILE = join(import.meta.dirname, 'judged.json');

/** The judgements so far, in the order of their keys. */
export function judgedFindings(): JudgedFinding[] {
  return z.array(judgedFindingSchema).parse(JSON.parse(readFileSync(JUDGED_FILE, 'utf8')));
}

/** What two readers who agree said; arguable where they differ; of one reader, what this one said. */
export function verdictOf({ readers: { first, second } }: JudgedFinding): JudgedVerdict | null {
  if (!first || !second) return (first ?? second)?.verdict ?? null;
  return first.verdict === second.verdict ? first.verdict : 'arguable';
}

/** What one reader says of findings of the draw. */
export const deliverySchema = z.array(readingSchema.extend({ key: z.string() }).strip());

export const READERS = ['first', 'second'] as const;

/** The rule and the severity of a finding, by its key. */
export type RuleByKey = ReadonlyMap<string, Pick<JudgedFinding, 'rule' | 'severity'>>;

/**
 * Adds what readers say: it replaces what the same reader said of the same finding before, and everything else stays.
 *
 * @throws Error for a finding that is neither judged before nor known.
 */
export function mergeJudgements(
  before: readonly JudgedFinding[],
  delivered: Readonly<Partial<Record<(typeof READERS)[number], z.infer<typeof deliverySchema>>>>,
  known: RuleByKey,
): JudgedFinding[] {
  const merged = new Map(before.map((finding) => [finding.key, finding]));
  for (const reader of READERS) {
    for (const { key, verdict, proof } of delivered[reader] ?? []) {
      const finding = merged.get(key) ?? known.get(key);
      if (!finding) throw new Error(`The ${reader} reader judges a finding that was never drawn: ${key}`);
      const readers = { ...merged.get(key)?.readers, [reader]: { verdict, proof } };
      merged.set(key, { key, rule: finding.rule, severity: finding.severity, readers });
    }
  }
  return [...merged.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** How the judgements stand to what the rules find now. */
export interface JudgedState {
  /** Judged findings that the rules still have, with today's severity. */
  readonly present: readonly JudgedFinding[];
  /** Judged findings that no rule reports any more. */
  readonly gone: readonly JudgedFinding[];
  /** Findings of today's draw that nobody has judged. */
  readonly unjudged: readonly { readonly key: string; readonly rule: string; readonly severity: FindingLevel }[];
}

export function compareWithJudged(sessions: readonly SetSession[], judged = judgedFindings()): JudgedState {
  const now = new Map(
    sessions.flatMap((session) =>
      session.findings.map((finding) => [findingKey(session, finding), finding.severity] as const),
    ),
  );
  const known = new Set(judged.map(({ key }) => key));
  return {
    present: judged.flatMap((item) => {
      const severity = now.get(item.key);
      return severity === undefined ? [] : [{ ...item, severity }];
    }),
    gone: judged.filter(({ key }) => !now.has(key)),
    unjudged: drawFindings(sessions).flatMap(({ key, finding: { rule, severity } }) =>
      known.has(key) ? [] : [{ key, rule, severity }],
    ),
  };
}

/** Counts of verdicts, and the share that is true. */
interface Precision {
  readonly judged: number;
  readonly true: number;
  readonly arguable: number;
  readonly false: number;
}

export function precisionOf(findings: readonly JudgedFinding[]): Precision {
  const verdicts = findings.flatMap((finding) => verdictOf(finding) ?? []);
  const count = (verdict: JudgedVerdict) => verdicts.filter((other) => other === verdict).length;
  return { judged: verdicts.length, true: count('true'), arguable: count('arguable'), false: count('false') };
}

/** `52 of 55: 95 % (85 % to 98 %)`. */
export function precisionText(precision: Precision): string {
  const { judged, true: right } = precision;
  if (judged === 0) return 'none judged';
  return `${right} of ${judged}: ${percent(right / judged, 1)} (${percentRange(wilsonInterval(right, judged))})`;
}

/** Each severity and rule: what was judged of what is still found, and what became of the rest. */
export function precisionTable({ present, gone }: JudgedState): string {
  const row = (name: string, severity: string, is: (finding: JudgedFinding) => boolean): string[] => {
    const now = precisionOf(present.filter(is));
    const before = precisionOf(gone.filter(is));
    return [
      name,
      severity,
      String(now.judged),
      String(now.true),
      String(now.arguable),
      String(now.false),
      now.judged === 0
        ? '–'
        : `${percent(now.true / now.judged)} (${percentRange(wilsonInterval(now.true, now.judged))})`,
      `${before.true} / ${before.arguable} / ${before.false}`,
    ];
  };
  const all = [...present, ...gone];
  const severities = LEVELS.toReversed().filter((level) => all.some(({ severity }) => severity === level));
  const rules = [...new Set(all.map(({ rule }) => rule))].sort();
  return table(
    [
      'finding',
      'severity',
      'judged',
      'true',
      'arguable',
      'false',
      'true (95 % interval)',
      'no longer found: true / arguable / false',
    ],
    ...severities.map((level) => row('all rules', level, ({ severity }) => severity === level)),
    ...rules.flatMap((rule) =>
      severities.flatMap((level) => {
        const is = (finding: JudgedFinding) => finding.rule === rule && finding.severity === level;
        return all.some(is) ? [row(`\`${rule}\``, level, is)] : [];
      }),
    ),
  );
}

/** How far two readers agree: the share of the same verdicts, and Cohen's kappa. */
export function agreementSentence(findings: readonly JudgedFinding[]): string {
  const pairs = findings.flatMap(({ readers: { first, second } }): Pair<string>[] =>
    first && second ? [[first.verdict, second.verdict]] : [],
  );
  if (pairs.length === 0) return 'No finding was judged by two readers.';
  const same = pairs.filter(([first, second]) => first === second).length;
  return `Two readers judged ${pairs.length} findings, neither seeing what the other said: ${same} alike (${percent(same / pairs.length)}), Cohen's kappa ${figure(cohensKappa(pairs), 2)}.`;
}

/** The findings that are still made and not true, with the proof of a reader who says so. */
export function wrongFindings({ present }: JudgedState): string {
  const wrong = present.filter((finding) => verdictOf(finding) === 'false');
  if (wrong.length === 0) return 'No finding that is still made was judged false.';
  return wrong
    .map(
      ({ rule, severity, readers }) => `- \`${rule}\` (${severity}): ${(readers.first ?? readers.second)?.proof ?? ''}`,
    )
    .join('\n');
}
