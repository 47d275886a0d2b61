import { escapeInvisible } from '../core/sanitize.ts';
import type { Session, Step, Turn } from '../core/session.ts';

/**
 * Sessions in Turnwise's own format, in pieces. Read again, it gives the same sessions without their positions in the
 * original file.
 */
export function* nativeChunks(sessions: readonly Session[]): Generator<string> {
  yield '{\n  "turnwise": 1,\n  "sessions": [';
  let separator = '\n    ';
  for (const session of sessions) {
    yield separator;
    yield escapeInvisible(JSON.stringify(nativeSession(session), null, 2)).replaceAll('\n', '\n    ');
    separator = ',\n    ';
  }
  yield sessions.length === 0 ? ']\n}\n' : '\n  ]\n}\n';
}

function nativeSession({
  source: _,
  expectedIn: _expected,
  scenario: _scenario,
  expectationFiles: _files,
  goalPointer: _goal,
  systemPointer: _system,
  knowledgePointer: _knowledge,
  finalStatePointer: _finalState,
  outcome,
  ending,
  turns,
  ...session
}: Session): object {
  return {
    ...session,
    ...(outcome && { outcome: { status: outcome.status, reason: outcome.reason } }),
    ...(ending && { ending: { cause: ending.cause, reason: ending.reason } }),
    turns: turns.map(nativeTurn),
  };
}

function nativeTurn({
  pointer: _,
  file: _file,
  inputPointer: _input,
  outputPointer: _output,
  steps,
  ...turn
}: Turn): object {
  return { ...turn, steps: steps.map(nativeStep) };
}

function nativeStep({ pointer: _, ...step }: Step): object {
  if (step.type === 'agent') return { ...step, turns: step.turns.map(nativeTurn) };
  if (step.type !== 'tool') return step;
  const { resultPointer: _result, ...tool } = step;
  return tool;
}
