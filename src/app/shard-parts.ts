import { listSome } from '../core/text/lists.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { shellWord } from '../core/text/shell-word.ts';
import type { PlannedSessions } from '../runs/record/planned-line.ts';
import type { RunRecord } from '../runs/run-store.ts';
import { planHash, shardText } from './plan-shard.ts';
import { describeChanges, type ResumeBasis } from './resume-check.ts';

/** A part of a run, and what its user calls it. */
export interface RunPart {
  readonly record: RunRecord;
  readonly name: string;
}

/** Parts that belong together. */
export interface CheckedParts {
  readonly planned: PlannedSessions;
  /** By their number, from 1. */
  readonly byShard: ReadonlyMap<number, RunPart>;
  /** The files of sessions as rows name them, by id. */
  readonly files: ReadonlyMap<string, string>;
  /** What keeps them from being all of the run, a sentence each; empty if they are. */
  readonly gaps: readonly string[];
  /** Parts that are there twice or are of another run, so that they do not count; a sentence each. */
  readonly leftOut: readonly string[];
}

/** The parts are no run. The message is a sentence per line. */
export class PartsRefused extends Error {
  override readonly name = 'PartsRefused';
}

/**
 * Shows by the ids of their sessions that parts are all of one run, each once.
 *
 * @throws PartsRefused where a record is no part of a run, or damaged
 */
export async function checkParts(parts: readonly RunPart[]): Promise<CheckedParts> {
  const whole = parts.filter(({ record }) => !record.manifest.shard);
  if (whole.length > 0) {
    const names = listSome(whole.map(nameOf), NAMED);
    throw new PartsRefused(
      `${names} ${whole.length === 1 ? 'is no part' : 'are no parts'} of a run: merge takes what \`turnwise eval --shard I/N\` recorded.`,
    );
  }
  const { own, foreign } = separateForeign(parts);
  const planned = await readPlanned(own);
  const { byShard, duplicates } = separateDuplicates(own);
  const files = new Map<string, string>();
  const open: string[] = [];
  for (const [index, part] of byShard) open.push(...(await checkSessions(part, index, planned, files)));
  return {
    planned,
    byShard,
    files,
    gaps: [...missingShards(own, byShard, planned), ...open],
    leftOut: [...foreign, ...duplicates],
  };
}

interface SeparatedParts {
  readonly own: readonly RunPart[];
  readonly foreign: readonly string[];
}

/** The first part says which run it is, unless most others are of another one. */
function separateForeign(parts: readonly RunPart[]): SeparatedParts {
  const byPlan = [...Map.groupBy(parts, ({ record }) => record.manifest.shard?.plan ?? '').values()];
  const [own = [], ...others] = byPlan.sort((a, b) => b.length - a.length);
  const [first] = own;
  if (!first) throw new PartsRefused('Name the parts to merge.');
  const foreign = others.flat().map((part) => {
    const changes = describeChanges(basisOf(first), basisOf(part));
    const why = changes.length > 0 ? changes.join('; ') : 'the traces are others, or are divided in another way';
    return `${nameOf(part)} is part of another run than ${nameOf(first)}: ${why}. Leave it out, or evaluate it again as the others were.`;
  });
  return { own, foreign };
}

function basisOf({ record: { manifest } }: RunPart): ResumeBasis {
  return { ...manifest, shard: undefined };
}

async function readPlanned(parts: readonly RunPart[]): Promise<PlannedSessions> {
  for (const { record } of parts) {
    const planned = await record.planned();
    if (planned && planHash(record.manifest, planned) === record.manifest.shard?.plan) return planned;
  }
  const names = listSome(parts.map(nameOf), NAMED);
  throw new PartsRefused(`${names}: the list of all sessions is missing or damaged. Evaluate the shard again.`);
}

function separateDuplicates(parts: readonly RunPart[]) {
  const byShard = new Map<number, RunPart>();
  const duplicates: string[] = [];
  for (const [index, alike] of Map.groupBy(parts, ({ record }) => record.manifest.shard?.index ?? 0)) {
    const [first] = alike.toSorted((a, b) => Number(isComplete(b)) - Number(isComplete(a)));
    if (first) byShard.set(index, first);
    if (alike.length === 1) continue;
    const names = alike.map(nameOf).join(' and ');
    duplicates.push(`${names} are both shard ${textOf(alike[0])}. Name only one of them.`);
  }
  return { byShard, duplicates };
}

function missingShards(
  parts: readonly RunPart[],
  byShard: ReadonlyMap<number, RunPart>,
  planned: PlannedSessions,
): string[] {
  const of = parts[0]?.record.manifest.shard?.of ?? 0;
  const missing = Array.from({ length: of }, (_, at) => at + 1).filter((index) => !byShard.has(index));
  if (missing.length === 0) return [];
  const count = planned.shards.filter((shard) => !byShard.has(shard)).length;
  const [numbers, are] = missing.length === 1 ? ['Shard', 'is'] : ['Shards', 'are'];
  return [
    `${numbers} ${listSome(missing.map(String), NAMED)} of ${of} ${are} missing, with ${pluralize(count, 'session')}. Name ${missing.length === 1 ? 'its record' : 'their records'}, or evaluate it with the options of the others: ${evaluation(parts[0], `${missing[0]}/${of}`)}`,
  ];
}

/** The command that evaluates a shard. @param part another one */
function evaluation(part: RunPart | undefined, shard: string): string {
  return ['turnwise eval', ...(part?.record.manifest.inputs ?? []).map(shellWord), '--shard', shard].join(' ');
}

/** The command that makes a part complete, on any machine that has the traces. */
function continuation(part: RunPart): string {
  const place = shellWord(part.name);
  // A folder of a killed process is beside the file.
  return /\.zip$/i.test(part.name)
    ? `Evaluate it again with its options: ${evaluation(part, textOf(part))} --record ${place}`
    : `Continue it with its options: turnwise eval --resume ${place}`;
}

/** Collects the files of the sessions. */
async function checkSessions(
  part: RunPart,
  index: number,
  planned: PlannedSessions,
  files: Map<string, string>,
): Promise<string[]> {
  const { record, name } = part;
  const own = planned.ids.filter((_, at) => planned.shards[at] === index);
  const expected = new Set(own);
  const rows = await record.rows();
  for (const { id, file } of rows) files.set(id, file);
  const found = new Set(rows.map(({ id }) => id));
  const lost = own.filter((id) => !found.has(id));
  const others = rows.filter(({ id }) => !expected.has(id)).map(({ id }) => id);
  if (record.manifest.state !== 'complete') {
    return [
      `${name} is not complete: ${own.length - lost.length} of ${pluralize(own.length, 'session')}. ${continuation(part)}`,
    ];
  }
  if (lost.length === 0 && others.length === 0) return [];
  const what = [
    ...(lost.length > 0
      ? [`lacks ${pluralize(lost.length, 'session')} that it planned: ${listSome(lost, NAMED)}`]
      : []),
    ...(others.length > 0
      ? [`has ${pluralize(others.length, 'session')} that it did not plan: ${listSome(others, NAMED)}`]
      : []),
  ];
  return [`${name} ${what.join(', and ')}. Evaluate the shard again.`];
}

const NAMED = 5;

function isComplete({ record }: RunPart): boolean {
  return record.manifest.state === 'complete';
}

function nameOf({ name }: RunPart): string {
  return name;
}

function textOf(part: RunPart | undefined): string {
  const shard = part?.record.manifest.shard;
  return shard ? shardText(shard) : '';
}
