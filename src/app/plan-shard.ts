import { createHash } from 'node:crypto';
import type { Configuration } from '../config/schema.ts';
import { canonicalJson } from '../core/json.ts';
import type { Problem } from '../core/problem.ts';
import type { RunManifest } from '../core/run-record.ts';
import { redactSecrets } from '../core/secrets.ts';
import type { Session } from '../core/session.ts';
import { hashOf, sessionContent } from '../core/session-hashes.ts';
import { planMetrics } from '../engine/plan.ts';
import type { PlannedSessions } from '../runs/record/planned-line.ts';
import { assignShards } from '../runs/shards/assign-shards.ts';
import { judgeFunction } from './function-models.ts';
import { type LoadRunOptions, streamRun } from './load-run.ts';
import { metricsWith } from './plug-ins.ts';
import { AgentObserver } from './recorded-agent.ts';
import { requiredModels } from './required-models.ts';
import { type ResumeBasis, resumeBasis } from './resume-check.ts';

/** One of several parts of a run, which other machines evaluate. */
export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly of: number;
}

/** What one part evaluates of the sessions of all. */
export interface ShardPlan {
  readonly shard: Shard;
  readonly planned: PlannedSessions;
  /** What all sessions say about their agent. */
  readonly agent: AgentObserver;
}

/** All sessions of a run, before it is known which part evaluates which of them. */
export interface ReadShards extends ShardPlan {
  readonly labels: readonly Pick<Session, 'task' | 'tags'>[];
  readonly first: Session | null;
}

/**
 * Reads all sessions of a run, and divides them by the work that they are likely to be: from the sessions and the configuration alone,
 * so that every machine divides them in the same way.
 */
export async function planShard(
  paths: readonly string[],
  configuration: Configuration,
  { shard, ...options }: LoadRunOptions & { readonly shard: Shard; readonly turn?: number | undefined },
): Promise<ReadShards> {
  const run = await streamRun(paths, configuration, { ...options, rereads: true });
  const predictWork = workPredictor(run.configuration, options);
  const content = createHash('sha256');
  const agent = new AgentObserver();
  const ids: string[] = [];
  const labels: ReadShards['labels'][number][] = [];
  const work: number[] = [];
  let first: Session | null = null;
  for await (const session of run.sessions) {
    const text = sessionContent(session);
    content.update(`${JSON.stringify([session.id, session.source])}\n${text}\n`);
    agent.add(session);
    // As the record has it.
    ids.push(redactSecrets(session.id));
    labels.push({ task: session.task, tags: session.tags });
    work.push(predictWork(session, text.length));
    first ??= session;
  }
  const planned: PlannedSessions = {
    ids,
    shards: assignShards(work, shard.of),
    content: content.digest('hex').slice(0, 32),
    problems: { inputs: [], reading: [...run.summary().problems] },
  };
  return { shard, planned, agent, labels, first };
}

/** Adds what is found before anything is evaluated. */
export function withInputProblems(plan: ShardPlan, inputs: readonly Problem[]): ShardPlan {
  const { planned } = plan;
  return { ...plan, planned: { ...planned, problems: { ...planned.problems, inputs } } };
}

/** A hash of everything that the parts of a run must have in common. */
export function planHash(basis: ResumeBasis, { ids, shards, content }: PlannedSessions): string {
  return hashOf([canonicalJson(resumeBasis(basis)), ids, shards, content]);
}

/** Whether this part evaluates the session at a place among all. */
export function isOfShard({ shard, planned }: ShardPlan): (position: number) => boolean {
  return (position) => planned.shards[position] === shard.index;
}

/** Characters that take as long to check as what is measured of every turn. */
const TURN = 1500;
/** Characters of a call to a judge: its questions and a history of bounded size, however long the session is. */
const CALL = 25_000;
const QUESTIONS_PER_CALL = 32;

function workPredictor(
  configuration: Configuration,
  { turn, ...options }: LoadRunOptions & { readonly turn?: number | undefined },
): (session: Session, characters: number) => number {
  const { judge, byMetric } = requiredModels(configuration);
  const hasDefault = judge !== null || judgeFunction(configuration) !== null || options.judge !== undefined;
  const { questionsPerCall = QUESTIONS_PER_CALL } = configuration.judge;
  const metrics = planMetrics(metricsWith(configuration, options), configuration);
  const callsFor = (all: typeof metrics.turn | typeof metrics.session) => {
    const judged = all.filter(({ metric }) => metric.usesJudge && (hasDefault || byMetric.has(metric.name)));
    return Math.ceil(judged.length / questionsPerCall);
  };
  const [ofTurn, ofSession] = [callsFor(metrics.turn), callsFor(metrics.session)];
  return ({ turns }, characters) => {
    const evaluated = turn === undefined ? turns.length : Number(turn < turns.length);
    return characters + evaluated * TURN + (evaluated * ofTurn + ofSession) * CALL;
  };
}

/** As a user writes it. */
export function shardText({ index, of }: Pick<NonNullable<RunManifest['shard']>, 'index' | 'of'>): string {
  return `${index}/${of}`;
}
