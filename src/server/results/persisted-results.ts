import * as z from 'zod';
import { SEVERITIES } from '../../core/severity.ts';
import { STATUSES } from '../../core/statuses.ts';
import { dictionary } from '../../formats/dictionary.ts';
import { findRule } from '../../rules/index.ts';
import type { FileStamp } from '../disk/file-stamp.ts';
import type { EvaluationInputs } from './evaluated-file.ts';
import type { FileProblem, SessionResultsView } from './session-view.ts';

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

/** Incremented when the stored shape changes; results in another format are ignored. */
export const PERSISTED_FORMAT = 2;

const text = z.string();
const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();
const number = z.number().nullable();
const count = z.int().nonnegative();
const severity = z.enum(SEVERITIES);
/** Former ids, which older versions stored, become current ones. */
const ruleId = text.transform((id) => findRule(id)?.id ?? id);
const verdict = z.enum(['passed', 'failed', 'undecided']);

const position = z.object({ line: count, character: count });
const range = z.object({ start: position, end: position });
const place = z.object({ uri: text, range });
const related = list(place.extend({ note: text }));

const row = z.object({
  key: text,
  id: text,
  verdict,
  risk: number,
  riskReason: text.nullable(),
  turns: count,
  failures: count,
  headline: text.nullable(),
  why: list(text),
  turnsDone: z.null(),
  place,
});

const failure = z.object({
  turn: count,
  label: text,
  severity,
  reason: text,
  code: ruleId,
  rule: ruleId.nullable(),
  pointer: text,
  place,
  related,
});
const observation = z.object({ turn: count, rule: ruleId, title: text, reason: text, pointer: text, place, related });

const evidence = list(z.object({ pointer: text, note: text, file: text.optional() }));

const result = z.object({
  status: z.enum(STATUSES),
  score: number,
  label: text.nullable(),
  labels: list(text),
  scale: z.tuple([z.number(), number]).readonly().nullable(),
  threshold: number,
  passed: z.boolean().nullable(),
  band: z.object({ name: text, meaning: text }).nullable(),
  implied: z.literal(true).optional(),
  judge: text.optional(),
  reason: text.nullable(),
  source: z.enum(['rules', 'judge', 'embedding', 'reference', 'aggregate', 'imported']).nullable(),
  failures: list(z.object({ label: text, severity: severity.optional(), reason: text, evidence })).optional(),
  evidence,
  metadata: z.record(text, z.unknown()).default({}),
});
const metrics = dictionary(result);

const report = z.object({
  id: text,
  source: z.object({ file: text, format: text, pointer: text }),
  task: z.object({ id: text, trial: text.nullable(), dataset: text.nullable(), agent: text.nullable() }).nullable(),
  verdict,
  undecided: list(text).optional(),
  metrics,
  turns: list(
    z.object({
      id: text,
      index: count,
      pointer: text,
      line: count.nullable(),
      file: text.optional(),
      metrics,
    }),
  ),
});

const gate = z.object({
  scope: z.enum(['run', 'scenario', 'session']),
  subject: text.nullable(),
  metric: text,
  threshold: z.union([z.number(), severity]),
  actual: z.union([z.number(), severity]).nullable(),
  scored: count,
  of: count,
  met: z.boolean().nullable(),
  reason: text,
});

const run = z.object({
  id: text,
  startedAt: text,
  durationMs: z.number(),
  complete: z.boolean(),
  agentVersion: text.nullable(),
  judge: z.object({ provider: text, model: text }).nullable(),
  embedder: z.object({ provider: text, model: text.nullable() }).nullable(),
  questionsPerCall: count,
  usage: z.object({
    judgeCalls: count,
    judgeCallsCached: count,
    judgeCallsOf: dictionary(z.number()).optional(),
    promptTokens: count,
    completionTokens: count,
    embeddedTexts: count,
    cost: z.number().optional(),
  }),
});

const at = {
  session: text,
  file: text,
  turn: count,
  pointer: text,
  line: count.nullable(),
  evidence: list(z.object({ file: text, pointer: text, line: count.nullable(), note: text })),
};
const found = z.object({
  groups: list(
    z.object({
      label: text,
      severity,
      count,
      title: text,
      explanation: text,
      occurrences: list(
        z.object({ ...at, label: text, severity, metric: text.nullable(), rule: ruleId.nullable(), reason: text }),
      ),
    }),
  ),
  observations: list(z.object({ ...at, rule: ruleId, title: text, reason: text })),
  suppressed: list(z.object({ ...at, rule: ruleId, finding: text, reason: text })),
});

const session = z.object({
  row,
  file: text,
  files: list(text),
  failures: list(failure),
  observations: list(observation),
  turnPlaces: list(place.extend({ lineEnd: range })),
  detail: z.object({ report, gates: list(gate), run, undecided: list(text).optional(), found }),
});

const problem = z.object({
  row: z.object({ severity: z.enum(['error', 'warning']), message: text, place }),
  file: text,
});

const stamp = z.object({ hash: text, size: count, modified: number, at: z.number() });
const pairs = <Value extends z.ZodType>(value: Value) => list(z.tuple([text, value]).readonly());

const kept = z.object({
  sessions: list(session),
  problems: list(problem),
  texts: pairs(stamp),
  beside: pairs(text),
  above: pairs(text),
});

/** Null for anything in another shape. */
export function parsePersistedResults(json: string): PersistedResults | null {
  try {
    return kept.safeParse(JSON.parse(json)).data ?? null;
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

/** Leaves out metadata, which may contain trace text that a model quoted. */
export function omitMetadata(key: string, part: unknown): unknown {
  return key === 'metadata' ? undefined : part;
}

export function toEvaluationInputs({ beside, above }: PersistedResults): EvaluationInputs {
  return { beside: new Map(beside), above: new Map(above) };
}
