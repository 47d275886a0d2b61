import * as z from 'zod';
import type { Session } from '../../../../src/core/session.ts';
import { sessionBoundary } from '../../../../src/judge/prompting/boundary.ts';
import {
  createSessionPrompts,
  type SessionPrompt,
  type SessionPrompts,
} from '../../../../src/judge/prompting/session-prompts.ts';
import type { FindSecrets } from '../../../../src/judge/prompting/trace-text.ts';
import type { Question } from '../../../../src/judge/question.ts';

export const KEY = new Uint8Array(32).fill(7);

export function question(name = 'helpfulness', instructions = 'How much does it help?'): Question {
  return { name, instructions, context: 'turn', answer: ({ id }) => z.object({ evidence: z.array(id) }) };
}

export function promptsFor(session: Session, secretsIn?: FindSecrets): SessionPrompts {
  return createSessionPrompts(session, { boundaryKey: KEY, redact: secretsIn !== undefined, findSecrets: secretsIn });
}

export function promptLength({ system, parts }: SessionPrompt): number {
  return [system, ...parts].reduce((sum, text) => sum + text.length, 0);
}

/** A passage of a prompt as somebody reads it who knows nothing but the marker. */
export interface ParsedExcerpt {
  /** What the line with the marker says. */
  readonly line: string;
  /** Null where the line names none. */
  readonly id: string | null;
  readonly text: string;
}

/** Takes a prompt apart by its marker alone; what stands before it is named, and behind the last `end`, is not the trace's. */
export function parsePrompt({ parts }: SessionPrompt, session: Session, key: Uint8Array = KEY): ParsedExcerpt[] {
  const marker = sessionBoundary(session, key);
  return parts.flatMap((part) => {
    const pieces = part.split(new RegExp(`^${marker} `, 'm'));
    const before = pieces.shift();
    if (pieces.length === 0) return [];
    if (before !== '' && before !== `# The record\n\nIts marker is ${marker}\n\n`)
      throw new Error(`Text stands before the first marker: ${before}`);
    return pieces.map((piece) => {
      const end = piece.indexOf('\n');
      const line = end < 0 ? piece : piece.slice(0, end);
      return { line, id: /^\[([^\]]+)\]/.exec(line)?.[1] ?? null, text: end < 0 ? '' : piece.slice(end + 1) };
    });
  });
}

export function excerptIds(prompt: SessionPrompt, session: Session): string[] {
  return parsePrompt(prompt, session).flatMap(({ id }) => id ?? []);
}

export function excerptText(prompt: SessionPrompt, session: Session, id: string): string {
  const excerpt = parsePrompt(prompt, session).find((read) => read.id === id);
  if (!excerpt) throw new Error(`The prompt has no passage ${id}.`);
  return excerpt.text;
}

/** The ids that an answer may cite. */
export function knownIds({ citable: known }: SessionPrompt): string[] {
  return [...known.ids];
}
