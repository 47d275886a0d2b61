import { lazy } from '../../core/cache/memoize.ts';
import { findSecrets as findKnownSecrets } from '../../core/secrets.ts';
import type { Session } from '../../core/session.ts';
import type { Question } from '../question.ts';
import { sessionBoundary } from './boundary.ts';
import type { PromptExcerpt } from './excerpt.ts';
import { createPromptWriter, type PromptWriter } from './prompt-writer.ts';
import { createQuestionsWriter, QUESTIONS_LENGTH } from './questions-part.ts';
import { renderSessionDigest } from './session-digest.ts';
import { sessionExcerpts } from './session-excerpts.ts';
import { MAX_PROMPT_LENGTH, type SessionPrompts, type SessionPromptsOptions } from './session-prompts.ts';
import { SYSTEM_PROMPT } from './system-prompt.ts';
import { createTextRenderer } from './trace-text.ts';
import { turnExcerpts } from './turn-excerpts.ts';

/** Of headings and the end of a part, in characters. */
const HEADINGS_LENGTH = 200;

/**
 * Prompts that show two sessions of one task, in this order, each in half of the room. What both were given, such as instructions
 * and tools, is shown once. Nothing says which agent a session is of.
 */
export function createPairPrompts(
  first: Session,
  second: Session,
  options: Pick<SessionPromptsOptions, 'boundaryKey' | 'redact'>,
): SessionPrompts {
  const prompts = lazy(() => buildPairPrompts(first, second, options));
  const unsupported = (): never => {
    throw new RangeError('A question about two sessions is about both as a whole.');
  };
  return {
    session: (questions, facts) => prompts().session(questions, facts),
    turn: unsupported,
    citableOf: unsupported,
    pair: unsupported,
    facts: unsupported,
  };
}

function buildPairPrompts(
  first: Session,
  second: Session,
  { boundaryKey, redact }: Pick<SessionPromptsOptions, 'boundaryKey' | 'redact'>,
): Pick<SessionPrompts, 'session'> {
  const pair = { id: `${first.id}\n${second.id}`, sessions: [first, second] };
  const boundary = sessionBoundary(pair, boundaryKey);
  const render = createTextRenderer(redact ? findKnownSecrets : null);
  const writer = createPromptWriter(boundary, render);
  const asked = createQuestionsWriter(boundary, writer, render);
  const own = [first, second].map((session) => sessionExcerpts(session, render));
  const shared = sharedExcerpts(own);
  const sharedPart =
    shared.size === 0
      ? ''
      : writer.part(writer.heading('Both attempts'), ...Array.from(shared, (excerpt) => writer.excerpt(excerpt)));
  const sharedIds = new Set(Array.from(shared, ({ id }) => id));
  const room =
    (MAX_PROMPT_LENGTH - SYSTEM_PROMPT.length - writer.opening.length - sharedPart.length - QUESTIONS_LENGTH) / 2 -
    HEADINGS_LENGTH;
  const attempts = [first, second].map((session, side) => {
    const name = side === 0 ? 'first' : 'second';
    const sideWriter = prefixIds(writer, name);
    const given = (own[side] ?? [])
      .filter(({ id }) => !sharedIds.has(id))
      .map((excerpt) => sideWriter.excerpt(excerpt))
      .join('');
    const excerptsOf = (index: number) => {
      const turn = session.turns[index];
      if (!turn) throw new RangeError(`The session has no turn ${index}.`);
      return turnExcerpts(session, turn, index, render);
    };
    const { text } = renderSessionDigest(session, excerptsOf, sideWriter, render, room - given.length);
    return writer.part(writer.heading(`The ${name} attempt`), given, text);
  });
  const parts = [sharedPart, ...attempts].filter((part) => part !== '');
  return {
    session: (questions: readonly Question[], facts) => ({
      system: SYSTEM_PROMPT,
      parts: [
        asked.questions(questions),
        writer.opening,
        ...parts,
        asked.target('about both attempts', questions, facts),
      ],
      citable: { ids: [], calls: [] },
      cite: () => [],
    }),
  };
}

/** The excerpts that are the same on both sides. */
function sharedExcerpts([first = [], second = []]: readonly (readonly PromptExcerpt[])[]): ReadonlySet<PromptExcerpt> {
  const texts = new Map(second.map((excerpt) => [excerpt.id, excerpt.text()]));
  return new Set(first.filter((excerpt) => texts.get(excerpt.id) === excerpt.text()));
}

/** Tells the passages of both sessions apart: `[first.t2.answer]`. */
function prefixIds(writer: PromptWriter, prefix: string): PromptWriter {
  const prefixed = (excerpt: PromptExcerpt) => ({ ...excerpt, id: `${prefix}.${excerpt.id}` });
  return {
    ...writer,
    excerpt: (excerpt, limit, offsets) => writer.excerpt(prefixed(excerpt), limit, offsets),
    standaloneExcerpt: (excerpt, limit, offsets) => writer.standaloneExcerpt(prefixed(excerpt), limit, offsets),
    block: (label, text) => writer.block(label.replace(/^\[/, `[${prefix}.`), text),
    overhead: (excerpt) => writer.overhead(prefixed(excerpt)),
  };
}
