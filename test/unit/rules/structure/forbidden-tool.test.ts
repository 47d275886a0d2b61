import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/core/session.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import { failed, ok, onlyRule, session } from '../session-builder.ts';

const TRACE = session([
  { user: 'Where is A-1001?', steps: [ok('get_order', {}, {}), ok('orders.delete_order', {}, {})], agent: 'Gone.' },
  { user: 'Bring it back.', steps: [failed('delete_order', {}, 'no such order')], agent: 'I cannot.' },
]);

const forbidding = (...tools: (readonly string[] | undefined)[]): Session => ({
  ...TRACE,
  turns: TRACE.turns.map((turn, index) => ({ ...turn, reference: { forbiddenTools: tools[index] } })),
});

describe('forbidden-tool', () => {
  const findings = (trace: Session) => collectFindings(trace, { settings: onlyRule('forbidden-tool') });

  it('reports each call that the reference of its turn forbids, with the call as evidence', () => {
    const actual = findings(forbidding(['delete_order'], ['delete_order', 'get_order']));
    expect(actual).toMatchObject([
      {
        turn: 0,
        severity: 'high',
        message: '`orders.delete_order` was called, which the reference of the turn forbids.',
        evidence: [{ pointer: TRACE.turns[0]?.steps[1]?.pointer }],
      },
      { turn: 1, message: '`delete_order` was called, which the reference of the turn forbids.' },
    ]);
  });

  it('reports nothing where the turn has no such reference', () => {
    expect(findings(TRACE)).toEqual([]);
    expect(findings(forbidding(undefined, ['get_order']))).toEqual([]);
  });
});
