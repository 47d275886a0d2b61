import type { Session } from '../../core/session.ts';
import type { PromptExcerpt } from './excerpt.ts';
import { fairLimit } from './shorten.ts';
import { renderToolList } from './tool-list.ts';
import type { RenderText } from './trace-text.ts';

/** In characters. */
const MAX_LENGTHS = { goal: 1200, profile: 800, policy: 14_000, knowledge: 6000, tools: 4500 } as const;

/** Of the instructions and the knowledge together. */
const MAX_POLICY_AND_KNOWLEDGE = 16_000;

/** What applies to all turns of a session. */
export function sessionExcerpts(session: Session, render: RenderText): PromptExcerpt[] {
  const { goal, profile, system = '', knowledge = [], tools, goalPointer, systemPointer, knowledgePointer } = session;
  const knowledgeText = knowledge.join('\n\n');
  const sharedLimit = fairLimit(
    [Math.min(system.length, MAX_LENGTHS.policy), Math.min(knowledgeText.length, MAX_LENGTHS.knowledge)],
    MAX_POLICY_AND_KNOWLEDGE,
  );
  const excerpts: PromptExcerpt[] = [];
  const add = (id: string, label: string, maxLength: number, text: () => string, pointer = session.source.pointer) => {
    excerpts.push({ id, label, maxLength, text, evidence: { pointer, note: label } });
  };
  if (goal) add('goal', 'the goal of the user', MAX_LENGTHS.goal, () => goal, goalPointer);
  if (profile) add('profile', 'the profile of the user', MAX_LENGTHS.profile, () => profile);
  if (system)
    add(
      'policy',
      'the instructions of the agent',
      Math.min(MAX_LENGTHS.policy, sharedLimit),
      () => system,
      systemPointer,
    );
  if (knowledge.length > 0) {
    add(
      'knowledge',
      'what the agent was given to know',
      Math.min(MAX_LENGTHS.knowledge, sharedLimit),
      () => knowledgeText,
      knowledgePointer,
    );
  }
  if (tools)
    add('tool-list', 'the tools of the agent', MAX_LENGTHS.tools, () =>
      renderToolList(tools, render, MAX_LENGTHS.tools),
    );
  return excerpts;
}
