import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/core/session.ts';
import type { FunctionCall, FunctionReply } from '../../../src/sandbox/function-runner.ts';
import { ModuleFunction } from '../../../src/sandbox/module-function.ts';
import { ModuleFunctionRunner } from '../../../src/sandbox/module-function-runner.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { sessionOf } from '../metrics/views.ts';

interface Asked {
  readonly session?: Session;
  readonly turn?: number | null;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly judge?: FunctionCall['judge'];
}

const SESSION = sessionOf([{ output: 'Hello.' }, { output: 'Again.' }]);

/** The functions of a configuration, by their names, and a process that calls them. */
async function configuration(functions: Readonly<Record<string, string>>, before = '') {
  const names = Object.keys(functions);
  const entries = names.map((name) => `{ name: '${name}', evaluate: ${functions[name]} },`);
  const text = `${before}\nexport default { custom: [\n${entries.join('\n')}\n] };\n`;
  const folder = await temporaryFolder({ 'turnwise.config.ts': text });
  const file = join(folder.path, 'turnwise.config.ts');
  const processes = new ModuleFunctionRunner();
  const call = (name: string, asked: Asked = {}): Promise<FunctionReply> => {
    const { session = SESSION, turn = 0, timeoutMs = 20_000, signal = new AbortController().signal, judge } = asked;
    const fn = new ModuleFunction({
      file,
      path: ['custom', names.indexOf(name), 'evaluate'],
      ownerName: name,
      displayName: 'turnwise.config.ts',
      digest: '',
    });
    const context = { findings: [], results: {} };
    const args = turn === null ? [null, context] : [null, { session: null, index: turn, ...context }];
    const whole = { value: session, from: [] };
    const shared =
      turn === null
        ? [{ ...whole, to: [0] }]
        : [
            { value: session, from: ['turns', turn], to: [0] },
            { ...whole, to: [1, 'session'] },
          ];
    return processes.call({ name, fn, args, shared, timeoutMs, ...(judge && { judge }) }, signal);
  };
  return {
    call,
    [Symbol.asyncDispose]: async () => {
      processes[Symbol.dispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const returned = (reply: FunctionReply) => (reply.kind === 'returned' ? reply.value : reply);

describe('functions of a file', () => {
  it('are called in one process of their own, with what the caller has', async () => {
    await using functions = await configuration({
      pid: '() => process.pid',
      turn: '(turn, { session, index, findings, results }) => [turn.output, session.turns.length, index, findings, results]',
      session: '(session) => session.turns.length',
      typed: '(turn: { output: string }): number => turn.output.length as number',
      own: 'function () { return this.name; }',
    });
    const pid = returned(await functions.call('pid'));
    expect(pid).not.toBe(process.pid);
    expect(returned(await functions.call('turn', { turn: 1 }))).toEqual(['Again.', 2, 1, [], {}]);
    expect(returned(await functions.call('session', { turn: null }))).toBe(2);
    expect(returned(await functions.call('typed'))).toBe(6);
    expect(returned(await functions.call('own'))).toBe('own');
    expect(returned(await functions.call('pid'))).toBe(pid);
  });

  it('get each session once, as long as few are open', async () => {
    await using functions = await configuration(
      { times: '(turn, { session }) => { const n = seen.get(session) ?? 0; seen.set(session, n + 1); return n; }' },
      'const seen = new WeakMap();',
    );
    const times = async (session: Session) => returned(await functions.call('times', { session }));
    expect([await times(SESSION), await times(SESSION), await times(SESSION)]).toEqual([0, 1, 2]);
    const others = Array.from({ length: 8 }, () => sessionOf([{}]));
    for (const other of others) expect(await times(other)).toBe(0);
    // The oldest was forgotten, and is sent again.
    expect([await times(SESSION), await times(SESSION)]).toEqual([0, 1]);
  });

  it('return what they return, also what JSON does not know', async () => {
    await using functions = await configuration({
      nan: '() => NaN',
      nothing: '() => {}',
      code: '() => () => 1',
      later: 'async () => ({ score: 3 })',
    });
    expect(await functions.call('nan')).toEqual({ kind: 'returned', value: Number.NaN });
    expect(await functions.call('nothing')).toEqual({ kind: 'returned', value: undefined });
    expect(await functions.call('later')).toEqual({ kind: 'returned', value: { score: 3 } });
    expect(await functions.call('code')).toMatchObject({
      kind: 'threw',
      reason: expect.stringContaining('plain data'),
    });
  });

  it('that throw are told with their line, and leave the process as it is', async () => {
    await using functions = await configuration({
      pid: '() => process.pid',
      bad: '() => {\n  throw new Error("no luck");\n}',
      odd: '() => Promise.reject(17)',
    });
    const pid = await functions.call('pid');
    expect(await functions.call('bad')).toEqual({ kind: 'threw', reason: 'threw an error: no luck', line: 5 });
    expect(await functions.call('odd')).toEqual({ kind: 'threw', reason: 'threw an error: 17', line: undefined });
    expect(await functions.call('pid')).toEqual(pid);
  });

  it.each([
    ['never give control back', '() => { for (;;); }', 'did not answer within 2 seconds, and was stopped'],
    ['promise for ever', '() => new Promise(() => {})', 'did not answer within 2 seconds, and was stopped'],
    ['loop after waiting', 'async () => { await null; for (;;); }', 'did not answer within 2 seconds, and was stopped'],
    ['end their process', '() => process.exit(7)', 'ended its process (exit code 7)'],
    ['kill it', '() => process.kill(process.pid, "SIGKILL")', 'ended its process (SIGKILL)'],
  ])('that %s are lost, and the next call gets a new process', async (_, evaluate, reason) => {
    await using functions = await configuration({ bad: evaluate, pid: '() => process.pid' });
    const pid = returned(await functions.call('pid'));
    expect(await functions.call('bad', { timeoutMs: 2000 })).toEqual({ kind: 'lost', reason });
    const next = returned(await functions.call('pid'));
    expect(next).toEqual(expect.any(Number));
    expect(next).not.toBe(pid);
  });

  it.each([
    ['blocks', '() => { setImmediate(() => { for (;;); }); return 3; }'],
    ['throws', '() => { setImmediate(() => { throw new Error("late"); }); return 3; }'],
    ['rejects', '() => { Promise.reject(new Error("late")); return 3; }'],
    ['ends the process', '() => { setImmediate(() => process.exit(1)); return 3; }'],
  ])('bear no blame for what an earlier call left behind that %s', async (_, evaluate) => {
    await using functions = await configuration({ bad: evaluate, good: '() => 5' });
    expect(await functions.call('bad')).toEqual({ kind: 'returned', value: 3 });
    expect(await functions.call('good', { timeoutMs: 2000 })).toEqual({ kind: 'returned', value: 5 });
  });

  it('are called again where another one times out while they wait for the judge', async () => {
    await using functions = await configuration({
      asking: '(turn, { judge }) => judge("Is it friendly?", { type: "object" })',
      endless: '() => { for (;;); }',
    });
    const { promise: isAsked, resolve } = Promise.withResolvers<void>();
    const questions: string[] = [];
    const ask: NonNullable<FunctionCall['judge']>['ask'] = async ({ instructions }) => {
      questions.push(instructions);
      resolve();
      if (questions.length === 1) await new Promise(() => {});
      return { answered: true, value: 'yes' };
    };
    const asking = functions.call('asking', { judge: { at: [1, 'judge'], ask } });
    await isAsked;
    expect(await functions.call('endless', { timeoutMs: 200 })).toMatchObject({ kind: 'lost' });
    expect(returned(await asking)).toBe('yes');
    expect(questions).toHaveLength(2);
  });

  it('are not disturbed by what an earlier call left behind that throws in the meantime', async () => {
    await using functions = await configuration({
      bad: '() => { setTimeout(() => { throw new Error("late"); }, 20); return 3; }',
      good: '() => new Promise((resolve) => setTimeout(() => resolve(5), 200))',
    });
    await functions.call('bad');
    expect(await functions.call('good')).toEqual({ kind: 'returned', value: 5 });
  });

  it('cannot change what the next one sees', async () => {
    await using functions = await configuration({
      change: '(turn) => { turn.output = "changed"; return 3; }',
      look: '(turn) => turn.output',
    });
    expect(await functions.call('change')).toMatchObject({
      kind: 'threw',
      reason: expect.stringContaining('read only'),
    });
    expect(returned(await functions.call('look'))).toBe('Hello.');
  });

  it('of a file that cannot be loaded are not called, and each says why', async () => {
    await using thrown = await configuration({ a: '() => 3' }, 'throw new Error("no token");');
    const reason = 'could not be loaded: no token';
    expect(await thrown.call('a')).toEqual({ kind: 'threw', reason });
    expect(await thrown.call('a')).toEqual({ kind: 'threw', reason });
    await using ended = await configuration({ a: '() => 3' }, 'process.exit(9);');
    expect(await ended.call('a')).toEqual({ kind: 'lost', reason: 'could not be loaded: exit code 9' });
    expect(await ended.call('a')).toEqual({ kind: 'threw', reason: 'could not be loaded: exit code 9' });
  });

  it('of a file that has changed since are not mistaken for others', async () => {
    await using functions = await configuration({ a: '() => 3' });
    expect(await functions.call('b')).toEqual({ kind: 'threw', reason: 'no longer exists' });
  });

  it('are stopped when the run is', async () => {
    await using functions = await configuration({ endless: '() => { for (;;); }', pid: '() => process.pid' });
    const pid = returned(await functions.call('pid'));
    const stop = new AbortController();
    const reply = functions.call('endless', { signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    expect(await reply).toEqual({ kind: 'cancelled' });
    // The process is gone.
    await expect.poll(() => isAlive(Number(pid))).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
