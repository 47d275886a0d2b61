import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sessions } from '../../../src/protocol/messages.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { scenarioAgents, scenarioCoverage, scenariosOf } from '../../../src/protocol/scenarios.ts';
import { REFUND, Shop } from './shop.ts';

describe('scenarios of a file', () => {
  it('are found with their turns and expected calls, also in unsaved text', async () => {
    await using shop = await Shop.open();
    const { scenarios, problems } = await sendRequest(shop.editor.connection, scenariosOf, { uri: shop.uri() });
    expect(problems).toEqual([]);
    expect(scenarios).toMatchObject([
      { name: REFUND, range: { start: { line: 31, character: 0 } }, turns: [{}, {}], expectedCalls: [{}, {}] },
      { name: 'refuse to refund an order that is on its way' },
    ]);
    const text = "scenario('a', {});\nscenario('a', { turns: [";
    const typed = await sendRequest(shop.editor.connection, scenariosOf, { uri: shop.uri(), text });
    expect(typed.scenarios.map(({ name }) => name)).toEqual(['a', 'a']);
    expect(typed.problems.map(({ message }) => message)).toEqual([
      '"a": Two scenarios of this file are named "a". Give each its own name.',
    ]);
    expect(await sendRequest(shop.editor.connection, scenarioAgents, { uri: shop.uri() })).toEqual({
      agents: ['shop'],
      attempts: 3,
      isScenarioFile: true,
    });
  });
});

describe('running scenarios', () => {
  it('measures which tools the last attempts exercised, where the tools are defined', async () => {
    await using shop = await Shop.open();
    await shop.write('tools.py', 'def get_order(order_id):\n    return find(order_id)\n');
    await shop.configure(undefined, { toolFiles: ['*.py'] });
    await shop.run({ attempts: 2 });
    const files = [{ uri: shop.uri() }];
    const { files: covered, notMeasured } = await sendRequest(shop.editor.connection, scenarioCoverage, { files });
    const at = (line: number, character: number, length: number) => {
      return { start: { line, character }, end: { line, character: character + length } };
    };
    expect(covered).toEqual([
      {
        uri: shop.uri('tools.py'),
        tools: [
          {
            name: 'get_order',
            range: at(0, 4, 9),
            calls: 2,
            parts: [
              { label: 'order_id', times: 2 },
              { label: 'an error as the result', times: 0 },
            ],
          },
        ],
      },
      {
        uri: shop.uri(),
        tools: [
          expect.objectContaining({ name: 'refund_order', range: at(16, 6, 12), calls: 2 }),
          {
            name: 'cancel_order',
            range: at(22, 6, 12),
            calls: 0,
            parts: [{ label: 'an error as the result', times: 0 }],
          },
        ],
      },
    ]);
    expect(notMeasured.at(-1)).toBe(
      'Clauses of the policy are not measured: a call does not say which clause it follows.',
    );
    const others = [{ uri: shop.uri(), names: ['another'] }];
    expect(await sendRequest(shop.editor.connection, scenarioCoverage, { files: others })).toMatchObject({ files: [] });
  });

  it('gives results with reports and a recorded run', async () => {
    await using shop = await Shop.open();
    const ran = await shop.run({ attempts: 2 });
    expect(ran).toMatchObject({ complete: true, problems: [] });
    const [result] = ran.results;
    expect(result).toMatchObject({
      uri: shop.uri(),
      name: REFUND,
      verdict: 'passed',
      summary: expect.stringMatching(/^2 of 2 succeeded · pass\^2 1\.00 \[0\.\d\d–1\.00\]$/),
      allPass: { k: 2, value: 1 },
      isStale: false,
      attempts: [
        { trial: 1, agent: 'shop', verdict: 'passed', messages: [], turns: 2 },
        { trial: 2, agent: 'shop', verdict: 'passed' },
      ],
    });
    const { rows } = await sendRequest(shop.editor.connection, sessions, { offset: 0, limit: 10 });
    expect(rows.map(({ key }) => key).sort()).toEqual(result?.attempts.map(({ session }) => session).sort());
    const [run] = shop.store.list({ project: shop.project });
    expect(run?.manifest.id).toBe(result?.run);
    expect(await readdir(join(shop.project, '.turnwise', 'runs'))).toEqual([result?.run]);
    expect(await shop.results()).toEqual(ran.results);
    expect(shop.progress.filter(({ trial }) => trial === 2).at(-1)?.phase).toBe('finished');
    expect(shop.changed).toEqual([[shop.uri()]]);
  });

  it('evaluates a scenario with its own metrics and thresholds', async () => {
    await using shop = await Shop.open();
    const own = 'turns: [{ userMessage: hello }], metrics: [tool_call_count], thresholds: { tool_call_count: 0 }';
    const scenarios = `scenarios:\n  - { name: own, ${own} }\n  - { name: other, turns: [{ userMessage: hello }] }\n`;
    await shop.write('two.scenario.yaml', scenarios);
    const { results } = await shop.run({ files: [{ uri: shop.uri('two.scenario.yaml') }] });
    expect(results.map(({ name }) => name).sort()).toEqual(['other', 'own']);
    const run = await shop.store.find(results[0]?.run ?? '', shop.project);
    const scored = Object.fromEntries((await run.rows()).map(({ task, scores }) => [task?.id, Object.keys(scores)]));
    expect(scored.own).toEqual(['tool_call_count']);
    expect(scored.other?.length).toBeGreaterThan(3);
  });

  it('says what was expected and what was done, at the expected call', async () => {
    await using shop = await Shop.open();
    await shop.configure('wrong-amount');
    const { results } = await shop.run();
    const [attempt] = results[0]?.attempts ?? [];
    expect(attempt?.verdict).toBe('failed');
    const [message] = attempt?.messages ?? [];
    expect(message).toMatchObject({
      expected: 'refund_order {"order_id":"A-1001","amount":42.5}',
      actual: 'refund_order {"order_id":"A-1001","amount":425}',
      turn: 1,
      location: { uri: shop.uri(), range: { start: { line: 49, character: 21 } } },
      trace: { uri: attempt?.uri },
    });
    expect(message?.text).toMatch(
      /^Turn 2: Call refund_order has other arguments than expected\.\n.*\nExpected: .*\nActual: .*\nTrace: \.turnwise\/runs\/.*\.session\.json:\d+$/,
    );
  });
});
