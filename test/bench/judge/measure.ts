import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseModelName } from '../../../src/config/model-name.ts';
import type { ConfigurationInput } from '../../../src/config/schema.ts';
import type { Report } from '../../../src/core/report.ts';
import type { Session } from '../../../src/core/session.ts';
import { evaluate } from '../../../src/index.ts';
import { load } from '../../../src/input/load.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { evenlySpaced } from '../../../src/input/select-sessions.ts';
import { METRICS } from '../../../src/metrics/index.ts';
import type { Environment } from '../../../src/store/home.ts';
import { sharedData } from '../../support/shared-data.ts';
import { DATASETS } from '../validity/labelled-sessions.ts';
import { compareRuns } from './comparison.ts';
import { type Outcomes, renderDocument } from './document.ts';
import { labelledAnswers } from './labelled-answers.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

export interface BenchEnvironment {
  readonly env: Environment;
  print(line: string): void;
}

const USAGE =
  'npm run bench:judge -- --judge openai:MODEL [--judge-url URL] [--files a,b] [--limit N] [--again] [--two-turns] [--out FILE]';

/** @returns the exit code: 0 measured and written, 1 no answers to compare, 2 nothing was asked. */
export async function benchJudge(argv: readonly string[], surroundings: BenchEnvironment): Promise<number> {
  try {
    return await measured(options(argv), surroundings);
  } catch (error) {
    // Among them what is wrong with the model: a missing key, a URL that is none.
    surroundings.print(error instanceof Error ? error.message : String(error));
    return 2;
  }
}

async function measured(
  { judge, files, limit, again, twoTurns, out }: Options,
  { env, print }: BenchEnvironment,
): Promise<number> {
  const read = await sessionsOf(files);
  const sessions = evenlySpaced(read.sessions, limit ?? read.sessions.length);
  if (sessions.length === 0) {
    print('There are no sessions to ask about.');
    return 2;
  }
  const asked = (how: ConfigurationInput['judge'] = {}) => run(sessions, { ...judge, ...how }, env);
  const turns = sessions.reduce((sum, session) => sum + session.turns.length, 0);
  const counted = `${sessions.length} sessions with ${turns} turns`;
  print(`Asking ${judge.provider}/${judge.model} about ${counted}: first packed, then each stage on its own.`);
  const packed = await asked();
  if (compareRuns(packed, packed).length === 0) {
    print(`The model answered nothing, so nothing is written. ${firstError(packed)}`);
    return 1;
  }
  const document = renderDocument({
    packed,
    separate: await asked({ questionsPerCall: 1 }),
    again: again ? await asked() : null,
    twoTurns: twoTurns ? await asked({ turnsPerCall: 2 }) : null,
    judge: `${judge.provider}/${judge.model}`,
    day: new Date().toISOString().slice(0, 10),
    sessions: `${counted}, ${read.from}`,
    outcomes: outcomesOf(sessions),
  });
  await writeFile(out, document);
  print(`Written to ${out}. \`npm run docs\` has the pages of the metrics point to it.`);
  return 0;
}

interface Options {
  readonly judge: { readonly provider: 'openai' | 'ollama'; readonly model: string; readonly baseUrl?: string };
  readonly files: readonly string[];
  readonly limit: number | undefined;
  readonly again: boolean;
  readonly twoTurns: boolean;
  readonly out: string;
}

/** @throws Error with a sentence where they cannot be followed. */
function options(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      judge: { type: 'string' },
      'judge-url': { type: 'string' },
      files: { type: 'string' },
      limit: { type: 'string' },
      again: { type: 'boolean', default: false },
      'two-turns': { type: 'boolean', default: false },
      out: { type: 'string', default: join(ROOT, 'docs', 'agreement.md') },
    },
  });
  const { provider, model } = parseModelName(values.judge ?? '');
  if ((provider !== 'openai' && provider !== 'ollama') || model === undefined) {
    throw new Error(`This asks a model, and none is named, so nothing was measured: ${USAGE}`);
  }
  const limit = values.limit === undefined ? undefined : Number(values.limit);
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0)) {
    throw new Error(`--limit ${values.limit} is no number of sessions: ${USAGE}`);
  }
  const url = values['judge-url'];
  return {
    judge: { provider, model, ...(url === undefined ? {} : { baseUrl: url }) },
    files: values.files?.split(',').filter((file) => file !== '') ?? [],
    limit,
    again: values.again,
    twoTurns: values['two-turns'],
    out: values.out,
  };
}

interface Read {
  readonly sessions: readonly Session[];
  readonly from: string;
}

/** Files that are named; else the data with outcomes, where it is there; else the samples. */
async function sessionsOf(files: readonly string[]): Promise<Read> {
  const { signal } = new AbortController();
  const read = async (paths: readonly string[]) => (await load(paths, nodeFileSystem, { signal })).sessions;
  if (files.length > 0) return { sessions: await read(files), from: 'of files that were named' };
  const labelled = Object.values(DATASETS).flat().map(sharedData);
  const there = labelled.filter((path) => path !== null);
  const answers = await labelledAnswers();
  if (there.length === labelled.length && answers) {
    const names = [...Object.keys(DATASETS), 'answers that are known to be right or wrong'];
    return { sessions: [...(await read(there)), ...answers], from: `of ${names.join(', ')}` };
  }
  return { sessions: await read([join(ROOT, 'samples')]), from: 'of the samples' };
}

/** By where the sessions come from: outcomes of different kinds say nothing of one another. */
function outcomesOf(sessions: readonly Session[]): Outcomes {
  const sets = new Set(sessions.map(setOf));
  return Object.fromEntries(
    Array.from(sets, (set) => [set, sessions.map((session) => (setOf(session) === set ? hasFailed(session) : null))]),
  );
}

function setOf({ source }: Session): string {
  return basename(dirname(source.file));
}

/** Null where no reward says it. */
function hasFailed({ scores }: Session): boolean | null {
  return typeof scores?.reward === 'number' ? scores.reward < 1 : null;
}

/** Every metric that asks and has what it asks by. Nothing is taken from the cache: what it takes is measured too. */
function run(sessions: readonly Session[], judge: ConfigurationInput['judge'], env: Environment): Promise<Report> {
  const metrics = METRICS.filter(({ usesJudge: judged, needs }) => judged && !needs.includes('rubrics')).map(
    ({ name }) => name,
  );
  return evaluate(sessions, { judge, metrics }, { env, cache: false });
}

function firstError({ problems }: Report): string {
  return problems[0]?.message ?? '';
}
