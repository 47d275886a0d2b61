import { describe, expect, it } from 'vitest';
import { findScenarioPlaces } from '../../../src/scenarios/scenario-places.ts';

/** The scenarios of a file as the texts that they cover. */
async function found(file: string, text: string) {
  const places = await findScenarioPlaces(file, text);
  const cut = ({ start, end }: { start: number; end: number }) => text.slice(start, end);
  return places.map((place) => ({
    name: place.name,
    text: cut(place),
    turns: place.turns.map(cut),
    expectedCalls: place.expectedCalls.map(cut),
  }));
}

const YAML = `scenarios:
  - name: refund
    turns:
      - userMessage: Refund A-1
        assertions:
          toolCalls:
            expected:
              - name: get_order
                args: { expected: [1] }
      - userMessage: "Yes"
    assertions: { toolCalls: { expected: [{ name: refund_order }] } }

  - name: complain
    goal: An apology
`;

describe('places of scenarios in data', () => {
  it('are those of scenarios, turns and expected calls in YAML', async () => {
    const [refund, complain, ...others] = await found('a.scenario.yaml', YAML);
    expect(others).toEqual([]);
    expect(refund).toMatchObject({
      name: 'refund',
      turns: [expect.stringMatching(/^userMessage: Refund A-1\n[\s\S]*\[1\] }$/), 'userMessage: "Yes"'],
      expectedCalls: [
        expect.stringMatching(/^name: get_order\n\s+args: { expected: \[1\] }$/),
        '{ name: refund_order }',
      ],
    });
    expect(refund?.text).toMatch(/^name: refund\n[\s\S]*refund_order }\] } }$/);
    expect(complain).toEqual({
      name: 'complain',
      text: 'name: complain\n    goal: An apology',
      turns: [],
      expectedCalls: [],
    });
  });

  it('say which agent a scenario names', async () => {
    const places = await findScenarioPlaces(
      'a.scenario.yaml',
      '- { name: a, agent: shop }\n- { name: b, agent: 3 }\n- { name: c, profile: { agent: x } }\n',
    );
    expect(places.map(({ agent }) => agent)).toEqual(['shop', null, null]);
  });

  it('stay while a file is half typed', async () => {
    const names = async (file: string, text: string) => (await found(file, text)).map(({ name }) => name);
    expect(await names('a.scenario.yaml', `${YAML}  - name: th\n    turns: [{ userMessage: "H`)).toEqual([
      'refund',
      'complain',
      'th',
    ]);
    expect(await names('a.scenario.json', '[{ "name": "a", "turns": [] }, { "name": "b", "tur')).toEqual(['a', 'b']);
  });

  it('are those of the cases of an evaluation set, of all three generations', async () => {
    const turn = '{ "user_content": {}, "intermediate_data": { "tool_uses": [{ "name": "get_order" }] } }';
    const now = `{ "eval_set_id": "s", "eval_cases": [{ "eval_id": "refund", "conversation": [${turn}] }] }`;
    expect(await found('shop.evalset.json', now)).toMatchObject([
      { name: 'refund', turns: [turn], expectedCalls: ['{ "name": "get_order" }'] },
    ]);
    const old = '{ "query": "a", "expected_tool_use": [{ "tool_name": "get_order" }] }';
    expect(await found('shop.test.json', `[{ "name": "refund", "data": [${old}] }]`)).toMatchObject([
      { name: 'refund', turns: [old], expectedCalls: ['{ "tool_name": "get_order" }'] },
    ]);
    expect(await found('shop.test.json', `[${old}]`)).toMatchObject([{ name: 'shop', turns: [old] }]);
    const simulated = '{ "eval_id": "chat", "conversation_scenario": {} }';
    expect(await found('shop.evalset.json', `{ "eval_set_id": "s", "eval_cases": [${simulated}] }`)).toEqual([
      { name: 'chat', text: simulated, turns: [], expectedCalls: [] },
    ]);
    expect(await found('other.test.json', '{ "name": "other" }')).toEqual([]);
    expect(await found('other.test.json', '[{ "name": "other" }]')).toEqual([]);
  });
});
