import { describe, expect, it } from 'vitest';
import type { Session, ToolStep } from '../../../src/core/session.ts';
import { familiesOf, labelledSessions } from '../../bench/validity/labelled-sessions.ts';
import { sharedData } from '../../support/shared-data.ts';
import { sessionOf } from '../metrics/views.ts';

function about(task: string, args: ToolStep['arguments'], change: Partial<Session> = {}): Session {
  const call: ToolStep = {
    type: 'tool',
    pointer: '/0',
    name: 'get',
    arguments: args,
    outcome: 'ok',
    requestedBy: 'agent',
  };
  return sessionOf([{ steps: [call] }], { task: { id: task }, ...change });
}

describe('familiesOf', () => {
  it('puts attempts of one task together, and what speaks of one account or record', () => {
    const [a, b, c, d, e] = familiesOf([
      about('1', { user_id: 'mia' }),
      about('1', {}),
      about('2', { reservation_id: 'R1' }),
      about('3', { user_id: 'mia', reservation_id: 'R1' }),
      about('4', { user_id: 'ann' }),
    ]);
    expect(new Set([a, b, c, d]).size).toBe(1);
    expect(e).not.toBe(a);
  });

  it('reads the calls that were expected too, and does not mistake a task of another benchmark for the same', () => {
    const reference = { toolCalls: [{ name: 'get', arguments: { user_id: 'mia' } }] };
    const elsewhere = { source: { file: 'other/results.json', format: 'test', pointer: '' } };
    const [a, b, c] = familiesOf([
      about('1', { user_id: 'mia' }),
      about('7', {}, { ...elsewhere, reference }),
      about('1', {}, elsewhere),
    ]);
    expect(b).toBe(a);
    expect(c).not.toBe(a);
  });

  it('does not treat records as equal that were created within the session', () => {
    const made = (task: string, user: string): Session => {
      const call = (name: string, args: ToolStep['arguments']): ToolStep => {
        return { type: 'tool', pointer: '/0', name, arguments: args, outcome: 'ok', requestedBy: 'agent' };
      };
      const steps = [
        call('book_reservation', { user_id: user }),
        call('get_reservation', { reservation_id: 'HATHAT' }),
      ];
      return sessionOf([{ steps }], { task: { id: task } });
    };
    const [a, b] = familiesOf([made('1', 'mia'), made('2', 'ann')]);
    expect(a).not.toBe(b);
  });
});

const present = sharedData('tau-bench') !== null;

describe.skipIf(!present)('labelledSessions (skipped where ../shared/data is not there)', () => {
  it('reads every session with an outcome, and finds sessions of both benchmarks that are about the same records', async () => {
    const sessions = (await labelledSessions()) ?? [];
    expect(sessions).toHaveLength(136);
    expect(sessions.filter(({ failed }) => failed)).toHaveLength(80);
    const families = (dataset: string) =>
      new Set(sessions.filter((session) => session.dataset === dataset).map(({ family }) => family));
    // tau2-bench took its airline tasks over from tau-bench; these results do not say which task a session is of.
    const others = families('tau2-bench airline');
    expect([...families('tau-bench airline')].filter((family) => others.has(family)).length).toBeGreaterThan(5);
    const family = (task: string) =>
      sessions.find((session) => session.dataset === 'tau-bench airline' && session.session.task?.id === task)?.family;
    expect(family('23')).toBe(family('24'));
    expect(family('18')).not.toBe(family('20'));
  });
});
