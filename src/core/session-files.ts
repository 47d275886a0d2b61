import type { Session } from './session.ts';

/** The files of a session: besides its own, those of its turns, of its sub-agents' logs and of its expectations. */
export function sessionFiles({ source, turns, expectedIn }: Session): ReadonlySet<string> {
  const files = new Set([source.file]);
  if (expectedIn !== undefined) files.add(expectedIn);
  const open = [...turns];
  for (let turn = open.pop(); turn; turn = open.pop()) {
    if (turn.file !== undefined) files.add(turn.file);
    for (const step of turn.steps) if (step.type === 'agent') open.push(...step.turns);
  }
  return files;
}
