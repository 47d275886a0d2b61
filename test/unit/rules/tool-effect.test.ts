import { describe, expect, it } from 'vitest';
import type { Session, ToolStep } from '../../../src/core/session.ts';
import { findingsOf } from '../../../src/rules/index.ts';
import { namedBy } from '../../../src/rules/tool-effect.ts';

describe('tools that a configuration names', () => {
  it.each([
    ['delete_*', 'delete_user', true],
    ['delete_*', 'undelete_user', false],
    ['*_order', 'refund_order', true],
    ['a.b', 'axb', false],
    ['get(order)', 'get(order)', true],
    ['sync', 'sync', true],
    ['sync', 'sync_all', false],
  ])('%s is %s: %s', (pattern, name, matches) => {
    expect(namedBy([pattern])(name)).toBe(matches);
  });

  it('change state, whatever their names say: calling them twice is no repetition', () => {
    const call = (at: number): ToolStep => ({
      type: 'tool',
      pointer: `/steps/${at}`,
      name: 'get_next_ticket',
      arguments: {},
      result: { id: 7 },
      outcome: 'ok',
      requestedBy: 'agent',
    });
    const session: Session = {
      id: 's',
      source: { file: 's.json', format: 'turnwise', pointer: '' },
      turns: [{ id: 't', pointer: '/turns/0', input: 'Work on.', output: 'Done.', steps: [call(0), call(1)] }],
    };
    const rulesOf = (patterns: string[]) =>
      findingsOf(session, { changesState: namedBy(patterns) }).map(({ rule }) => rule);
    expect(rulesOf([])).toEqual(['repeated-call']);
    expect(rulesOf(['get_next_*'])).toEqual([]);
  });
});
