import { createHash } from 'node:crypto';
import type { Session, Step, Turn } from './session.ts';
import type { SessionOutcome } from './session-outcome.ts';

/**
 * What a session is recognized by in other runs. Where it stands counts for neither hash: a session that was moved to another
 * file, or within its file, is the same, and so is one whose id is made from the name of its file.
 */
export function sessionHashes(session: Session): NonNullable<SessionOutcome['hashes']> {
  const inputs = session.turns.flatMap(({ input }) => input ?? []);
  return { inputs: hashOf(inputs), content: hashOf(withoutLocations(session)) };
}

/** A short hash of plain data: 128 bits, which two sessions never share by accident. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}

/** All of a session but where it stands, as text. */
export function sessionContent(session: Session): string {
  return JSON.stringify(withoutLocations(session));
}

function withoutLocations({
  id: _id,
  source: { format },
  expectedIn: _,
  scenario: _scenario,
  expectationFiles: _files,
  goalPointer: _goal,
  systemPointer: _system,
  knowledgePointer: _knowledge,
  turns,
  ...session
}: Session): unknown {
  return { ...session, format, turns: turns.map(turnContent) };
}

function turnContent({
  pointer: _,
  file: _file,
  inputPointer: _input,
  outputPointer: _output,
  steps,
  ...turn
}: Turn): unknown {
  return { ...turn, steps: steps.map(stepContent) };
}

function stepContent(step: Step): unknown {
  const { pointer: _, ...content } = step;
  if (content.type === 'agent') return { ...content, turns: content.turns.map(turnContent) };
  if (content.type !== 'tool') return content;
  const { resultPointer: _result, ...call } = content;
  return call;
}
