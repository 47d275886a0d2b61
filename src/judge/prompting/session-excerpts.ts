import type { Session } from '../../core/session.ts';
import type { PromptExcerpt } from './excerpt.ts';
import { fairLimit } from './shorten.ts';
import { renderToolList } from './tool-list.ts';
import type { RenderText } from './trace-text.ts';

/** At most so many characters are shown of what holds for all turns of a session. */
const MAX_LENGTHS = { goal: 1200, profile: 800, policy: 14_000, knowledge: 6000, tools: 4500 } as const;

/** What the instructions and the knowledge may take together. */
const MAX_POLICY_AND_KNOWLEDGE = 16_000;

/** What holds for all turns of a session. */
export function sessionExcerpts(session: Session, show: RenderText): PromptExcerpt[] {
  const { goal, profile, system = '', knowledge = [], tools, goalPointer, systemPointer, knowledgePointer } = session;
  const known = knowledge.join('\n\n');
  const given = fairLimit(
    [Math.min(system.length, MAX_LENGTHS.policy), Math.min(known.length, MAX_LENGTHS.knowledge)],
    MAX_POLICY_AND_KNOWLEDGE,
  );
  const passages: PromptExcerpt[] = [];
  const put = (id: string, label: string, longest: number, text: () => string, pointer = session.source.pointer) => {
    passages.push({ id, label, maxLength: longest, text, evidence: { pointer, note: label } });
  };
  if (goal) put('goal', 'the goal of the user', MAX_LENGTHS.goal, () => goal, goalPointer);
  if (profile) put('profile', 'the profile of the user', MAX_LENGTHS.profile, () => profile);
  if (system)
    put('policy', 'the instructions of the agent', Math.min(MAX_LENGTHS.policy, given), () => system, systemPointer);
  if (knowledge.length > 0) {
    put(
      'knowledge',
      'what the agent was given to know',
      Math.min(MAX_LENGTHS.knowledge, given),
      () => known,
      knowledgePointer,
    );
  }
  if (tools)
    put('tool-list', 'the tools of the agent', MAX_LENGTHS.tools, () => renderToolList(tools, show, MAX_LENGTHS.tools));
  return passages;
}
