import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Report, SessionReport } from '../../../src/core/report.ts';
import type { Result } from '../../../src/core/result.ts';
import type { Session, Turn } from '../../../src/core/session.ts';
import { report as headerRequest, turns as turnsRequest } from '../../../src/protocol/report.ts';
import { headerOf, turnsOf, type WithTurns } from '../../../src/server/report.ts';
import { type HeldSession, rowsOf } from '../../../src/server/rows.ts';
import { FakeLocator, group, occurrence, report, session, sessionGate } from './report.ts';

const FILE = '/traces/a b.json';
const URI = 'file:///traces/a%20b.json';

function result(status: Result['status'], parts: Partial<Result> = {}): Result {
  return {
    status,
    score: null,
    label: null,
    labels: [],
    scale: [0, 1],
    threshold: null,
    passed: null,
    band: null,
    reason: `It is ${status}.`,
    source: null,
    evidence: [],
    metadata: {},
    ...parts,
  };
}

const scored = (score: number, parts: Partial<Result> = {}) => result('scored', { score, ...parts });

function turn(parts: Partial<Turn> = {}): Turn {
  return {
    id: 't',
    pointer: '/0',
    input: 'Hello?',
    inputPointer: '/0/i',
    output: 'Hi.',
    outputPointer: '/0/o',
    steps: [],
    ...parts,
  };
}

interface Given {
  /** What each turn says, and what was found of it. */
  readonly turns?: readonly (readonly [Turn, SessionReport['turns'][number]['metrics']])[];
  readonly metrics?: SessionReport['metrics'];
  readonly report?: Partial<Report>;
}

function held({ turns = [], metrics = {}, report: parts = {} }: Given): HeldSession & WithTurns {
  const told = turns.map(([{ id, pointer, file }, found], index) => ({
    id,
    index,
    pointer,
    line: index + 1,
    ...(file === undefined ? {} : { file }),
    metrics: found,
  }));
  const read: Session = {
    id: 's',
    source: { file: FILE, format: 'turnwise', pointer: '' },
    turns: turns.map(([one]) => one),
  };
  const given = report({ sessions: [session('s', FILE, { turns: told, metrics })], ...parts });
  const [only] = rowsOf(given, new FakeLocator(), [read]).sessions;
  if (!only) throw new Error('There is no session.');
  // Whatever is made must pass the check at the other end.
  z.parse(headerRequest.result, { header: headerOf(only) });
  const whole = { ...only, turns: read.turns };
  z.parse(turnsRequest.result, { rows: turnsOf(whole, 0, 1000) });
  return whole;
}

describe('headerOf', () => {
  it('names the worst failures first, and counts all', () => {
    const at = (index: number) => occurrence({ session: 's', file: FILE, turn: index, pointer: `/${index}` });
    const failures = [
      group('repetition', 'low', at(0), at(1)),
      group('unsafe action', 'critical', at(3)),
      group('wrong tool', 'high', at(2), at(1)),
    ];
    const { why, failures: count } = headerOf(held({ report: { failures } }));
    expect(why.map(({ label, turn: index }) => [label, index])).toEqual([
      ['unsafe action', 3],
      ['wrong tool', 1],
      ['wrong tool', 2],
    ]);
    expect(why[0]?.target).toEqual({ uri: URI, pointer: '/3' });
    expect(count).toBe(5);
  });

  it('has the gates of the session and of its run', () => {
    const gates = [
      sessionGate('s', false, 'Too severe.'),
      sessionGate('t', false, "Another session's."),
      { ...sessionGate('', null, 'nothing scored'), scope: 'run', subject: null, metric: 'task_completion' } as const,
    ];
    expect(headerOf(held({ report: { gates } })).gates.map(({ scope, met, reason }) => [scope, met, reason])).toEqual([
      ['session', false, 'Too severe.'],
      ['run', null, 'nothing scored'],
    ]);
  });

  it('counts each result once: not the means over turns, nor what is implied', () => {
    const metrics = { a: scored(1), b: result('needs_judge'), c: scored(1, { implied: true }) };
    const turns = [
      [turn(), metrics],
      [turn(), { ...metrics, b: result('vacuous', { score: 1 }) }],
    ] as const;
    const whole = held({ turns, metrics: { ...metrics, session_risk: scored(0.5), trend: result('error') } });
    const { coverage, unscored, scores } = headerOf(whole);
    expect(coverage).toEqual({ scored: 3, of: 5 });
    expect(unscored.map(({ status, metrics: count }) => [status, count])).toEqual([
      ['error', 1],
      ['needs_judge', 1],
    ]);
    expect(scores).toEqual([]);
  });

  it('does not say of a metric that it does not apply when it does in another turn', () => {
    const turns = [
      [turn(), { a: result('not_applicable'), b: result('not_applicable') }],
      [turn(), { a: scored(1), b: result('not_applicable') }],
    ] as const;
    expect(headerOf(held({ turns })).unscored).toMatchObject([{ status: 'not_applicable', metrics: 1 }]);
  });

  it('gives each turn a cell, with the reason of its risk', () => {
    const turns = [
      [turn(), { turn_risk: scored(0.7, { reason: 'It failed.' }) }],
      [turn(), { turn_risk: result('needs_judge', { reason: 'Nobody looked.' }) }],
      [turn(), {}],
    ] as const;
    const failures = [group('wrong tool', 'high', occurrence({ session: 's', file: FILE, turn: 0 }))];
    expect(headerOf(held({ turns, report: { failures } })).cells).toEqual([
      { index: 0, risk: 0.7, reason: 'It failed.', failures: 1 },
      { index: 1, risk: null, reason: 'Nobody looked.', failures: 0 },
      { index: 2, risk: null, reason: null, failures: 0 },
    ]);
  });

  it('says who judged, and whether all was computed', () => {
    const { run } = report();
    const stopped = { ...run, complete: false, judge: { provider: 'ollama', model: 'm' } };
    expect(headerOf(held({ report: { run: stopped } }))).toMatchObject({ judge: 'm', complete: false });
    expect(headerOf(held({}))).toMatchObject({ judge: null, complete: true });
  });
});

describe('turnsOf', () => {
  it('quotes what was said, each with its place', () => {
    const other = turn({ file: '/traces/b.json', input: null, output: 'x'.repeat(5000), outputPointer: undefined });
    const [first, second] = turnsOf(
      held({
        turns: [
          [turn(), {}],
          [other, {}],
        ],
      }),
      0,
      10,
    );
    expect(first).toMatchObject({
      recorded: true,
      line: 1,
      input: { text: 'Hello?', omitted: 0, target: { uri: URI, pointer: '/0/i' } },
      output: { text: 'Hi.', omitted: 0, target: { uri: URI, pointer: '/0/o' } },
    });
    expect(second?.input).toBeNull();
    expect(second?.output).toMatchObject({ omitted: 1000, target: { uri: 'file:///traces/b.json', pointer: '/0' } });
  });

  it('answers with the turns that were asked for', () => {
    const whole = held({ turns: Array.from({ length: 5 }, () => [turn(), {}] as const) });
    const indices = (from: number, count: number) => turnsOf(whole, from, count).map(({ index }) => index);
    expect(indices(1, 2)).toEqual([1, 2]);
    expect(indices(4, 9)).toEqual([4]);
    expect(indices(5, 1)).toEqual([]);
  });

  it('lists what the agent used, and what came of it', () => {
    const steps: Turn['steps'] = [
      { type: 'model', pointer: '/m', text: 'Let me see.' },
      {
        type: 'tool',
        pointer: '/a',
        name: 'find',
        arguments: { id: 1 },
        result: { ok: true },
        outcome: 'ok',
        requestedBy: 'agent',
      },
      {
        type: 'tool',
        pointer: '/b',
        name: 'pay',
        arguments: 'broken',
        error: 'No.',
        outcome: 'error',
        requestedBy: 'user',
      },
      { type: 'tool', pointer: '/c', name: 'wait', arguments: {}, outcome: 'missing', requestedBy: 'agent' },
      { type: 'retrieval', pointer: '/d', query: 'prices', documents: [{ text: 'd' }] },
      { type: 'agent', pointer: '/e', name: 'helper', turns: [turn(), turn()] },
    ];
    const [row] = turnsOf(held({ turns: [[turn({ steps }), {}]] }), 0, 1);
    const plain = row?.calls.map(({ kind, name, input, outcome, output, requestedBy, target }) => [
      `${kind} ${name}(${input.text}) ${outcome} ${output?.text ?? '–'} ${requestedBy} ${target.pointer}`,
    ]);
    expect(plain?.flat()).toEqual([
      'tool find(id: 1) ok {"ok":true} agent /a',
      'tool pay(broken) error No. user /b',
      'tool wait() missing – agent /c',
      'retrieval retrieval(prices) ok 1 document agent /d',
      'agent helper() ok 2 turns agent /e',
    ]);
  });

  it('puts first what fell short, then what has a threshold, then other scores, then counts', () => {
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
      turn_risk: scored(0.5),
      none: result('needs_judge'),
    };
    const [row] = turnsOf(held({ turns: [[turn(), metrics]] }), 0, 1);
    expect(row?.scores.map(({ metric }) => metric)).toEqual(['short', 'met', 'free', 'count', 'word']);
    expect(row?.scores[0]?.target).toEqual({ uri: 'file:///b.json', pointer: '/x' });
    expect(row?.unscored).toEqual([
      { status: 'needs_judge', metrics: 1, reasons: [{ reason: 'It is needs_judge.', metrics: ['none'] }] },
    ]);
  });

  it('shows a label that is a failure as that, and no second time', () => {
    const failures = [group('wrong tool', 'high', occurrence({ session: 's', file: FILE, turn: 0 }))];
    const metrics = {
      tools: result('scored', { label: 'wrong tool', labels: ['wrong tool'], scale: null }),
      behavior: result('scored', { label: 'no failure', labels: ['no failure'], scale: null }),
    };
    const [row] = turnsOf(held({ turns: [[turn(), metrics]], report: { failures } }), 0, 1);
    expect(row?.failures.map(({ label }) => label)).toEqual(['wrong tool']);
    expect(row?.scores.map(({ value }) => value)).toEqual(['no failure']);
  });

  it('groups what has no score by why, the same sentence once', () => {
    const metrics = {
      a: result('needs_judge', { reason: 'Only a model can judge this.' }),
      b: result('needs_judge', { reason: 'Only a model can judge this.' }),
      c: result('error', { reason: 'The server said 503.' }),
      d: result('not_applicable', { reason: null }),
    };
    const [row] = turnsOf(held({ turns: [[turn(), metrics]] }), 0, 1);
    expect(row?.unscored).toEqual([
      { status: 'error', metrics: 1, reasons: [{ reason: 'The server said 503.', metrics: ['c'] }] },
      { status: 'needs_judge', metrics: 2, reasons: [{ reason: 'Only a model can judge this.', metrics: ['a', 'b'] }] },
      { status: 'not_applicable', metrics: 1, reasons: [{ reason: 'No reason was given.', metrics: ['d'] }] },
    ]);
  });

  it('stays small and well-formed whatever the trace holds', () => {
    const long = 'x'.repeat(1_000_000);
    const step = {
      type: 'tool',
      pointer: '/a',
      name: long,
      arguments: { [long]: long },
      result: long,
      outcome: 'ok',
      requestedBy: 'agent',
    } as const;
    const steps = Array.from({ length: 500 }, () => step);
    const failures = [
      group(long, 'high', ...Array.from({ length: 300 }, () => occurrence({ session: 's', file: FILE, reason: long }))),
    ];
    const metrics = JSON.parse('{"__proto__": null, "reward": null}');
    Object.defineProperty(metrics, '__proto__', {
      value: scored(Number.POSITIVE_INFINITY, { reason: long }),
      enumerable: true,
    });
    metrics.reward = result('scored', { label: 'y'.repeat(1000), scale: null });
    const whole = held({ turns: [[turn({ input: long, output: long, steps }), metrics]], report: { failures } });
    const [row] = turnsOf(whole, 0, 1);
    expect(JSON.stringify(row).length).toBeLessThan(200_000);
    expect(JSON.stringify(headerOf(whole)).length).toBeLessThan(20_000);
    expect(row).toMatchObject({ callsOmitted: 450, failuresOmitted: 250, input: { omitted: 996_000 } });
    expect(row?.scores.map(({ metric, value }) => [metric, String(value).slice(0, 8)])).toEqual([
      ['__proto__', 'Infinity'],
      ['reward', 'yyyyyyyy'],
    ]);
  });

  it('knows what was not recorded', () => {
    const whole = held({ turns: [[turn({ captured: false }), {}]] });
    expect(turnsOf(whole, 0, 1)).toMatchObject([{ recorded: false }]);
  });
});
