import * as z from 'zod';
import { createProblem, type Problem } from '../core/problem.ts';
import type { Session } from '../core/session.ts';
import type { AgentProblem } from '../core/session-outcome.ts';
import { isAtLeast, SEVERITIES, type Severity } from '../core/severity.ts';
import { oneLine, truncate } from '../core/text/truncate.ts';
import type { Judge } from '../judge/judge.ts';
import { defineQuestion, type Question } from '../judge/question.ts';
import { GOAL_METRIC } from './agent-problems.ts';
import { type AgentProblemGroup, bySeverity, mostSevereOccurrence } from './problem-groups.ts';

/** Only the most severe and most frequent groups are sent: more groups would leave too little room for each. */
const MAX_GROUPS = 60;
/** Reasons per group. */
const MAX_REASONS = 3;
/** Maximum lengths of a model's texts, in characters. */
const MAX_TITLE_LENGTH = 120;
const MAX_EXPLANATION_LENGTH = 600;

const INSTRUCTIONS = `Each entry is a group of failures that one evaluation of an agent found: label, severity and number, what kind it is, and examples of the reasons. Which groups have one root cause?

Merge groups where one change to the agent (its instructions, a tool, what it knows) would most likely end all of them: the same instruction ignored, the same tool misused in the same way, the same false claim in other words. Different labels can have one cause: a tool that is never called, and the figures that are then invented. It is no reason to merge that groups share a label, a tool, a topic or a severity, or that one happened beside the other. When in doubt, leave them apart.

Write one entry for each merger, and one for a single group where its words do not tell a developer what to mend. Leave out all other groups. A group stands in one entry at most.

Severity is null unless the failures together are worse than any one of the groups is said to be: medium, noticeable and lowers the quality; high, does harm to the user (contradictions, requests ignored, wrong actions); critical, makes the agent unusable (a breach of security, loss of data, goals missed altogether). That a failure is frequent does not make it critical.`;

/** The answer of a model; none of it is trusted. */
export interface MergeAnswer {
  readonly merged: readonly {
    readonly groups: readonly string[];
    readonly explanation: string;
    readonly title: string;
    readonly severity?: Severity | null | undefined;
  }[];
}

/** Asks which groups have one root cause. */
function mergeQuestion(groups: readonly AgentProblemGroup[]): Question<MergeAnswer> {
  const id = z.enum(groups.map((_, index) => groupId(index)));
  const entry = z.object({
    groups: z.array(id).describe('the groups with one root cause, each once'),
    explanation: z.string().describe('what the agent does, when, and what follows from it, in one or two sentences'),
    title: z.string().describe('the same in at most ten words'),
    severity: z.enum(SEVERITIES).nullish(),
  });
  const answer = z.object({ merged: z.array(entry) });
  return defineQuestion({
    name: 'failure_groups',
    instructions: INSTRUCTIONS,
    context: 'facts',
    data: Object.fromEntries(groups.map((group, index) => [groupId(index), describeGroup(group)])),
    answer: () => answer,
  });
}

function groupId(index: number): string {
  return `g${index + 1}`;
}

function describeGroup(group: AgentProblemGroup): string {
  const { title, problems } = group;
  const { label, severity } = mostSevereOccurrence(group);
  const sessions = new Set(problems.map(({ occurrence }) => occurrence.session)).size;
  const reasons = new Set(problems.map(({ occurrence }) => occurrence.reason));
  return [
    `${label}, ${severity}, ${problems.length} in ${sessions} ${sessions === 1 ? 'session' : 'sessions'}`,
    ...(title === label ? [] : [title]),
    ...[...reasons].slice(0, MAX_REASONS).map((reason) => `- ${reason}`),
  ].join('\n');
}

/** Questions about the whole run are asked about an empty session. */
const WHOLE_RUN: Session = {
  id: 'all failures of the run',
  source: { file: '', format: '', pointer: '' },
  turns: [],
};

export interface MergeResult {
  /** The most severe group first. */
  readonly groups: readonly AgentProblemGroup[];
  /** A warning, if the judge did not answer. */
  readonly problems: readonly Problem[];
}

/**
 * Merges groups that have one root cause, according to a judge: one question, asked only if a judge named any of the
 * problems. Every problem stays in exactly one group, whatever the answer is. Without an answer the groups stay as they
 * are: grouping decides nothing. Never rejects.
 *
 * @param groups the most severe first.
 */
export async function mergeByRootCause(
  groups: readonly AgentProblemGroup[],
  judge: Judge | null,
): Promise<MergeResult> {
  // A missed goal is what the others lead to, and no cause.
  const [causes, goals] = partition(groups, ({ problems: [first] }) => first.occurrence.metric !== GOAL_METRIC);
  if (goals.length === 0) return mergeCauses(groups, judge);
  const merged = await mergeCauses(causes, judge);
  return { ...merged, groups: [...merged.groups, ...goals].sort(bySeverity) };
}

function partition<Value>(values: readonly Value[], test: (value: Value) => boolean): [Value[], Value[]] {
  return [values.filter(test), values.filter((value) => !test(value))];
}

async function mergeCauses(groups: readonly AgentProblemGroup[], judge: Judge | null): Promise<MergeResult> {
  const isJudged = groups.some(({ problems }) => problems.some(({ isJudged: judged }) => judged));
  if (judge === null || groups.length < 2 || !isJudged) return { groups, problems: [] };
  const [sent, rest] = [groups.slice(0, MAX_GROUPS), groups.slice(MAX_GROUPS)];
  const reply = await judge.forSession(WHOLE_RUN).askSession(mergeQuestion(sent), { samples: 1 });
  switch (reply.status) {
    case 'answered':
      return { groups: [...applyMergeAnswer(sent, reply.values[0]), ...rest].sort(bySeverity), problems: [] };
    case 'cancelled':
      return { groups, problems: [] };
    case 'error':
      return { groups, problems: groups.slice(0, 1).map((group) => mergeWarning(group, reply.reason)) };
  }
}

function mergeWarning(group: AgentProblemGroup, reason: string): Problem {
  const message = `The judge did not merge failure groups by root cause, so they stay grouped by label, rule and tool. ${reason}`;
  return createProblem('warning', 'failure-groups', mostSevereOccurrence(group).file, message);
}

/**
 * Applies an answer as far as it is valid: unknown ids are ignored, a group that is named twice is merged where it is
 * named first, and a group that is not named stays as it was.
 */
export function applyMergeAnswer(
  groups: readonly AgentProblemGroup[],
  { merged: entries }: MergeAnswer,
): AgentProblemGroup[] {
  const open = new Map(groups.map((group, index) => [groupId(index), group]));
  const mergedGroups = entries.flatMap((entry) => {
    const named = new Set(entry.groups);
    // In the order of the groups, the most severe first, not in the order of the answer.
    const members = [...open].filter(([id]) => named.has(id));
    for (const [id] of members) open.delete(id);
    const [first, ...others] = members.map(([, group]) => group);
    return first ? mergeGroups([first, ...others], entry) : [];
  });
  return [...mergedGroups, ...open.values()];
}

function mergeGroups(
  members: readonly [AgentProblemGroup, ...AgentProblemGroup[]],
  merge: MergeAnswer['merged'][number],
): AgentProblemGroup {
  const [first, ...others] = members;
  const group: AgentProblemGroup = {
    title: truncate(oneLine(merge.title), MAX_TITLE_LENGTH) || first.title,
    explanation: truncate(oneLine(merge.explanation), MAX_EXPLANATION_LENGTH) || first.explanation,
    problems: [...first.problems, ...others.flatMap(({ problems }) => problems)],
  };
  return merge.severity ? raiseSeverity(group, merge.severity) : group;
}

/**
 * A judge may find a group worse than all of its problems. Then each of them gets that severity, unless the user
 * configured it.
 */
function raiseSeverity(group: AgentProblemGroup, severity: Severity): AgentProblemGroup {
  if (isAtLeast(mostSevereOccurrence(group).severity, severity)) return group;
  const raise = (failure: AgentProblem): AgentProblem =>
    failure.isSeverityFixed ? failure : { ...failure, occurrence: { ...failure.occurrence, severity } };
  const [first, ...others] = group.problems;
  return { ...group, problems: [raise(first), ...others.map(raise)] };
}
