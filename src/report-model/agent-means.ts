import type { SessionReport } from '../core/report.ts';
import type { Interval } from '../stats/intervals.ts';
import { bootstrapMeanDifference } from '../stats/paired-bootstrap.ts';
import { metricResult } from './metric-results.ts';

/** What agents reached on the tasks that all of them did: a task counts once, as the mean of its attempts. */
export interface AgentComparison {
  /** Null: the share of attempts whose outcome is a success. */
  readonly metric: string | null;
  readonly tasks: number;
  /** People first, then by mean, the highest first. */
  readonly agents: readonly AgentMean[];
}

export interface AgentMean {
  readonly agent: string;
  readonly isHuman: boolean;
  readonly mean: number;
  /** From the only agent that is a person; null for that agent, and without exactly one. */
  readonly fromHuman: { readonly difference: number; readonly interval: Interval | null } | null;
}

type ComparedSession = Pick<SessionReport, 'task' | 'outcome' | 'metrics'>;

/** The scores of the attempts of one task, by agent. */
type ScoresByAgent = ReadonlyMap<string, readonly number[]>;

/** The outcome, and the metrics in this order; without those that no task has of every agent. Empty for less than two agents. */
export function compareAgents(sessions: readonly ComparedSession[], metrics: readonly string[]): AgentComparison[] {
  const agents = [...new Set(sessions.flatMap(({ task }) => task?.agent ?? []))];
  if (agents.length < 2) return [];
  const tasks = [
    ...Map.groupBy(sessions.filter(hasAgent), ({ task }) => JSON.stringify([task.dataset, task.id])).values(),
  ];
  return [null, ...metrics].flatMap((metric) => {
    const shared = tasks
      .map((own) => scoresByAgent(own, metric))
      .filter((scores) => agents.every((agent) => scores.has(agent)));
    return shared.length === 0 ? [] : [{ metric, tasks: shared.length, agents: agentMeans(agents, shared) }];
  });
}

function hasAgent<T extends ComparedSession>(session: T): session is T & { task: NonNullable<T['task']> } {
  return typeof session.task?.agent === 'string';
}

function scoresByAgent(sessions: readonly ComparedSession[], metric: string | null): ScoresByAgent {
  const scores = new Map<string, number[]>();
  for (const session of sessions) {
    const score = metric === null ? successOf(session) : scoredOf(session, metric);
    const agent = session.task?.agent;
    if (score === null || typeof agent !== 'string') continue;
    const own = scores.get(agent);
    if (own) own.push(score);
    else scores.set(agent, [score]);
  }
  return scores;
}

function successOf({ outcome: { status } }: ComparedSession): number | null {
  return status === 'unknown' ? null : Number(status === 'succeeded');
}

function scoredOf({ metrics }: ComparedSession, metric: string): number | null {
  const result = metricResult(metrics, metric);
  return result?.status === 'scored' ? result.score : null;
}

function agentMeans(agents: readonly string[], tasks: readonly ScoresByAgent[]): AgentMean[] {
  const values = new Map(agents.map((agent) => [agent, tasks.map((scores) => mean(scores.get(agent) ?? []))]));
  const [human, ...otherHumans] = agents.filter(isHumanName);
  const reference = human === undefined || otherHumans.length > 0 ? undefined : values.get(human);
  return [...values]
    .map(([agent, own]): AgentMean => {
      const isHuman = isHumanName(agent);
      const differences = reference && !isHuman ? own.map((value, index) => value - (reference[index] ?? 0)) : null;
      const fromHuman = differences && { difference: mean(differences), interval: intervalOf(differences) };
      return { agent, isHuman, mean: mean(own), fromHuman };
    })
    .sort((a, b) => Number(b.isHuman) - Number(a.isHuman) || b.mean - a.mean);
}

/** Of equal differences it would have no width, which says nothing about other tasks. */
function intervalOf(differences: readonly number[]): Interval | null {
  const interval = bootstrapMeanDifference(differences);
  return interval && interval[0] < interval[1] ? interval : null;
}

/** `human`, `human-1`, `Human agent`. */
function isHumanName(agent: string): boolean {
  return /(?<!\p{L})humans?(?!\p{L})/iu.test(agent);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
