import { describe, expect, it } from 'vitest';
import type { Turn } from '../../../src/core/session.ts';
import { stepRows } from '../../../src/panel/step-rows.ts';
import { nestedRows } from '../../../src/panel/turn-rows.ts';
import { nestedTurns } from '../../../src/report-model/transcript/nested-turns.ts';
import {
  createSession,
  FILE,
  header,
  result,
  row,
  rows,
  scored,
  tool,
  turn,
  URI,
} from '../server/report/session-fixture.ts';
import { group, occurrence } from '../server/report-fixture.ts';

describe('rows of turns', () => {
  it('quote messages with their locations', () => {
    const other = turn({ file: '/traces/b.json', input: null, output: 'x'.repeat(5000), outputPointer: undefined });
    const [first, second] = rows(
      createSession({
        turns: [
          [turn(), {}],
          [other, {}],
        ],
      }),
    );
    expect(first).toMatchObject({
      recorded: true,
      line: 1,
      input: { text: 'Hello?', omitted: 0, target: { uri: URI, pointer: '/0/i' } },
      output: { text: 'Hi.', omitted: 0, target: { uri: URI, pointer: '/0/o' } },
    });
    expect(first).not.toHaveProperty('file');
    expect(second).toMatchObject({ file: 'b.json', line: 2 });
    expect(second?.input).toBeNull();
    expect(second?.output).toMatchObject({ omitted: 1000, target: { uri: 'file:///traces/b.json', pointer: '/0' } });
  });

  it('are those of the requested page', () => {
    const whole = createSession({ turns: Array.from({ length: 5 }, () => [turn(), {}] as const) });
    const indices = (from: number, count: number) => rows(whole, from, count).map(({ index }) => index);
    expect(indices(1, 2)).toEqual([1, 2]);
    expect(indices(4, 9)).toEqual([4]);
    expect(indices(5, 1)).toEqual([]);
  });

  it('keep their results when the texts cannot be read', () => {
    const failures = [group('wrong tool', 'high', occurrence({ session: 's', file: FILE }))];
    const whole = createSession({ turns: [[turn({ steps: [tool()] }), { a: scored(1) }]], report: { failures } });
    const [unread] = rows(whole, 0, 1, null);
    expect(unread).toMatchObject({ unread: true, line: 1, input: null, output: null, steps: [], stepsOmitted: 0 });
    expect(unread?.problems).toHaveLength(1);
    expect(unread?.scores).toHaveLength(1);
    expect(rows(whole)[0]).not.toHaveProperty('unread');
  });

  it('show the content of a turn without results', () => {
    const { results, read } = createSession({ turns: [[turn(), { a: scored(1) }]] });
    const report = { ...results.detail.report, turns: [] };
    const partial = { ...results, detail: { ...results.detail, report } };
    expect(row({ results: partial, read })).toMatchObject({ waiting: true, input: { text: 'Hello?' }, scores: [] });
  });

  it('have the steps in order, and the answer once', () => {
    const steps: Turn['steps'] = [
      {
        type: 'model',
        pointer: '/m',
        text: 'Let me see.',
        reasoning: 'Hm.',
        usage: { inputTokens: 7, outputTokens: 2 },
      },
      tool({
        arguments: { id: 1 },
        result: { ok: true },
        startedAt: '2026-01-01T00:00:00Z',
        endedAt: '2026-01-01T00:00:01Z',
      }),
      tool({
        pointer: '/b',
        resultPointer: '/br',
        name: 'pay',
        arguments: 'broken',
        error: 'No.',
        outcome: 'error',
        requestedBy: 'user',
      }),
      tool({ pointer: '/c', name: 'wait', outcome: 'missing' }),
      { type: 'retrieval', pointer: '/d', query: 'prices', documents: [{ text: 'd', score: 0.5 }] },
      { type: 'agent', pointer: '/e', name: 'helper', turns: [turn({ steps: [tool()] }), turn()] },
      { type: 'model', pointer: '/x' },
      { type: 'model', pointer: '/y', text: 'Hi.', reasoning: 'Now greet.' },
    ];
    const { steps: told, output } = row(createSession({ turns: [[turn({ steps }), {}]] }));
    expect(told).toMatchObject([
      {
        type: 'model',
        index: 0,
        text: { text: 'Let me see.' },
        reasoning: { text: 'Hm.' },
        tokens: { input: 7, output: 2 },
      },
      {
        type: 'tool',
        name: 'find',
        arguments: { text: 'id: 1' },
        result: { text: '{"ok":true}' },
        durationMs: 1000,
        error: null,
      },
      {
        type: 'tool',
        name: 'pay',
        arguments: { text: 'broken' },
        result: null,
        error: { text: 'No.', target: { pointer: '/br' } },
        outcome: 'error',
        requestedBy: 'user',
      },
      { type: 'tool', name: 'wait', outcome: 'missing', result: null, durationMs: null },
      { type: 'retrieval', query: { text: 'prices' }, documents: [{ text: 'd', score: 0.5, id: null }] },
      { type: 'agent', name: 'helper', turns: 2, calls: 1 },
      { type: 'model', index: 7, text: null, reasoning: { text: 'Now greet.' } },
    ]);
    expect(output?.text).toBe('Hi.');
  });

  it('show an error once, though it is also the result', () => {
    const steps = [tool({ result: 'No.', error: 'No.' }), tool({ result: 'Some.', error: 'No.' })];
    const { steps: told } = row(createSession({ turns: [[turn({ steps }), {}]] }));
    expect(told).toMatchObject([
      { result: null, error: { text: 'No.' } },
      { result: { text: 'Some.' }, error: { text: 'No.' } },
    ]);
  });

  it('lead to the turns of sub-agents at any depth', () => {
    const inner = turn({ output: 'found it', file: '/traces/log.json', steps: [tool({ pointer: '/deep' })] });
    const middle = turn({ steps: [{ type: 'agent', pointer: '/e2', name: 'b', turns: [inner] }] });
    const { read } = createSession({
      turns: [[turn({ steps: [tool(), { type: 'agent', pointer: '/e', name: 'a', turns: [middle] }] }), {}]],
    });
    const level = nestedTurns(read, [
      { turn: 0, step: 1 },
      { turn: 0, step: 0 },
    ]);
    expect(level && nestedRows(level, 0, 10)).toMatchObject([
      {
        output: { text: 'found it', target: { uri: 'file:///traces/log.json' } },
        steps: [{ name: 'find' }],
        scores: [],
      },
    ]);
    const log = turn({
      file: '/traces/log.json',
      steps: [{ type: 'agent', pointer: '/e', name: 'a', turns: [turn()] }],
    });
    const ofLog = nestedTurns(createSession({ turns: [[log, {}]] }).read, [{ turn: 0, step: 0 }]);
    expect(ofLog && nestedRows(ofLog, 0, 1)).toMatchObject([{ target: { uri: 'file:///traces/log.json' } }]);
    expect(nestedTurns(read, [{ turn: 0, step: 0 }])).toBeNull();
    expect(nestedTurns(read, [{ turn: 3, step: 1 }])).toBeNull();
  });

  it('list scores below their threshold first, then those with a threshold, then others, then counts', () => {
    const metrics = {
      count: scored(3, { scale: [0, null] }),
      free: scored(0.2),
      met: scored(0.9, { threshold: 0.5, passed: true }),
      short: scored(0.1, {
        threshold: 0.5,
        passed: false,
        evidence: [{ pointer: '/x', note: 'here', file: '/b.json' }],
      }),
      word: result('scored', { label: 'fine', scale: null }),
      turn_risk: scored(0.5, { reason: 'It may.' }),
      none: result('needs_judge'),
    };
    const { scores, unscored } = row(createSession({ turns: [[turn(), metrics]] }));
    expect(scores.map(({ metric }) => metric)).toEqual(['short', 'met', 'free', 'count', 'word']);
    expect(scores[0]?.evidence).toEqual([
      { note: 'here', target: { uri: 'file:///b.json', pointer: '/x' }, citation: null },
    ]);
    expect(unscored).toEqual([
      { status: 'needs_judge', metrics: 1, reasons: [{ reason: 'It is needs_judge.', metrics: ['none'] }] },
    ]);
  });

  it('name the judge, its score where it was capped, and whether a prompt can be shown', () => {
    const cap = { most: 0.5, judged: 0.9, findings: [] };
    const metrics = {
      tool_correctness: scored(0.5, { source: 'judge', judge: 'ollama/m', metadata: { cap } }),
      loop_detection: scored(1, { source: 'rules', metadata: { cap } }),
      turn_risk: scored(0),
    };
    const { scores } = row(createSession({ turns: [[turn(), metrics]] }));
    expect(scores).toMatchObject([
      { metric: 'tool_correctness', judge: 'ollama/m', cap: { most: 0.5, judged: 0.9 }, hasPrompt: true },
      { metric: 'loop_detection', judge: null, cap: null, hasPrompt: false },
    ]);
  });

  it('show a label that is a problem once', () => {
    const failures = [group('wrong tool', 'high', occurrence({ session: 's', file: FILE, turn: 0, metric: 'tools' }))];
    const metrics = {
      tools: result('scored', { label: 'wrong tool', labels: ['wrong tool'], scale: null }),
      behavior: result('scored', { label: 'no failure', labels: ['no failure'], scale: null }),
    };
    const messages = row(createSession({ turns: [[turn(), metrics]], report: { failures } }));
    expect(messages.problems).toMatchObject([{ label: 'wrong tool', metric: 'tools', rule: null }]);
    expect(messages.scores.map(({ value }) => value)).toEqual(['no failure']);
  });

  it('have observations and suppressed findings beside the problems', () => {
    const at = { session: 's', file: FILE, turn: 0, pointer: '/0/o', line: 1, evidence: [] };
    const observations = [{ ...at, rule: 'amount-stated', title: 'A stated amount', reason: 'It states 5.' }];
    const suppressed = [{ ...at, rule: 'repeated-call', finding: 'It called again.', reason: 'Polling.' }];
    expect(row(createSession({ turns: [[turn(), {}]], report: { observations, suppressed } }))).toMatchObject({
      problems: [],
      observations: [{ rule: 'amount-stated', title: 'A stated amount', reason: 'It states 5.' }],
      suppressed: [{ rule: 'repeated-call', finding: 'It called again.', reason: 'Polling.' }],
    });
  });

  it('group metrics without a score by reason', () => {
    const metrics = {
      a: result('needs_judge', { reason: 'Only a model can judge this.' }),
      b: result('needs_judge', { reason: 'Only a model can judge this.' }),
      c: result('error', { reason: 'The server said 503.' }),
      d: result('not_applicable', { reason: null }),
    };
    expect(row(createSession({ turns: [[turn(), metrics]] })).unscored).toEqual([
      { status: 'error', metrics: 1, reasons: [{ reason: 'The server said 503.', metrics: ['c'] }] },
      { status: 'needs_judge', metrics: 2, reasons: [{ reason: 'Only a model can judge this.', metrics: ['a', 'b'] }] },
      { status: 'not_applicable', metrics: 1, reasons: [{ reason: 'No reason was given.', metrics: ['d'] }] },
    ]);
  });

  it('say which turns were not recorded', () => {
    expect(row(createSession({ turns: [[turn({ captured: false }), {}]] })).recorded).toBe(false);
  });

  it('show feedback from a sidecar', () => {
    const feedback = [
      { value: 'up', note: 'Good.', at: '2026-01-01T00:00:00Z' },
      { metric: 'a', value: 'up' },
      { metric: 'a', value: 'down', note: '' },
      { rule: 'unknown-tool', value: 'down' },
      { label: 'wrong tool', value: 'up' },
    ] as const;
    const failures = [
      group(
        'wrong tool',
        'high',
        occurrence({ session: 's', file: FILE, rule: 'unknown-tool' }),
        occurrence({ session: 's', file: FILE }),
      ),
    ];
    const messages = row(
      createSession({ turns: [[turn({ feedback }), { a: scored(1), b: scored(1) }]], report: { failures } }),
    );
    expect(messages.feedback).toEqual({ value: 'up', note: 'Good.', at: '2026-01-01T00:00:00Z' });
    expect(messages.scores.map(({ feedback }) => feedback)).toEqual([{ value: 'down', note: null, at: null }, null]);
    expect(messages.problems.map(({ feedback }) => feedback?.value)).toEqual(['down', 'up']);
  });
});

describe('a hostile trace', () => {
  it('gives rows that stay small and well-formed', () => {
    const long = 'x'.repeat(1_000_000);
    const step = tool({ name: long, arguments: { [long]: long }, result: long });
    const steps = Array.from({ length: 500 }, () => step);
    const evidence = Array.from({ length: 1000 }, () => ({ file: FILE, pointer: '/a', line: null, note: long }));
    const failures = [
      group(
        long,
        'high',
        ...Array.from({ length: 300 }, () => occurrence({ session: 's', file: FILE, reason: long, evidence })),
      ),
    ];
    const metrics = JSON.parse('{"__proto__": null, "reward": null}');
    Object.defineProperty(metrics, '__proto__', {
      value: scored(Number.POSITIVE_INFINITY, { reason: long }),
      enumerable: true,
    });
    metrics.reward = result('scored', { label: 'y'.repeat(1000), scale: null });
    const whole = createSession({
      turns: [[turn({ input: long, output: long, steps }), metrics]],
      report: { failures },
    });
    const messages = row(whole);
    expect(JSON.stringify(messages).length).toBeLessThan(700_000);
    expect(JSON.stringify(header(whole)).length).toBeLessThan(20_000);
    expect(messages).toMatchObject({ stepsOmitted: 450, problemsOmitted: 250, input: { omitted: 996_000 } });
    expect(messages.problems[0]?.evidenceOmitted).toBe(990);
    expect(messages.scores.map(({ metric, value }) => [metric, String(value).slice(0, 8)])).toEqual([
      ['__proto__', 'Infinity'],
      ['reward', 'yyyyyyyy'],
    ]);
  });

  it('of many long steps shows a limited part of each', () => {
    const steps = Array.from({ length: 50 }, () => tool({ arguments: 'y'.repeat(5000), result: 'x'.repeat(5000) }));
    const messages = row(createSession({ turns: [[turn({ steps }), {}]] })).steps.flatMap((step) =>
      step.type === 'tool' ? [step.arguments.text.length, step.result?.text.length ?? 0] : [],
    );
    expect([messages[0], messages.at(-1)]).toEqual([1200, 200]);
    expect(messages.reduce((sum, length) => sum + length, 0)).toBeLessThan(45_000);
  });

  it('with a million steps is answered with the requested number', () => {
    const steps = Array.from({ length: 1_000_000 }, () => tool());
    const huge = turn({ steps });
    expect(row(createSession({ turns: [[huge, {}]] }))).toMatchObject({ stepsOmitted: 999_950 });
    expect(stepRows(huge, { file: FILE, calls: null }, 999_990, 200).map(({ index }) => index)).toHaveLength(10);
  });

  it('with sub-agents nested a hundred thousand deep is counted and searched without recursion', () => {
    let inner = turn({ steps: [tool()] });
    for (let depth = 0; depth < 100_000; depth += 1) {
      inner = turn({ steps: [{ type: 'agent', pointer: '/e', name: 'a', turns: [inner] }] });
    }
    expect(row(createSession({ turns: [[inner, {}]] })).steps).toMatchObject([{ type: 'agent', calls: 1 }]);
  });
});
