import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentToolCalls, type Session } from '../../../src/core/session.ts';
import { load } from '../../../src/input/load.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { collectFindings } from '../../../src/rules/index.ts';

const REPOSITORY = join(import.meta.dirname, '..', '..', '..');
const FOLDERS = ['samples', 'test/fixtures/formats', 'test/fixtures/sdk-generated'];
/** A made-up key in the form of a real one. */
const KEY = ['AKIA', 'Q3EGRIPZ7XWVT5KD'].join('');

const { sessions } = await load(
  FOLDERS.map((folder) => join(REPOSITORY, folder)),
  nodeFileSystem,
  { signal: new AbortController().signal },
);

function rulesFound(some: readonly Session[]): Set<string> {
  return new Set(some.flatMap((session) => collectFindings(session).map(({ rule }) => rule)));
}

// The same as on the public data beside the repository, on traces of every format.
it('reports no secret, no personal data and no false claim in the traces of the repository', () => {
  expect(sessions.length).toBeGreaterThan(80);
  const result = rulesFound(sessions);
  for (const rule of ['secret-in-answer', 'personal-data-in-answer', 'claim-without-call', 'tests-claimed-to-pass']) {
    expect(result).not.toContain(rule);
  }
});

it('reports a secret that is inserted into a result and the answer after it, in every format', () => {
  const formats = new Set<string>();
  for (const session of sessions) {
    const at = session.turns.findIndex((turn) => turn.output !== null && agentToolCalls(turn).length > 0);
    if (at < 0) continue;
    const turns = session.turns.map((turn, index) => {
      if (index !== at) return turn;
      const steps = turn.steps.map((step) =>
        step.type === 'tool' && step.requestedBy === 'agent' ? { ...step, result: [step.result, `key: ${KEY}`] } : step,
      );
      return { ...turn, output: `${turn.output}\n\n${KEY}`, steps };
    });
    expect(rulesFound([{ ...session, turns }]), session.source.file).toContain('secret-in-answer');
    formats.add(session.source.format);
  }
  expect(formats.size).toBeGreaterThan(25);
});
