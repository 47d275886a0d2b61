import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findScenarios } from '../../../src/scenarios/find-scenarios.ts';

const SHOP = `import { scenario, sequence } from 'turnwise';

// scenario('commented out', {})
const note = "scenario('in a text', {})";
scenario('refund', {
  turns: [
    { userMessage: 'Refund [order] 7', assertions: { toolCalls: { expected: [{ name: 'get_order' }, { name: \`refund\` }] } } },
    { userMessage: \`It is \${[1, 2].join(',')}\` },
  ],
  mocks: { tools: { get_order: () => ({ turns: 3 }) } },
});

for (const city of ['Bern', 'Rome']) scenario(\`weather in \${city}\`, { profile: 'a', goal: 'b' });
tests.scenario('not ours');
function scenario2() {}
scenario("it\\'s \\u0041", {});
`;

const textOf = (text: string, { start, end }: { readonly start: number; readonly end: number }) =>
  text.slice(start, end);

describe('finding scenarios in code', () => {
  test('finds calls with their names, and no comments, texts or methods', () => {
    expect(findScenarios(SHOP).map(({ name }) => name)).toEqual(['refund', null, "it's A"]);
  });

  test('finds the range of each, its turns and its expected calls', () => {
    const [refund] = findScenarios(SHOP);
    if (!refund) throw new Error('nothing found');
    expect(textOf(SHOP, refund)).toMatch(/^scenario\('refund'[\s\S]*}\)$/);
    expect(refund.turns.map((range) => textOf(SHOP, range))).toEqual([
      expect.stringMatching(/^\{ userMessage: 'Refund \[order] 7'.*}$/),
      expect.stringMatching(/^\{ userMessage: `It is .*}$/),
    ]);
    expect(refund.expectedCalls.map((range) => textOf(SHOP, range))).toEqual([
      "{ name: 'get_order' }",
      '{ name: `refund` }',
    ]);
  });

  test('finds the agent that a scenario names by a literal', () => {
    const named = `scenario('a', { goal: late ? agent : 'x', mocks: { agent: 'inner' }, agent: 'shop' });
      scenario('b', { 'agent': "hasty", turns: [{ agent: 'inner' }] });
      scenario('c', { agent: chosen, goal: 'x' });
      scenario('d', { mocks: { agent: 'inner' } });`;
    expect(findScenarios(named).map(({ agent }) => agent)).toEqual(['shop', 'hasty', null, null]);
  });

  test('finds a function that was renamed when it was imported', () => {
    const text = "import { scenario as agentTest } from 'turnwise';\nagentTest('a', {});";
    expect(findScenarios(text).map(({ name }) => name)).toEqual(['a']);
  });

  test.each([
    ["scenario('a', { turns: [{ userMessage: 'x'\n\nscenario('b', {});", ['a', 'b']],
    ["scenario('a\nscenario('b', {});", [null, 'b']],
    ['scenario(', [null]],
    ["scenario('a', { goal: `unclosed\nscenario('b', {})", ['a']],
  ])('works while it is typed: %j', (text, names) => {
    expect(findScenarios(text).map(({ name }) => name)).toEqual(names);
  });

  test('accepts every text, and ranges stay in it', () => {
    const part = fc.constantFrom(
      "scenario('a'",
      'scenario(',
      '{',
      '}',
      '[',
      ']',
      '(',
      ')',
      '`',
      '${',
      "'",
      ',',
      'turns:',
      'expected: [',
      '/',
      '\\',
      '\n',
      '😀',
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = parts.join('');
        for (const place of findScenarios(text)) {
          for (const { start, end } of [place, ...place.turns, ...place.expectedCalls]) {
            expect(start).toBeGreaterThanOrEqual(place.start);
            expect(end).toBeGreaterThanOrEqual(start);
            expect(end).toBeLessThanOrEqual(text.length);
          }
        }
      }),
    );
  });
});
