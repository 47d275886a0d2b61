import * as z from 'zod/mini';
import { isObject } from '../../core/json.ts';
import {
  failureGroupSchema,
  gateSchema,
  observationSchema,
  problemOccurrenceSchema,
  runInfoSchema,
  sessionReportSchema,
  suppressedFindingSchema,
  turnReportSchema,
  usageSchema,
} from '../../core/schemas/report.ts';
import { resultSchema } from '../../core/schemas/result.ts';
import { sessionFactsSchema } from '../../core/schemas/session-outcome.ts';
import { redactJsonValue } from '../../core/secrets.ts';
import {
  fileLocation,
  fileProblemRow,
  observationRow,
  sessionProblemRow,
  sessionRow,
} from '../../protocol/messages.ts';
import { UNKNOWN_OUTCOME } from '../../report-model/agent-outcome.ts';
import { riskLevelByThirds } from '../../report-model/risk-level.ts';
import { sessionTitle } from '../../report-model/session-title.ts';
import { findRule } from '../../rules/index.ts';
import type { FileStamp } from '../disk/file-stamp.ts';
import type { EvaluationInputs } from './evaluated-file.ts';
import type { FileProblem, SessionResultsView } from './session-results-view.ts';

/** The stored results of a file. */
export interface PersistedResults {
  readonly sessions: readonly SessionResultsView[];
  readonly problems: readonly FileProblem[];
  /**
   * The versions in which they were found, by path: of the file itself, and of others that its sessions continue in.
   */
  readonly texts: readonly (readonly [path: string, stamp: FileStamp])[];
  /** Hashes of the inputs of the evaluation, by path. */
  readonly beside: readonly (readonly [path: string, hash: string])[];
  readonly above: readonly (readonly [path: string, hash: string])[];
}

/**
 * Incremented when stored results can no longer be read, as when the report or a row gets another required key. Results in
 * another format are ignored.
 */
export const PERSISTED_FORMAT = 2;

const missedCall = z.object({
  match: z.enum(['missing', 'arguments']),
  name: z.string(),
  turn: z.nullable(z.number()),
});

const list = <Item extends z.core.$ZodType>(item: Item) => z.readonly(z.array(item));
const pairs = <Value extends z.core.$ZodType>(value: Value) => list(z.tuple([z.string(), value]));

/** A record that keeps an own key `__proto__`, which `z.record` drops. */
function dictionary<Value>(value: z.core.$ZodType<Value>) {
  const toMap = z.transform((input) => (isObject(input) ? new Map(Object.entries(input)) : input));
  const toRecord = z.transform((entries: Map<string, Value>): Record<string, Value> => Object.fromEntries(entries));
  return z.pipe(z.pipe(toMap, z.map(z.string(), value)), toRecord);
}

/** Former ids, which older versions stored, become current ones. */
const ruleId = z.pipe(
  z.string(),
  z.transform((id) => findRule(id)?.id ?? id),
);

/** Keys of rows as 0.1.0 stored them. */
const FORMER_ROW_KEYS = new Map([
  ['place', 'location'],
  ['failures', 'problems'],
]);

/** A row, also with its former keys. */
function row<Shape extends z.core.$ZodShape>(shape: Shape) {
  const renameKeys = z.transform((input) =>
    isObject(input)
      ? Object.fromEntries(Object.entries(input).map(([key, value]) => [FORMER_ROW_KEYS.get(key) ?? key, value]))
      : input,
  );
  return z.pipe(renameKeys, z.object(shape));
}

// The schemas of the report and of the protocol, except for what is not stored.

/** Stored without metadata: see `omitTraceText`. */
const result = z.object({ ...resultSchema.shape, metadata: z._default(resultSchema.shape.metadata, {}) });
const metrics = dictionary(result);
const report = z.object({
  ...sessionReportSchema.shape,
  // 0.1.0 stored neither: the session is shown as it was, and its file is evaluated again when it is opened.
  outcome: z._default(sessionReportSchema.shape.outcome, { ...UNKNOWN_OUTCOME, disagrees: [] }),
  headline: z._default(sessionReportSchema.shape.headline, {
    kind: 'undecided',
    text: 'Evaluated by an earlier version',
    turn: null,
  }),
  metrics,
  turns: list(z.object({ ...turnReportSchema.shape, metrics })),
});

const usage = { ...usageSchema.shape, judgeCallsOf: z.optional(dictionary(z.number())) };

const occurrence = z.object({ ...problemOccurrenceSchema.shape, rule: z.nullable(ruleId) });

const storedSession = z.object({
  // Whether it is stale is known only when its file is read. No unfinished session is stored.
  // The headline and what it is made of are in the report.
  row: row({
    ...z.omit(sessionRow, {
      state: true,
      changed: true,
      headline: true,
      outcome: true,
      title: true,
    }).shape,
    // 0.1.0 did not store it.
    riskLevel: z.optional(sessionRow.shape.riskLevel),
    turnsDone: z.null(),
  }),
  file: z.string(),
  files: list(z.string()),
  // 0.1.0 did not store titles.
  failures: list(
    row({ ...sessionProblemRow.shape, title: z.optional(z.string()), code: ruleId, rule: z.nullable(ruleId) }),
  ),
  observations: list(row({ ...observationRow.shape, rule: ruleId })),
  turnPlaces: list(z.object({ ...fileLocation.shape, lineEnd: fileLocation.shape.range })),
  detail: z.object({
    report,
    gates: list(gateSchema),
    run: z.object({ ...runInfoSchema.shape, usage: z.object(usage) }),
    undecided: z.optional(list(z.string())),
    correctedShares: z.optional(list(z.object({ metric: z.string(), text: z.string() }))),
    hasOutdatedScores: z.optional(z.literal(true)),
    found: z.object({
      groups: list(z.object({ ...failureGroupSchema.shape, occurrences: list(occurrence) })),
      observations: list(z.object({ ...observationSchema.shape, rule: ruleId })),
      suppressed: list(z.object({ ...suppressedFindingSchema.shape, rule: ruleId })),
    }),
    // 0.1.0 did not store them.
    facts: z.optional(
      z.object({
        ...sessionFactsSchema.shape,
        goal: z.optional(z.string()),
        missedCalls: z.optional(list(missedCall)),
      }),
    ),
  }),
});

const session = z.pipe(
  storedSession,
  z.transform(({ row, ...view }): SessionResultsView => {
    const { headline, outcome } = view.detail.report;
    // The first words of the user are not stored: the title is the task, else the id.
    const title = sessionTitle(view.detail.report, []);
    const riskLevel = row.riskLevel ?? (row.risk === null ? null : riskLevelByThirds(row.risk));
    return {
      ...view,
      failures: view.failures.map((failure) => ({ ...failure, title: failure.title ?? failure.label })),
      row: { ...row, title, riskLevel, headline, outcome: outcome.status },
    };
  }),
);

const stamp = z.object({ hash: z.string(), size: z.number(), modified: z.nullable(z.number()), at: z.number() });

const persistedResults = z.object({
  sessions: list(session),
  problems: list(z.object({ row: row(fileProblemRow.shape), file: z.string() })),
  texts: pairs(stamp),
  beside: pairs(z.string()),
  above: pairs(z.string()),
});

/** Null for anything in another shape. */
export function parsePersistedResults(json: string): PersistedResults | null {
  try {
    return persistedResults.safeParse(JSON.parse(json)).data ?? null;
  } catch {
    return null;
  }
}

/** @param replacing like the replacer of `JSON.stringify`. */
export function serializePersistedResults(
  value: PersistedResults,
  replacing: (key: string, part: unknown) => unknown,
): string {
  return JSON.stringify(value, (key, part: unknown) => replacing(key, part));
}

/**
 * Leaves out what may be trace text: metadata, which a model may quote it in, the title of a session, and the arguments of its
 * changes, which are compared by their keys. The rest may quote a secret.
 */
export function omitTraceText(key: string, part: unknown): unknown {
  if (key === 'row' && isObject(part)) return { ...part, title: undefined };
  if (key === 'changes' && Array.isArray(part)) return part.map(omitArguments);
  return key === 'metadata' ? undefined : redactJsonValue(key, part);
}

function omitArguments(change: unknown): unknown {
  return isObject(change) ? { ...change, arguments: [], moreArguments: undefined } : change;
}

export function toEvaluationInputs({ beside, above }: PersistedResults): EvaluationInputs {
  return { beside: new Map(beside), above: new Map(above) };
}
