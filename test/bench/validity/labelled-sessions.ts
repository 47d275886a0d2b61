import { dirname } from 'node:path';
import type { Finding } from '../../../src/core/finding.ts';
import { isObject } from '../../../src/core/json.ts';
import type { Session } from '../../../src/core/session.ts';
import { load } from '../../../src/input/load.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { collectFindings } from '../../../src/rules/index.ts';
import { createRuleView } from '../../../src/rules/rule-view.ts';
import { sharedData } from '../../support/shared-data.ts';

/** A session of which is known whether it reached what its user wanted. */
export interface LabelledSession {
  readonly session: Session;
  readonly dataset: Dataset;
  readonly failed: boolean;
  readonly findings: readonly Finding[];
  /** Sessions of one task, one account or one record are one family, which no fold parts. */
  readonly family: string;
}

/** Where the outcomes of customer-service sessions come from: a reward, checked against the state of a database. */
export const DATASETS = {
  'tau-bench airline': ['tau-bench/gpt-4o-airline.tasks00-12.json', 'tau-bench/gpt-4o-airline.tasks13-24.json'],
  'tau2-bench airline': ['tau2-bench/toolorchestra-airline.tasks000-024.json'],
  'tau2-bench mock and telecom': [
    'tau2-bench/activegraph-20260531-184109-726391.json',
    'tau2-bench/activegraph-20260601-041221-091109.json',
  ],
} as const satisfies Record<string, readonly string[]>;

export type Dataset = keyof typeof DATASETS;

/** All sessions with an outcome, with what the rules find in them; null where the data is not there. */
export async function labelledSessions(): Promise<readonly LabelledSession[] | null> {
  const result: Omit<LabelledSession, 'family'>[] = [];
  for (const dataset of Object.keys(DATASETS) as Dataset[]) {
    const sessions = await read(...DATASETS[dataset]);
    if (!sessions) return null;
    for (const session of sessions) {
      const reward = session.scores?.reward;
      if (typeof reward === 'number') {
        result.push({ session, dataset, failed: reward < 1, findings: collectFindings(session) });
      }
    }
  }
  const families = familiesOf(result.map(({ session }) => session));
  return result.map((item, index) => ({ ...item, family: families[index] ?? '' }));
}

/** The sessions of files of the labelled data; null where one is not there. */
export async function read(...files: readonly string[]): Promise<readonly Session[] | null> {
  const paths = files.map(sharedData).filter((path) => path !== null);
  if (paths.length < files.length) return null;
  return (await load(paths, nodeFileSystem, { signal: new AbortController().signal })).sessions;
}

/**
 * For each session the name of its family: sessions are of one family when they are attempts of one task, or when their
 * calls, done or expected, name the same account or record, and so on from those. tau2-bench took its airline tasks over
 * from tau-bench under other numbers: that is how they are told, and tasks that vary one another within a benchmark too.
 */
export function familiesOf(sessions: readonly Session[]): string[] {
  const parent = new Map<string, string>();
  const rootOf = (key: string): string => {
    let root = key;
    for (let up = parent.get(root); up !== undefined; up = parent.get(root)) root = up;
    return root;
  };
  const keys = sessions.map(keysOf);
  for (const [first = '', ...others] of keys) {
    for (const other of others) {
      const [a, b] = [rootOf(first), rootOf(other)];
      if (a !== b) parent.set(b, a);
    }
  }
  return keys.map(([first = '']) => rootOf(first));
}

function keysOf(session: Session): string[] {
  const { task, source, id, reference } = session;
  const { calls } = createRuleView(session);
  // What is named after the first change may be a record that it made, and simulated databases number those alike.
  const made = calls.findIndex(({ effect }) => effect === 'changes') + 1;
  const before = calls.slice(0, made || calls.length).map(({ step }) => step);
  const ids = [...before, ...(reference?.toolCalls ?? [])].flatMap((call) => identifiersIn(call.arguments));
  return [`${dirname(source.file)} ${task?.dataset ?? ''} ${task?.id ?? id}`, ...new Set(ids)];
}

/** `user_id`, `reservation_id`, `order_id` …: what names somebody's own record, as benchmarks write it. */
function identifiersIn(args: unknown): string[] {
  if (!isObject(args)) return [];
  return Object.entries(args).flatMap(([name, value]) =>
    /_id$/.test(name) && typeof value === 'string' && value !== '' ? `${name} ${value}` : [],
  );
}
