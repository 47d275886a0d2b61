import { expect, it } from 'vitest';
import { githubReport, githubSummary } from '../../../src/reports/github.ts';
import * as made from './report.ts';

const OPTIONS = { terminal: false, color: false, columns: 80 };

async function text(report: ReturnType<typeof made.report>): Promise<string> {
  let written = '';
  for await (const part of githubReport.write(report, OPTIONS) as AsyncIterable<string>) written += part;
  return written;
}

const failed = (id: string, headline: string) =>
  made.session(id, [made.turn(0)], { verdict: 'failed', headline: { kind: 'failed', text: headline, turn: 0 } });

/** What fails the run. */
const failing = (...ids: readonly string[]) => ({
  verdict: 'failed' as const,
  gates: ids.map((subject) => made.gate({ scope: 'session', subject, metric: 'severity', met: false })),
});

it('annotates what failed and what is undecided at its line, above the table', async () => {
  const open = { kind: 'undecided', text: 'No judge', turn: null } as const;
  const written = await text(
    made.report({
      ...failing('a'),
      sessions: [failed('a', 'Refund 100% lost'), made.session('b', [], { verdict: 'undecided', headline: open })],
      failures: [made.failures('loop', 'high', [made.occurrence('a', 0, 'Twice.')])],
    }),
  );
  const [first, second, ...table] = written.split('\n');
  expect(first).toBe(
    '::error file=traces/a.json,line=10,title=a::Refund 100%25 lost%0Atraces/a.json:10: turn 1, high, repeated-call: Twice.',
  );
  expect(second).toBe('::warning file=traces/b.json,title=b::No judge');
  expect(table.join('\n')).toContain('Gates');
});

it('annotates an attempt at the line of its scenario, since git ignores its session file', async () => {
  const attempt = { ...failed('a', 'Refund lost'), scenario: { file: 'a.sim.ts', line: 32 } };
  const failures = [made.failures('loop', 'high', [made.occurrence('a', 0, 'Twice.')])];
  const [first] = (await text(made.report({ ...failing('a'), sessions: [attempt], failures }))).split('\n');
  expect(first).toBe(
    '::error file=a.sim.ts,line=32,title=a::Refund lost%0Atraces/a.json:10: turn 1, high, repeated-call: Twice.',
  );
});

it('lets no text of a trace write a command, and writes at most 10 of each level', async () => {
  const evil = 'x\n::stop-commands::x\r\n::add-mask::1,title=y:z';
  const sessions = Array.from({ length: 30 }, (_, at) => failed(`s${at},line=9:${evil}`, evil));
  const lines = (await text(made.report({ ...failing(...sessions.map(({ id }) => id)), sessions })))
    .trimEnd()
    .split('\n');
  const stop = lines.indexOf('::stop-commands::turnwise-r1');
  const commands = lines.slice(0, stop);
  expect(lines.indexOf('::turnwise-r1::')).toBe(lines.length - 1);
  expect(commands).toHaveLength(10);
  for (const command of commands) expect(command).toMatch(/^::error file=[^,]*,title=[^,:]*::x ?::stop-commands/);
});

it('annotates first what concerns the whole run', async () => {
  const open = { verdict: 'undecided', headline: { kind: 'undecided', text: 'No judge', turn: null } } as const;
  const written = await text(
    made.report({
      verdict: 'undecided',
      sessions: Array.from({ length: 30 }, (_, at) => made.session(`s${at}`, [], open)),
      undecided: [{ code: 'interrupted', reason: 'The run was stopped.', cause: null, count: 9, metrics: {} }],
    }),
  );
  expect(written.split('\n')[0]).toBe('::warning title=interrupted::The run was stopped.');
});

it('has a summary that GitHub takes, however many sessions there are', () => {
  const long = 'A reason without an end. '.repeat(40);
  const sessions = Array.from({ length: 2000 }, (_, at) => failed(`s${at}`, long));
  const summary = [...githubSummary(made.report({ sessions }))].join('');
  expect(Buffer.byteLength(summary)).toBeGreaterThan(800_000);
  expect(Buffer.byteLength(summary)).toBeLessThan(900_000);
  expect(summary).toContain('more sessions left out');
});
