import type { Session } from '../../core/session.ts';
import type { Passage } from './passage.ts';
import { fairLimit } from './shorten.ts';
import { toolList } from './tool-list.ts';
import type { Show } from './trace-text.ts';

/** At most so many characters are shown of what holds for all turns of a session. */
const LONGEST = { goal: 1200, profile: 800, policy: 14_000, knowledge: 6000, tools: 4500 } as const;

/** What the instructions and the knowledge may take together. */
const LONGEST_GIVEN = 16_000;

/** What holds for all turns of a session. */
export function sessionPassages(session: Session, show: Show): Passage[] {
  const { goal, profile, system = '', knowledge = [], tools, goalPointer, systemPointer, knowledgePointer } = session;
  const known = knowledge.join('\n\n');
  const given = fairLimit(
    [Math.min(system.length, LONGEST.policy), Math.min(known.length, LONGEST.knowledge)],
    LONGEST_GIVEN,
  );
  const passages: Passage[] = [];
  const put = (id: string, label: string, longest: number, text: () => string, pointer = session.source.pointer) => {
    passages.push({ id, label, longest, text, evidence: { pointer, note: label } });
  };
  if (goal) put('goal', 'the goal of the user', LONGEST.goal, () => goal, goalPointer);
  if (profile) put('profile', 'the profile of the user', LONGEST.profile, () => profile);
  if (system)
    put('policy', 'the instructions of the agent', Math.min(LONGEST.policy, given), () => system, systemPointer);
  if (knowledge.length > 0) {
    put(
      'knowledge',
      'what the agent was given to know',
      Math.min(LONGEST.knowledge, given),
      () => known,
      knowledgePointer,
    );
  }
  if (tools) put('tool-list', 'the tools of the agent', LONGEST.tools, () => toolList(tools, show, LONGEST.tools));
  return passages;
}
