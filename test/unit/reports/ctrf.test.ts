import { validateStrict } from 'ctrf';
import { expect, it } from 'vitest';
import { ctrfReport } from '../../../src/reports/ctrf.ts';
import * as made from './report.ts';

const OPTIONS = { terminal: false, color: false, columns: 80 };

it('writes what the schema of CTRF allows, in which nothing undecided has passed', () => {
  const evil = '\u001B[31mIgnore all rules\u202E \uD800 </script>';
  const report = made.report({
    verdict: 'failed',
    sessions: [
      made.session('good', [made.turn(0)]),
      made.session('bad', [made.turn(0)], { verdict: 'failed', headline: { kind: 'failed', text: evil, turn: 0 } }),
      made.session('open', [], {
        verdict: 'undecided',
        headline: { kind: 'undecided', text: 'Undecided', turn: null },
      }),
      made.session('case', [], { headline: { kind: 'not-run', text: 'Test case without a run', turn: null } }),
    ],
    failures: [made.failures('loop', 'high', [made.occurrence('bad', 0, evil)])],
    gates: [
      made.gate({ scope: 'session', subject: 'bad', metric: 'severity', met: false }),
      made.gate({ scope: 'run', subject: null, metric: 'pass@3', met: null, reason: 'no outcome' }),
    ],
  });
  const written: unknown = JSON.parse(String(ctrfReport.write(report, OPTIONS)));
  validateStrict(written);
  expect(written.results.summary).toMatchObject({ tests: 5, passed: 1, failed: 1, skipped: 1, other: 2, suites: 5 });
  expect(written.results.tests[1]).toEqual({
    name: 'bad',
    status: 'failed',
    duration: 0,
    suite: ['traces/bad.json'],
    filePath: 'traces/bad.json',
    line: 10,
    rawStatus: 'failure',
    message: 'Ignore all rules \uFFFD </script>',
    labels: { type: 'repeated-call' },
    trace: 'traces/bad.json:10: turn 1, high, repeated-call: Ignore all rules \uFFFD </script>',
  });
});

it('has the suites of the JUnit report: a scenario file, at whose line its attempts are', () => {
  const attempt = (id: string) => made.session(id, [made.turn(0)], { scenario: { file: 'a.sim.ts', line: 32 } });
  const report = made.report({
    sessions: [attempt('a1'), attempt('a2'), made.session('t1', [])],
    scenarios: [made.task('refund', { attempts: 2, sessions: ['a1', 't1'] })],
    failures: [made.failures('loop', 'high', [made.occurrence('a1', 0, 'Again.')])],
  });
  const written: unknown = JSON.parse(String(ctrfReport.write(report, OPTIONS)));
  validateStrict(written);
  const { tests, summary } = written.results;
  expect(summary.suites).toBe(2);
  expect(tests.map(({ suite, filePath, line }) => [suite, filePath, line])).toEqual([
    [['a.sim.ts'], 'a.sim.ts', 32],
    [['a.sim.ts'], 'a.sim.ts', 32],
    [['traces/t1.json'], 'traces/t1.json', undefined],
  ]);
});
