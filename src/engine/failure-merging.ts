import * as z from 'zod';
import { type Problem, problem } from '../core/problem.ts';
import type { Session } from '../core/session.ts';
import { atLeast, SEVERITIES, type Severity } from '../core/severity.ts';
import type { Judge } from '../judge/judge.ts';
import { type Question, question } from '../judge/question.ts';
import { type Group, mostSevere, worstFirst } from './failure-groups.ts';
import type { Failure } from './failures.ts';

/** The most severe and most frequent groups are shown: more would leave a few words for each. */
const MOST_GROUPS = 60;
/** Reasons that are shown of a group. */
const REASONS = 3;
/** What a model may say of a group, in characters. */
const LONGEST_TITLE = 120;
const LONGEST_EXPLANATION = 600;

const INSTRUCTIONS = `Each entry above is a group of failures that one evaluation of an agent found: label, severity and number, what kind it is, and examples of the reasons. Which groups have one root cause?

Merge groups where one change to the agent (its instructions, a tool, what it knows) would most likely end all of them: the same instruction ignored, the same tool misused in the same way, the same false claim in other words. Different labels can have one cause: a tool that is never called, and the figures that are then invented. It is no reason to merge that groups share a label, a tool, a topic or a severity, or that one happened beside the other. When in doubt, leave them apart.

Write one entry for each merger, and one for a single group where its words do not tell a developer what to mend. Leave out all other groups. A group stands in one entry at most.

Severity is null unless the failures together are worse than any one of the groups is said to be: medium, noticeable and lowers the quality; high, does harm to the user (contradictions, requests ignored, wrong actions); critical, makes the agent unusable (a breach of security, loss of data, goals missed altogether). That a failure is frequent does not make it critical.`;

/** What a model says of the groups; nothing of it is taken on trust. */
export interface Merging {
  readonly merged: readonly {
    readonly groups: readonly string[];
    readonly explanation: string;
    readonly title: string;
    readonly severity?: Severity | null | undefined;
  }[];
}

/** Asks which groups have one root cause. It goes by these groups, and so by no other run. */
function mergingQuestion(groups: readonly Group[]): Question<Merging> {
  const id = z.enum(groups.map((_, index) => idOf(index)));
  const entry = z.object({
    groups: z.array(id).describe('the groups with one root cause, each once'),
    explanation: z.string().describe('what the agent does, when, and what follows from it, in one or two sentences'),
    title: z.string().describe('the same in at most ten words'),
    severity: z.enum(SEVERITIES).nullish(),
  });
  const answer = z.object({ merged: z.array(entry) });
  return question({
    name: 'failure_groups',
    instructions: INSTRUCTIONS,
    sees: 'facts',
    data: Object.fromEntries(groups.map((group, index) => [idOf(index), shown(group)])),
    answer: () => answer,
  });
}

function idOf(index: number): string {
  return `g${index + 1}`;
}

function shown(group: Group): string {
  const { title, failures } = group;
  const { label, severity } = mostSevere(group);
  const sessions = new Set(failures.map(({ occurrence }) => occurrence.session)).size;
  const reasons = new Set(failures.map(({ occurrence }) => occurrence.reason));
  return [
    `${label}, ${severity}, ${failures.length} in ${sessions} ${sessions === 1 ? 'session' : 'sessions'}`,
    ...(title === label ? [] : [title]),
    ...[...reasons].slice(0, REASONS).map((reason) => `- ${reason}`),
  ].join('\n');
}

/** What is asked about the run as a whole is asked about a session in which nothing was said. */
const WHOLE_RUN: Session = {
  id: 'all failures of the run',
  source: { file: '', format: '', pointer: '' },
  turns: [],
};

export interface Merged {
  /** The most severe first. */
  readonly groups: readonly Group[];
  /** A warning, where a judge was asked in vain. */
  readonly problems: readonly Problem[];
}

/**
 * Merges groups that have one root cause, as a judge sees it: one question, asked where a judge named any of the failures.
 * Every failure stays in exactly one group, whatever the answer is. Where there is none, the groups stay as they are: how
 * failures are grouped decides nothing. Never rejects.
 *
 * @param groups the most severe first.
 */
export async function mergeByCause(groups: readonly Group[], judge: Judge | null): Promise<Merged> {
  const isJudged = groups.some(({ failures }) => failures.some(({ judged }) => judged));
  if (judge === null || groups.length < 2 || !isJudged) return { groups, problems: [] };
  const [seen, unseen] = [groups.slice(0, MOST_GROUPS), groups.slice(MOST_GROUPS)];
  const answered = await judge.about(WHOLE_RUN).askSession(mergingQuestion(seen), { samples: 1 });
  switch (answered.status) {
    case 'answered':
      return { groups: [...merged(seen, answered.values[0]), ...unseen].sort(worstFirst), problems: [] };
    case 'cancelled':
      return { groups, problems: [] };
    case 'error':
      return { groups, problems: groups.slice(0, 1).map((group) => inVain(group, answered.reason)) };
  }
}

function inVain(group: Group, reason: string): Problem {
  const message = `The judge did not say which failures have one cause, so they are grouped by what they have in common. ${reason}`;
  return problem('warning', 'failure-groups', mostSevere(group).file, message);
}

/**
 * Groups as an answer would have them, as far as it makes sense: ids that nobody gave mean nothing, a group that is named
 * again stays where it was first, and one that is not named stays as it was.
 */
export function merged(groups: readonly Group[], { merged: entries }: Merging): Group[] {
  const open = new Map(groups.map((group, index) => [idOf(index), group]));
  const made = entries.flatMap((entry) => {
    const named = new Set(entry.groups);
    // In the order of the groups, the most severe first, and not in that of the answer.
    const members = [...open].filter(([id]) => named.has(id));
    for (const [id] of members) open.delete(id);
    const [first, ...others] = members.map(([, group]) => group);
    return first ? joined([first, ...others], entry) : [];
  });
  return [...made, ...open.values()];
}

function joined(members: readonly [Group, ...Group[]], said: Merging['merged'][number]): Group {
  const [first, ...others] = members;
  const group: Group = {
    title: inOneLine(said.title, LONGEST_TITLE) || first.title,
    explanation: inOneLine(said.explanation, LONGEST_EXPLANATION) || first.explanation,
    failures: [...first.failures, ...others.flatMap(({ failures }) => failures)],
  };
  return said.severity ? raised(group, said.severity) : group;
}

/** A judge may find a group worse than all of its failures: then each of them is, unless the user has said otherwise. */
function raised(group: Group, severity: Severity): Group {
  if (atLeast(mostSevere(group).severity, severity)) return group;
  const raise = (failure: Failure): Failure =>
    failure.fixed ? failure : { ...failure, occurrence: { ...failure.occurrence, severity } };
  const [first, ...others] = group.failures;
  return { ...group, failures: [raise(first), ...others.map(raise)] };
}

function inOneLine(text: string, longest: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).toWellFormed()}…`;
}
