import { join } from 'node:path';
import { findBaselineFile } from '../config/discover.ts';
import { explainIssues, formatKeyPath } from '../config/schema-errors.ts';
import type { Baseline } from '../core/baseline.ts';
import { errorMessage } from '../core/error-message.ts';
import { baselineSchema } from '../core/schemas/baseline.ts';
import { BASELINE_FILE } from '../core/trace-file-names.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { parseFile } from '../input/parse-file.ts';
import { describeSystemError } from '../input/system-error.ts';
import { writeFile } from '../output/write-file.ts';
import { acceptBaseline, missingForBaseline } from '../runs/baseline/accept-baseline.ts';
import { baselineText } from '../runs/baseline/baseline-text.ts';
import { type RaisedBaseline, raiseBaseline } from '../runs/baseline/raise-baseline.ts';
import type { Remedies } from '../runs/remedies.ts';
import type { RunRecord, RunStore } from '../runs/run-store.ts';

/** A baseline, or the sentence that says why there is none. */
export type ReadBaseline =
  | { readonly baseline: Baseline }
  | { readonly baseline: null; readonly isMissing: boolean; readonly problem: string };

/** The path of the project's baseline, whether it exists or not: the nearest one, else at the root of the project. */
export async function baselinePath(folder: string, project: string): Promise<string> {
  return (await findBaselineFile(folder)) ?? join(project, BASELINE_FILE);
}

/** @param name as messages call the file */
export async function readBaseline(path: string, name: string, signal: AbortSignal): Promise<ReadBaseline> {
  const failed = (problem: string, isMissing = false) => ({ baseline: null, isMissing, problem });
  if ((await nodeFileSystem.stat(path)) === null) {
    return failed(
      `There is no baseline ${name}. \`turnwise baseline accept --reason TEXT\` makes the last run one.`,
      true,
    );
  }
  try {
    const { document, problems } = parseFile(name, await nodeFileSystem.read(path, signal));
    if (!document) return failed(`${name} cannot be read: ${problems[0]?.message ?? 'it is no JSON.'}`);
    const parsed = baselineSchema.safeParse(document.value);
    if (parsed.success) return { baseline: parsed.data };
    const [issue] = explainIssues(parsed.error.issues, baselineSchema, document.value, []);
    const where = issue && issue.path.length > 0 ? ` at ${formatKeyPath(issue.path)}` : '';
    return failed(
      `${name} is no baseline of this version${where}: ${issue?.message ?? 'another shape'} Accept a new one.`,
    );
  } catch (error) {
    return failed(`${name} cannot be read: ${describeSystemError(error)}.`);
  }
}

export interface SetBaselineRequest {
  readonly store: RunStore;
  readonly record: RunRecord;
  readonly path: string;
  /** As messages call the file. */
  readonly name: string;
  readonly reason: string;
  /** Take over only what is better beyond chance. */
  readonly raise?: boolean;
  /** Those of the place where a refusal is read; by default of the command line. */
  readonly remedies?: Remedies;
  readonly signal: AbortSignal;
}

export type SetBaseline =
  /** Why the run cannot be the baseline, each a sentence with its remedy. */
  | { readonly kind: 'refused'; readonly reasons: readonly string[] }
  | { readonly kind: 'accepted'; readonly baseline: Baseline }
  | ({ readonly kind: 'raised' } & RaisedBaseline);

/** Makes a recorded run the baseline of its project: for `turnwise baseline accept`, and for editors. */
export async function setBaseline(request: SetBaselineRequest): Promise<SetBaseline> {
  const { store, record, path, name, reason, raise = false, signal } = request;
  const { manifest } = record;
  const reasons = missingForBaseline(manifest, request.remedies);
  if (reasons.length > 0) return { kind: 'refused', reasons };
  const read = await readBaseline(path, name, signal);
  if (read.baseline === null && (raise || !read.isMissing)) return { kind: 'refused', reasons: [read.problem] };
  const rows = await record.rows();
  const today = new Date().toISOString().slice(0, 10);
  if (raise && read.baseline) {
    try {
      const raised = raiseBaseline(read.baseline, { manifest, rows }, { reason, today });
      if (raised.baseline !== read.baseline) await writeFile(path, baselineText(raised.baseline));
      return { kind: 'raised', ...raised };
    } catch (error) {
      return { kind: 'refused', reasons: [errorMessage(error)] };
    }
  }
  const baseline = acceptBaseline({ manifest, rows }, { reason, today, quarantine: read.baseline?.quarantine });
  await writeFile(path, baselineText(baseline));
  await store.setBaseline(manifest.id, true);
  return { kind: 'accepted', baseline };
}
