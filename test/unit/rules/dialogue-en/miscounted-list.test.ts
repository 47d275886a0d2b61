import { describe, expect, it } from 'vitest';
import { collectFindings } from '../../../../src/rules/index.ts';
import { evidencePointers, findingIds, findingMessages, ok, onlyRule, session } from '../session-builder.ts';

const ALONE = onlyRule('miscounted-list');

function lamps(available: number, of: number, key = 'available') {
  return Object.fromEntries(Array.from({ length: of }, (_, i) => [`lamp-${i}`, { price: 30, [key]: i < available }]));
}

const LAMPS = { name: 'Lamp', variants: lamps(4, 6) };

function told(agent: string, result: unknown = LAMPS, more: ReturnType<typeof ok>[] = []) {
  return session([
    { user: 'How many lamps can I choose from?', steps: [ok('get_product', { id: 'p1' }, result), ...more], agent },
    { user: 'Thank you!', agent: 'You are welcome.' },
  ]);
}

describe('miscounted-list', () => {
  it('reports a count above that of the list, and cites the answer and the list', () => {
    const of = told('We have 6 lamps available right now, in many colours.');
    expect(findingMessages(of, ALONE)).toEqual([
      'The answer says "We have 6 lamps available right now", but in the list that `get_product` returned, `available` is true for 4 of 6.',
    ]);
    expect(evidencePointers(of, ALONE)).toEqual(['/turns/0/output', '/turns/0/steps/0/result']);
    expect(collectFindings(of, { settings: ALONE })).toMatchObject([
      { severity: 'medium', label: 'false information' },
    ]);
  });

  it.each([
    ['in words', 'There are currently six available lamps.', LAMPS],
    ['between the list and the truth', 'There are 5 available lamps.', LAMPS],
    ['with a verb', 'There are 6 different lamps that are available.', LAMPS],
    ['of an array', 'There are 6 available lamps.', Object.values(LAMPS.variants)],
    ['of JSON in a text', 'There are 6 available lamps.', JSON.stringify(LAMPS)],
    ['with another field', 'We have 6 lamps in stock.', lamps(4, 6, 'in_stock')],
  ])('reads a count %s', (_, answer, result) => {
    expect(findingIds(told(answer, result), ALONE)).toEqual(['miscounted-list@0']);
  });

  it.each([
    ['the right count', 'There are 4 available lamps.'],
    ['a part of the list', 'There are 2 blue lamps available.'],
    ['a number beyond the list', 'There are 9 available lamps.'],
    ['the length of the list', 'There are 6 lamps, and 4 are available.'],
    ['a share', 'There are 6 lamps, of which 4 are available.'],
    ['a measure', 'There are 6 inch lamps available.'],
    ['an item', 'Lamp number 6 is available. The best is 5, the cheapest available.'],
    ['what is not available', 'There are 6 that are not available.'],
    ['another quality', 'There are 6 beautiful lamps.'],
  ])('is silent about %s', (_, answer) => {
    expect(findingIds(told(answer), ALONE)).toEqual([]);
  });

  it('is silent if two lists have the field, or if it is not always true or false', () => {
    const answer = 'There are 6 available lamps.';
    expect(findingIds(told(answer, LAMPS, [ok('get_product', { id: 'p2' }, LAMPS)]), ALONE)).toEqual([]);
    expect(findingIds(told(answer, [...Object.values(LAMPS.variants), { available: 'soon' }]), ALONE)).toEqual([]);
  });

  it('compares a later answer with the last list', () => {
    const turns = [
      { user: 'Do you have lamps?', steps: [ok('get_product', {}, LAMPS)], agent: 'Yes.' },
      { user: 'How many?', agent: 'There are 6 available lamps.' },
    ];
    expect(findingIds(session(turns), ALONE)).toEqual(['miscounted-list@1']);
    const newer = {
      user: 'And now?',
      steps: [ok('get_product', {}, lamps(6, 6))],
      agent: 'There are 6 available lamps.',
    };
    expect(findingIds(session([...turns.slice(0, 1), newer]), ALONE)).toEqual([]);
  });
});
