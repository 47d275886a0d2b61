import { describe, expect, it } from 'vitest';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CALLS = [
  { type: 'tool', name: 'get_order', arguments: { id: 'A-1001' }, result: { total: 42.5 } },
  { type: 'tool', name: 'refund_order', arguments: { id: 'A-1001', amount: 425 }, result: { ok: true } },
];

/** A session of one turn with two calls, and what is expected of it. */
function sessionFile({ turn, session, ...more }: Record<string, unknown>): string {
  return JSON.stringify(
    {
      turnwise: 1,
      sessions: [
        {
          id: 'refund',
          ...more,
          ...(session ? { reference: session } : {}),
          turns: [
            {
              input: 'Please refund order A-1001, all 42.50 of it.',
              output: 'The refund for order A-1001 was issued.',
              steps: CALLS,
              ...(turn ? { reference: { expectations: turn } } : {}),
            },
          ],
        },
      ],
    },
    null,
    2,
  );
}

async function evaluate(files: Readonly<Record<string, string>>, ...args: string[]) {
  await using folder = await temporaryFolder(files);
  return await turnwise(['eval', 'a.session.json', ...args], { cwd: folder.path });
}

async function report(file: string) {
  const { stdout, code } = await evaluate({ 'a.session.json': file }, '--format', 'json');
  const json = JSON.parse(stdout);
  return { code, json, session: json.sessions[0] };
}

const get = { name: 'get_order' };
const refund = (args?: object) => ({ name: 'refund_order', ...(args ? { args } : {}) });

describe('expectations of a turn', () => {
  it.each<[string, object, string | null]>([
    ['strict, as expected', { expected: [get, refund({ amount: 425 })] }, null],
    ['strict, a call too many', { expected: [get] }, 'call refund_order was not expected (turn 1)'],
    ['strict, out of order', { expected: [refund(), get] }, 'call refund_order is out of order (turn 1)'],
    ['unordered', { matchMode: 'unordered', expected: [refund(), get] }, null],
    ['contains', { matchMode: 'contains', expected: [refund()] }, null],
    [
      'contains, a call missing',
      { matchMode: 'contains', expected: [get, { name: 'send_mail' }] },
      'expected call send_mail was not made (turn 1)',
    ],
    [
      'unordered-contains, other arguments',
      { matchMode: 'unordered-contains', expected: [refund({ amount: 42.5 })] },
      'call refund_order has other arguments than expected (turn 1)',
    ],
    ['within', { matchMode: 'within', expected: [get, get, refund(), { name: 'send_mail' }] }, null],
    ['within, too often', { matchMode: 'within', expected: [get] }, 'call refund_order was not expected (turn 1)'],
    [
      'a forbidden call',
      { matchMode: 'contains', expected: [], forbidden: ['refund_*'] },
      'forbidden call refund_order was made (turn 1)',
    ],
  ])('%s', async (_, toolCalls, failure) => {
    const { code, session } = await report(sessionFile({ turn: { toolCalls } }));
    expect(code).toBe(failure === null ? 0 : 1);
    expect(session.outcome).toMatchObject({ source: 'expected', status: failure === null ? 'succeeded' : 'failed' });
    expect(session.verdict).toBe(failure === null ? 'passed' : 'failed');
    if (failure !== null) expect(session.headline.text).toBe(`Failed: ${failure}`);
    expect(session.turns[0].metrics.turn_expectations).toMatchObject({
      status: 'scored',
      score: failure === null ? 1 : 0,
      source: 'reference',
      passed: failure === null,
    });
  });

  it('says which argument differs, at the line of the call', async () => {
    const { json, session } = await report(
      sessionFile({ turn: { toolCalls: { expected: [get, refund({ id: 'A-1001', amount: 42.5 })] } } }),
    );
    const reason = 'Call 2, `refund_order`, has other arguments than expected: expected `amount` 42.5, actual 425.';
    expect(json.failures[0]).toMatchObject({
      label: 'expectation not met',
      severity: 'high',
      title: 'Call refund_order has other arguments than expected',
      occurrences: [{ metric: 'turn_expectations', turn: 0, reason, pointer: '/sessions/0/turns/0/steps/1', line: 21 }],
    });
    expect(session.turns[0].metrics.turn_expectations).toMatchObject({
      reason,
      metadata: {
        expectations: 2,
        unmetCount: 1,
        unmet: [
          {
            kind: 'arguments',
            turn: 0,
            expectedCall: 1,
            expected: 'refund_order {"id":"A-1001","amount":42.5}',
            actual: 'refund_order {"id":"A-1001","amount":425}',
          },
        ],
      },
    });
  });

  it('shows in the table what was expected, with the line, once', async () => {
    const { stdout, code } = await evaluate({
      'a.session.json': sessionFile({
        turn: {
          answer: { contains: ['CASE-7'], excludes: ['issued'] },
          toolCalls: { matchMode: 'contains', expected: [] },
        },
      }),
    });
    expect(code).toBe(1);
    expect(stdout).toContain('Failed: answer lacks an expected text (turn 1) and 1 more');
    expect(stdout.match(/The answer does not contain "CASE-7"/g)).toHaveLength(1);
    expect(stdout).toContain('The answer contains "issued", which it must not');
    expect(stdout).toMatch(/expectations in refund: answer lacks an expected text/);
  });

  it.each<[string, object, number]>([
    ['the whole answer, but for spaces', { answer: { equals: ' The refund for order A-1001 was issued.\n' } }, 0],
    ['another answer', { answer: { equals: 'Done.' } }, 1],
    ['a part in any case', { answer: { contains: ['REFUND'] } }, 0],
    ['a text that must not be there', { answer: { excludes: ['Issued'] } }, 1],
    ['rules that find nothing', { noFindings: ['repeated-*', 'unknown-tool'] }, 0],
    ['a pattern that matches observations only', { noFindings: ['state-*'] }, 0],
    ['any problem', { noFindings: ['*'] }, 1],
    ['an observation that must not be', { noFindings: ['state-change'] }, 1],
  ])('%s', async (_, turn, exit) => {
    expect((await report(sessionFile({ turn }))).code).toBe(exit);
  });

  it('fails on a finding that must not be, and names the rule and the turn', async () => {
    const tools = [{ name: 'get_order' }];
    const { code, session } = await report(sessionFile({ tools, turn: { noFindings: ['unknown-tool'] } }));
    expect(code).toBe(1);
    expect(session.turns[0].metrics.turn_expectations.reason).toMatch(
      /^Expected no finding of `unknown-tool`, but there is one in turn 1: `refund_order`/,
    );
  });

  it('is undecided about a rule that does not exist or is turned off', async () => {
    const { code, session } = await report(sessionFile({ turn: { noFindings: ['unknwon-tool'] } }));
    expect(code).toBe(3);
    expect(session.headline.text).toBe('Undecided: expectations not checked');
    expect(session.undecided).toEqual([
      'expectations: noFindings names `unknwon-tool`, but no such rule checks the session. Did you mean `unknown-tool`?',
    ]);
  });

  it('refuses expectations that it cannot read, instead of passing without them', async () => {
    const turn = { toolCalls: { matchMode: 'strickt', expected: [get] } };
    const { code, stderr } = await evaluate({ 'a.session.json': sessionFile({ turn }) });
    expect(code).toBe(2);
    expect(stderr).toContain('a.session.json:34');
    expect(stderr).toContain('These expectations are not checked');
  });

  it('reads them from a sidecar, for a trace of any format', async () => {
    const expectations = { toolCalls: { matchMode: 'contains', expected: [{ name: 'send_mail' }] } };
    const { code, stdout } = await evaluate({
      'a.session.json': sessionFile({}),
      'a.session.turnwise.json': JSON.stringify({ turns: [{ index: 0, reference: { expectations } }] }),
    });
    expect(code).toBe(1);
    expect(stdout).toContain('Failed: expected call send_mail was not made (turn 1)');
  });

  it('is shown and fails nothing if outcomes are ignored and no severity fails', async () => {
    const files = { 'a.session.json': sessionFile({ turn: { toolCalls: { expected: [get] } } }) };
    const { code, stdout } = await evaluate(files, '--ignore-outcome', '--fail-on', 'never');
    expect(code).toBe(0);
    expect(stdout).toContain('Failed: call refund_order was not expected (turn 1)');
  });

  it('fails though its problems are minor by the configuration', async () => {
    const files = {
      'a.session.json': sessionFile({ turn: { toolCalls: { expected: [get] } } }),
      'turnwise.config.yaml': 'severities: { expectation not met: low }\n',
    };
    const { code, stdout } = await evaluate(files);
    expect(code).toBe(1);
    expect(stdout).toContain('Failed: call refund_order was not expected (turn 1)');
    expect(stdout).toContain('turn 1 · low · expectation not met');
  });
});

describe('expectations of a session', () => {
  it('compares the calls of all turns', async () => {
    const toolCalls = { matchMode: 'contains', expected: [get, { name: 'send_mail' }] };
    const { code, session } = await report(sessionFile({ session: { expectations: { toolCalls } } }));
    expect(code).toBe(1);
    expect(session.headline.text).toBe('Failed: expected call send_mail was not made');
    expect(session.metrics.session_expectations).toMatchObject({ score: 0, passed: false });
    expect(session.metrics.turn_expectations).toMatchObject({ status: 'not_applicable' });
  });

  it('compares the recorded final state by path', async () => {
    const finalState = { orders: { 'A-1001': { status: 'open', total: 42.5 } } };
    const expected = (status: string) => ({ finalState: { orders: { 'A-1001': { status } } } });
    expect((await report(sessionFile({ finalState, session: expected('open') }))).code).toBe(0);
    const { code, json } = await report(sessionFile({ finalState, session: expected('refunded') }));
    expect(code).toBe(1);
    expect(json.failures[0].occurrences[0]).toMatchObject({
      reason: 'Final state: expected `orders.A-1001.status` "refunded", actual "open".',
      pointer: '/sessions/0/finalState/orders/A-1001/status',
      line: 9,
    });
  });

  it('warns of an expected final state where none was recorded', async () => {
    const { code, stderr } = await evaluate({ 'a.session.json': sessionFile({ session: { finalState: { a: 1 } } }) });
    expect(code).toBe(0);
    expect(stderr).toContain('finalState is not checked');
  });
});

describe('a run that ended in an error', () => {
  const ending = { cause: 'error', reason: 'connect ECONNREFUSED 127.0.0.1:3000' };

  it('is undecided, and its expectations are not failures', async () => {
    const toolCalls = { expected: [get, refund(), { name: 'send_mail' }] };
    const { code, session } = await report(sessionFile({ ending, turn: { toolCalls } }));
    expect(code).toBe(3);
    expect(session).toMatchObject({ verdict: 'undecided', outcome: { status: 'unknown' } });
    expect(session.headline.text).toBe('Undecided: the run ended in an error');
    expect(session.turns[0].metrics.turn_expectations).toMatchObject({ status: 'error', score: null });
  });

  it('never passes, though nothing is expected of it', async () => {
    const { code, session } = await report(sessionFile({ ending }));
    expect(code).toBe(3);
    expect(session.undecided).toEqual([`ending: the run ended in an error: ${ending.reason}.`]);
  });

  it('fails for a forbidden call, which nothing that follows can undo', async () => {
    const toolCalls = { matchMode: 'contains', expected: [{ name: 'send_mail' }], forbidden: ['refund_order'] };
    const { code, session } = await report(sessionFile({ ending, turn: { toolCalls } }));
    expect(code).toBe(1);
    expect(session.headline.text).toBe('Failed: forbidden call refund_order was made (turn 1)');
  });

  it('passes if outcomes are ignored', async () => {
    expect((await evaluate({ 'a.session.json': sessionFile({ ending }) }, '--ignore-outcome')).code).toBe(0);
  });

  it('passes by the outcome that the trace records', async () => {
    expect((await report(sessionFile({ ending, outcome: 'succeeded' }))).code).toBe(0);
  });
});

it('tells a coding agent what was expected and what there is, of an expectation and of a threshold', async () => {
  const session = {
    expectations: {
      toolCalls: {
        matchMode: 'contains',
        expected: [{ name: 'refund_order', args: { amount: 42.5 }, argMatchMode: 'partial' }],
      },
    },
  };
  const scores = { goal_completion: 0.4 };
  await using folder = await temporaryFolder({ 'a.session.json': sessionFile({ session, scores }) });
  const args = ['eval', 'a.session.json', '--threshold', 'goal_completion=0.8', '--format', 'agent'];
  const { stdout } = await turnwise(args, { cwd: folder.path, env: { TURNWISE_HOME: folder.path } });
  expect(stdout).toContain('expected `amount` 42.5, actual 425.');
  expect(stdout).toMatch(/gate failed: «goal_completion»: «0\.40, required: at least 0\.80»/);
});
