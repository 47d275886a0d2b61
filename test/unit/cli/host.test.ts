import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { streamOutput, supportsColor, withoutWorkflowCommands } from '../../../src/cli/host.ts';
import { listenForInterrupt } from '../../../src/cli/interrupt.ts';
import { printProblems } from '../../../src/cli/print-problems.ts';
import { createProblem } from '../../../src/core/problem.ts';
import { fakeHost } from '../../support/fake-host.ts';

describe('wantsColor', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
    [true, { TERM: 'dumb' }, false],
  ])('terminal %s with %j: %s', (terminal, env, expected) => {
    expect(supportsColor(fakeHost({ terminal }).stdout, env)).toBe(expected);
  });
});

describe('an output', () => {
  it.each([
    ['true', 'warning: a::b\n: :error::x\r\n\t: :debug::y\nx ## [add-mask]z\n'],
    [undefined, 'warning: a::b\n::error::x\r\n\t::debug::y\nx ##[add-mask]z\n'],
  ])('has no commands where GITHUB_ACTIONS is %s', async (GITHUB_ACTIONS, expected) => {
    const stream = new PassThrough({ encoding: 'utf8' });
    const output = withoutWorkflowCommands(streamOutput(stream, {}), { GITHUB_ACTIONS });
    await output.write('warning: a::b\n::error::x\r\n\t::debug::y\nx ##[add-mask]z\n');
    expect(stream.read()).toBe(expected);
  });

  it('waits for its reader', async () => {
    const stream = new PassThrough({ highWaterMark: 4 });
    const output = streamOutput(stream, {});
    let written = false;
    const writing = output.write('longer than four').then(() => {
      written = true;
    });
    await Promise.resolve();
    expect(written).toBe(false);
    stream.resume();
    await writing;
    expect(written).toBe(true);
  });

  it('listens once, however many writes wait for a slow reader', async () => {
    const stream = new PassThrough({ highWaterMark: 4 });
    const output = streamOutput(stream, {});
    const listeners = () => stream.listenerCount('drain') + stream.listenerCount('close');
    const before = listeners();
    const writes = Array.from({ length: 20 }, () => output.write('longer than four'));
    expect(listeners()).toBe(before + 1);
    stream.resume();
    await Promise.all(writes);
    expect(listeners()).toBe(before);
  });

  it('says why it could not be written, unless its reader has gone', async () => {
    for (const [code, failure] of [
      ['ENOSPC', 'no space'],
      ['EPIPE', undefined],
    ] as const) {
      const stream = new Writable({
        write: (_chunk, _encoding, done) => done(Object.assign(new Error('no space'), { code })),
      });
      const output = streamOutput(stream, {});
      await output.write('text');
      expect((await output.flush())?.message).toBe(failure);
      expect(output.closed.aborted).toBe(true);
      await output.write('more');
    }
  });

  it('writes nothing after its reader has gone', async () => {
    const stream = new PassThrough();
    const output = streamOutput(stream, {});
    stream.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await new Promise((resolve) => stream.once('close', resolve));
    await expect(output.write('more')).resolves.toBeUndefined();
  });

  it.each([
    [{ columns: 100 }, {}, 100],
    [{}, { COLUMNS: '90' }, 90],
    [{}, { COLUMNS: 'wide' }, 80],
    [{}, {}, 80],
  ])('knows its columns: %j %j', (stream, env, columns) => {
    expect(streamOutput(Object.assign(new PassThrough(), stream), env).columns).toBe(columns);
  });
});

describe('Ctrl-C', () => {
  it('aborts at first, and ends the process the second time', () => {
    const host = fakeHost();
    const interrupt = listenForInterrupt(host);
    host.interrupt();
    expect(interrupt.signal.aborted).toBe(true);
    expect(host.exits).toEqual([]);
    host.interrupt();
    expect(host.exits).toEqual([130]);
    expect(host.written.stderr).toContain('Press Ctrl-C again to quit now.');
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('is not what a second %s is, which ends nothing', (signal) => {
    const host = fakeHost();
    const interrupt = listenForInterrupt(host);
    host.interrupt(signal);
    host.interrupt(signal);
    expect(interrupt.signal.aborted).toBe(true);
    expect(host.exits).toEqual([]);
    expect(host.written.stderr).toBe('\nturnwise: stopping and writing finished results.\n');
    host.interrupt('SIGINT');
    expect(host.exits).toEqual([130]);
  });

  it('is not listened to afterwards', () => {
    const host = fakeHost();
    const interrupt = listenForInterrupt(host);
    interrupt[Symbol.dispose]();
    host.interrupt();
    expect(interrupt.signal.aborted).toBe(false);
  });
});

describe('complain', () => {
  const warnings = Array.from({ length: 7 }, (_, index) =>
    createProblem('warning', 'w', 'a.json', `Field ${index} is left out.`, { line: index + 1 }),
  );
  const error = createProblem('error', 'e', '-', 'It ends\u001b[2J early.', { line: 3 });

  it('says errors first, with their places, and counts what it leaves out', async () => {
    const host = fakeHost();
    await printProblems(host, [...warnings, { ...error, column: 9 }]);
    const lines = host.written.stderr.trimEnd().split('\n');
    expect(lines[0]).toBe('standard input:3:9: It ends early.');
    expect(lines[1]).toBe('a.json:1: warning: Field 0 is left out.');
    expect(lines.slice(6)).toEqual(['and 2 more warnings; --verbose shows all']);
  });

  it('says errors only when it is quiet, and everything when it is verbose', async () => {
    const quiet = fakeHost();
    await printProblems(quiet, [...warnings, error], { quiet: true });
    expect(quiet.written.stderr).toBe('standard input:3: It ends early.\n');
    const verbose = fakeHost();
    await printProblems(verbose, warnings, { verbose: true });
    expect(verbose.written.stderr.trimEnd().split('\n')).toHaveLength(7);
  });

  it('finds columns by pointers', async () => {
    const host = fakeHost();
    const place = { offset: 0, length: 1, line: 2, column: 5, endLine: 2, endColumn: 6, lineEnd: 6 };
    await printProblems(host, [createProblem('error', 'e', 'a.json', 'Wrong.', { pointer: '/a', line: 2 })], {
      locator: { locate: () => new Map([['/a', place]]) },
    });
    expect(host.written.stderr).toBe('a.json:2:5: Wrong.\n');
  });
});
