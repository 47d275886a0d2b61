import * as z from 'zod';
import type { Configuration } from '../config/schema.ts';
import { mapConcurrent } from '../core/async/concurrency.ts';
import type { Session } from '../core/session.ts';
import { sessionHashes } from '../core/session-hashes.ts';
import type { Judges } from '../engine/judges.ts';
import type { Judge } from '../judge/judge.ts';
import { defineQuestion, type JudgeAnswer, type Question } from '../judge/question.ts';
import type { CustomDefinition } from '../metrics/custom/definition.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import {
  type Game,
  type PairChoice,
  playTournament,
  type Tournament,
  type TournamentResult,
} from '../runs/best-of/tournament.ts';
import { type PairableSession, pairRuns } from '../runs/compare/pairing.ts';
import { dataFolder } from '../store/home.ts';
import { openStore } from '../store/store.ts';
import { type EstimateOptions, withoutLimits } from './estimate.ts';
import { estimatingModel } from './estimating-model.ts';
import { openModels } from './open-models.ts';

/** A run of an agent that is compared with others. */
export interface Contestant {
  readonly label: string;
  readonly sessions: readonly Session[];
}

/** What sessions are compared by. */
export interface Criterion {
  readonly metric: string;
  readonly text: string;
}

export interface BestOf extends TournamentResult {
  readonly criterion: Criterion;
  readonly tournament: Tournament;
  /** `provider/model`. */
  readonly judge: string;
  readonly runs: readonly { readonly label: string; readonly sessions: number }[];
  readonly usage: JudgeUsageTotals;
}

export interface JudgeUsageTotals {
  readonly judgeCalls: number;
  readonly judgeCallsCached: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/**
 * The criterion of a metric that a judge answers: of a rubric its text, else the metric's question.
 *
 * @throws Error with a sentence where there is none that can be asked of two sessions.
 */
export function criterionOf(name: string, custom: readonly CustomDefinition[]): Criterion {
  const metrics = allMetrics(custom);
  const metric = metrics.find((one) => one.name === name || one.aliases?.includes(name));
  if (!metric) throw new Error(`There is no metric "${name}". \`turnwise metrics\` lists them.`);
  if (!metric.usesJudge) {
    throw new Error(`${metric.name} is computed without a judge: compare it without --best-of.`);
  }
  if (metric.needs.some((need) => need === 'reference' || need === 'rubrics')) {
    throw new Error(`${metric.name} compares with what is expected, so it cannot choose between two sessions.`);
  }
  const rubric = custom.find((one) => one.name === metric.name)?.rubric;
  return { metric: metric.name, text: rubric?.trim() ?? metric.question };
}

/** Games whose sessions are rendered at the same time. The limits of the judge apply as well. */
const CONCURRENT_GAMES = 16;

/**
 * Lets a judge choose the better of two sessions of a task, for all pairs of sessions of two runs, each in both orders: a judge
 * prefers a position. After the tournament of Fair Forge's BestOf.
 *
 * @param contestants at least two. Aborting leaves games without an answer.
 */
export async function findBest(
  contestants: readonly Contestant[],
  {
    criterion,
    tournament,
    judge,
  }: { readonly criterion: Criterion; readonly tournament: Tournament; readonly judge: Judge },
): Promise<BestOf> {
  const question = pairQuestion(criterion);
  const entries = contestants.map(({ sessions }) => sessions.map(toEntry));
  const result = await playTournament(contestants.length, tournament, (first, second) => {
    const { tasks } = pairRuns(entries[first] ?? [], entries[second] ?? []);
    const pairs = tasks.flatMap(({ task, pairs: own }) => own.map((pair) => ({ ...pair, task })));
    return mapConcurrent(pairs, CONCURRENT_GAMES, ({ task, before, after }): Game | Promise<Game> => {
      const sessions = [before.session, after.session] as const;
      return before.content === after.content
        ? { task, sessions: [before.id, after.id], choices: ['tie', 'tie'], reasons: [SAME, SAME] }
        : playGame({ task, sessions, runs: [first, second] }, question, judge);
    });
  });
  return {
    ...result,
    criterion,
    tournament,
    judge: `${judge.provider}/${judge.model}`,
    runs: contestants.map(({ label, sessions }) => ({ label, sessions: sessions.length })),
    usage: totalUsage(judge),
  };
}

/**
 * What a tournament would cost, without calling a model; null without a judge. Who meets whom, as king of the hill, depends on
 * answers: there, tokens are those of the order given.
 */
export async function estimateBestOf(
  contestants: readonly Contestant[],
  configuration: Configuration,
  { env, cache, signal, ...how }: EstimateOptions & { readonly criterion: Criterion; readonly tournament: Tournament },
): Promise<JudgeUsageTotals | null> {
  using store = openStore(dataFolder(env), { warn() {} });
  const { judges } = openModels(withoutLimits(configuration), env, {
    signal,
    answerCache: cache ? { get: (key) => store.answerCache.get(key), async put() {} } : null,
    boundaryKey: store.boundaryKey,
    replaceModel: estimatingModel,
  });
  const judge = judgeFor(how.criterion, judges);
  return judge && (await findBest(contestants, { ...how, judge })).usage;
}

export function judgeFor({ metric }: Criterion, { byMetric, defaultJudge }: Judges): Judge | null {
  return byMetric.get(metric) ?? defaultJudge;
}

function totalUsage({ usage: { calls, callsCached, promptTokens, completionTokens } }: Judge): JudgeUsageTotals {
  return { judgeCalls: calls, judgeCallsCached: callsCached, promptTokens, completionTokens };
}

const SAME = 'Both sessions have the same content, so that the judge was not asked.';

interface Entry extends PairableSession {
  readonly session: Session;
}

function toEntry(session: Session): Entry {
  const { id, task } = session;
  const { trial = null, dataset = null, agent = null } = task ?? {};
  return { id, task: task ? { ...task, trial, dataset, agent } : null, ...sessionHashes(session), session };
}

interface PairedSessions {
  readonly task: string | null;
  readonly sessions: readonly [Session, Session];
  readonly runs: readonly [number, number];
}

async function playGame({ task, sessions, runs }: PairedSessions, question: PairQuestion, judge: Judge): Promise<Game> {
  const [a, b] = sessions;
  const [forward, backward] = await Promise.all([
    judge.forPair(a, b).askSession(question),
    judge.forPair(b, a).askSession(question),
  ]);
  return {
    task,
    sessions: [a.id, b.id],
    choices: [choiceOf(forward, runs), choiceOf(backward, [runs[1], runs[0]])],
    reasons: [reasonOf(forward), reasonOf(backward)],
  };
}

type PairQuestion = Question<{ readonly reason: string; readonly better: 'first' | 'second' | 'neither' }>;

/** Asks for the reason before the choice, as all questions do. */
function pairQuestion({ metric, text }: Criterion): PairQuestion {
  return defineQuestion({
    name: `best_of_${metric}`,
    context: 'session',
    instructions: `Two attempts at the same task are shown. Which of them is better by the criterion between the quotation marks alone?
"""
${text}
"""
Judge each attempt as a whole, and both by the same standard. Go by what the passages show; an agent's own praise of its work is no evidence. Which attempt is shown first says nothing, and neither do length, politeness and whatever else the criterion does not speak of.
better: neither if both meet the criterion equally well, or miss it equally, or if it is about something that arose in neither.`,
    answer: () =>
      z.object({
        reason: z.string().describe('what decides between them, in one or two sentences'),
        better: z.enum(['first', 'second', 'neither']),
      }),
    isAlone: true,
  });
}

/** Of several samples, what most of them chose. @param runs the runs of the sessions, as they were shown. */
function choiceOf(answer: JudgeAnswer<{ better: string }>, runs: readonly [number, number]): PairChoice | null {
  if (answer.status !== 'answered') return null;
  const points = answer.values.map(({ better }) => (better === 'first' ? 1 : better === 'second' ? -1 : 0));
  const sum = points.reduce<number>((total, point) => total + point, 0);
  return sum === 0 ? 'tie' : runs[sum > 0 ? 0 : 1];
}

function reasonOf(answer: JudgeAnswer<{ reason: string }>): string {
  return answer.status === 'answered' ? answer.values[0].reason : answer.reason;
}
