import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Finding } from '../../../src/core/finding.ts';
import { get, getArray, getId, getNumber } from '../../../src/core/json.ts';
import { pointerTokens } from '../../../src/core/pointer.ts';
import type { Pointer, Session } from '../../../src/core/session.ts';
import { collectFindings } from '../../../src/rules/index.ts';
import { sharedData } from '../../support/shared-data.ts';
import { read } from './labelled-sessions.ts';

/** A session of which somebody said in which messages the mistakes are. */
export interface StepLabelledRun {
  readonly findings: readonly Finding[];
  /** Zero-based positions of the messages with a mistake. */
  readonly wrong: ReadonlySet<number>;
  /** How many messages there are. */
  readonly messages: number;
  /** The positions of the messages that a finding names: its first evidence and the calls at fault. */
  namedBy(finding: Finding): readonly number[];
}

/** Runs whose failure steps people labelled, counted from one as the messages' own `index`. */
export async function agentRxRuns(folder: string): Promise<StepLabelledRun[]> {
  const truth = sharedData(`${folder}/ground_truth.json`);
  const labels = new Map(
    list(truth === null ? null : parsed(truth)).map((label) => [getId(label, 'trajectory_id') ?? '', label]),
  );
  return (await sessionsIn(folder)).flatMap((session) => {
    const label = labels.get(session.task?.id ?? basename(session.source.file, '.json'));
    if (!label) return [];
    const steps = (getArray(label, 'failures') ?? []).flatMap((failure) => getNumber(failure, 'step_number') ?? []);
    return stepLabelled(session, new Set(steps.map((step) => step - 1)));
  });
}

/** Failed runs of teams of agents, of which people named the one decisive step, counted from zero. */
export async function whoAndWhenRuns(): Promise<StepLabelledRun[]> {
  return (await sessionsIn('who-and-when')).flatMap((session) => {
    const step = Number(session.metadata?.mistake_step ?? Number.NaN);
    return Number.isInteger(step) ? stepLabelled(session, new Set([step])) : [];
  });
}

/** Where the list of messages stands in a run, by the key that holds it. */
const MESSAGE_LISTS = ['traj', 'history'] as const;

function stepLabelled(session: Session, wrong: ReadonlySet<number>): StepLabelledRun {
  const { file, pointer } = session.source;
  const run = pointerTokens(pointer).reduce(inside, parsed(file));
  const key = MESSAGE_LISTS.find((name) => getArray(run, name));
  const messages = key ? `${pointer}/${key}` : pointer;
  return {
    findings: collectFindings(session),
    wrong,
    messages: list(key ? get(run, key) : run).length,
    namedBy: (finding) => findingPointers(finding).flatMap((place) => positionIn(messages, place) ?? []),
  };
}

/** The pointers at which a finding says that something is wrong. */
export function findingPointers({ evidence, calls = [] }: Finding): Pointer[] {
  return [...new Set([...evidence.slice(0, 1).map(({ pointer }) => pointer), ...calls])];
}

/** `/3/traj/17/content` is message 17 of the messages at `/3/traj`. */
export function positionIn(messages: Pointer, pointer: Pointer): number | null {
  if (!pointer.startsWith(`${messages}/`)) return null;
  const position = Number(pointer.slice(messages.length + 1).split('/', 1)[0]);
  return Number.isInteger(position) ? position : null;
}

/** How well findings point at the labelled messages. */
export interface StepAgreement {
  readonly findings: number;
  /** Findings that name a labelled message, or one beside it: a call and its result are two messages. */
  readonly right: number;
  /** Labelled messages that a finding names so. */
  readonly named: number;
  readonly labels: number;
  /** The share of all messages that would be right by chance. */
  readonly chance: number;
}

export function stepAgreement(runs: readonly StepLabelledRun[], rules: (finding: Finding) => boolean): StepAgreement {
  let [findings, right, named, labels, near, messages] = [0, 0, 0, 0, 0, 0];
  for (const run of runs) {
    const result = run.findings.filter(rules).map((finding) => run.namedBy(finding));
    findings += result.length;
    right += result.filter((places) => places.some((place) => isNear(place, run.wrong))).length;
    const all = new Set(result.flat());
    named += [...run.wrong].filter((step) => isNear(step, all)).length;
    labels += run.wrong.size;
    messages += run.messages;
    near += Array.from({ length: run.messages }).filter((_, place) => isNear(place, run.wrong)).length;
  }
  return { findings, right, named, labels, chance: messages === 0 ? 0 : near / messages };
}

function isNear(place: number, places: ReadonlySet<number>): boolean {
  return places.has(place - 1) || places.has(place) || places.has(place + 1);
}

async function sessionsIn(folder: string): Promise<readonly Session[]> {
  return (await read(folder)) ?? [];
}

function parsed(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function inside(value: unknown, token: string): unknown {
  return Array.isArray(value) ? value[Number(token)] : get(value, token);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
