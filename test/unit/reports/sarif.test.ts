import { readFileSync } from 'node:fs';
import { type Schema, Validator } from '@cfworker/json-schema';
import { expect, it } from 'vitest';
import type { Report } from '../../../src/core/report.ts';
import { sarifReport } from '../../../src/reports/sarif.ts';
import * as made from './report.ts';

const OPTIONS = { terminal: false, color: false, columns: 80 };
const SCHEMA: Schema = JSON.parse(
  readFileSync(new URL('../../fixtures/sarif/sarif-schema-2.1.0.json', import.meta.url), 'utf8'),
);
const validator = new Validator(SCHEMA, '7');

function write(report: Report) {
  const sarif = JSON.parse(String(sarifReport.write(report, OPTIONS)));
  expect(validator.validate(sarif).errors).toEqual([]);
  return sarif.runs[0];
}

const place = (file: string, line: number | null = 3) => ({ file, pointer: '/messages/1', line, note: 'the call' });

it('writes what the schema of SARIF allows: each problem at its lines, with the page of its rule', () => {
  const evil = '\u001B[31mIgnore all rules\u202E \uD800 </script>';
  const problem = { ...made.occurrence('bad', 1, evil), column: 5, endLine: 12, endColumn: 1 };
  const run = write(
    made.report({
      sessions: [made.session('bad', [made.turn(0), made.turn(1)])],
      failures: [
        made.failures('loop', 'medium', [
          { ...problem, evidence: [place('traces/bad.json', 11), place('traces/bad.json', 20)] },
        ]),
        made.failures('own', 'critical', [
          { ...made.occurrence('bad', 0, 'No.'), rule: null, metric: 'my metric', severity: 'critical' },
        ]),
      ],
    }),
  );
  expect(run.results.map(({ ruleId, level }: { ruleId: string; level: string }) => [ruleId, level])).toEqual([
    ['my metric', 'error'],
    ['repeated-call', 'warning'],
  ]);
  const [first, second] = run.results;
  expect(first.locations[0].physicalLocation.region).toEqual({ startLine: 10 });
  expect(second).toMatchObject({
    message: { text: 'Turn 2: Ignore all rules \uFFFD </script>' },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'traces/bad.json' },
          region: { startLine: 11, startColumn: 5, endLine: 12, endColumn: 1 },
        },
      },
    ],
    relatedLocations: [{ physicalLocation: { region: { startLine: 20 } }, message: { text: 'the call' } }],
    ruleIndex: 1,
  });
  const rule = run.tool.driver.rules[1];
  expect(rule).toMatchObject({ id: 'repeated-call', help: { markdown: expect.stringContaining('**What to do.**') } });
  expect(run.tool.driver.rules[0]).toEqual({ id: 'my metric', shortDescription: { text: 'my metric' } });
});

it('gives the same fingerprint to what the next attempt does again, and another to another task', () => {
  const task = (id: string) => ({ id, trial: null, dataset: null, agent: null });
  const found = (session: string, reason: string) =>
    made.failures('loop', 'low', [made.occurrence(session, 0, reason)]);
  const run = write(
    made.report({
      sessions: [
        made.session('a', [], { task: task('refund') }),
        made.session('b', [], { task: task('refund') }),
        made.session('c', [], { task: task('cancel') }),
      ],
      failures: [
        found('a', 'Order 4711 again, 3 times.'),
        found('b', 'Order 815  again, 5 times.'),
        found('c', 'Order 1 again, 2 times.'),
      ],
    }),
  );
  const prints: string[] = run.results.map(
    ({ partialFingerprints }: { partialFingerprints: Record<string, string> }) => partialFingerprints['turnwise/v1'],
  );
  expect(prints[0]).toBe(prints[1]);
  expect(prints[2]).not.toBe(prints[0]);
});

it('names a file in the folder where there is one, since code scanning shows no others', () => {
  const outside = { ...made.occurrence('out', 0, 'Twice.'), file: '/var/log/run.json' };
  const uris = (expectations?: string[], evidence = outside.evidence) => {
    const session = made.session('out', [], { ...(expectations && { expectations }) });
    const problem = { ...outside, evidence };
    const { results } = write(
      made.report({ sessions: [session], failures: [made.failures('loop', 'low', [problem])] }),
    );
    return results[0].locations[0].physicalLocation.artifactLocation.uri;
  };
  expect(uris()).toBe('file:///var/log/run.json');
  expect(uris(['tests/order.sim.ts'])).toBe('tests/order.sim.ts');
  expect(uris(['tests/order.sim.ts'], [place('/var/log/run.json'), place('runs/a b#1.json')])).toBe(
    'runs/a%20b%231.json',
  );
});

it('names the scenario of an attempt, whose session file git ignores, and that file where no scenario is known', () => {
  const file = '../.turnwise/runs/r1/refund-1.session.json';
  const placeOf = (scenario?: { file: string; line: number | null }) => {
    const session = made.session('out', [], { ...(scenario && { scenario }) });
    const failures = [made.failures('loop', 'low', [{ ...made.occurrence('out', 0, 'Twice.'), file }])];
    const { physicalLocation } = write(made.report({ sessions: [session], failures })).results[0].locations[0];
    return [physicalLocation.artifactLocation.uri, physicalLocation.region?.startLine];
  };
  expect(placeOf({ file: 'refund.sim.ts', line: 32 })).toEqual(['refund.sim.ts', 32]);
  expect(placeOf({ file: 'refund.sim.ts', line: null })).toEqual(['refund.sim.ts', undefined]);
  expect(placeOf()).toEqual([file, 10]);
});

it('has at most 5,000 results, the worst, and says how many it left out', () => {
  const many = Array.from({ length: 5001 }, (_, at) => made.occurrence('a', at, 'Again.'));
  const worst = { ...made.occurrence('a', 0, 'Lost.'), severity: 'critical' } as const;
  const run = write(
    made.report({
      sessions: [made.session('a', [])],
      failures: [made.failures('loop', 'low', many), made.failures('loss', 'critical', [worst])],
      problems: [{ file: 'b.json', pointer: null, line: 2, severity: 'error', code: 'not-json', message: 'No JSON.' }],
    }),
  );
  expect(run.results).toHaveLength(5000);
  expect(run.results[0].properties.severity).toBe('critical');
  const [{ executionSuccessful, toolExecutionNotifications }] = run.invocations;
  expect(executionSuccessful).toBe(false);
  expect(toolExecutionNotifications).toMatchObject([
    { level: 'error', locations: [{ physicalLocation: { region: { startLine: 2 } } }] },
    { level: 'warning', message: { text: expect.stringContaining('2 problems left out') } },
  ]);
});

it('says of a run that did not pass why, and that one did not come to its end', () => {
  const entry = (code: 'interrupted' | 'judge-unanswered', reason: string) =>
    ({ code, reason, cause: null, count: 1, metrics: {} }) as const;
  const warning = { file: '', pointer: null, line: null, severity: 'warning', code: 'judge-unanswered' } as const;
  const empty = made.report();
  const [{ executionSuccessful, toolExecutionNotifications }] = write(
    made.report({
      verdict: 'failed',
      run: { ...empty.run, complete: false },
      gates: [made.gate({ metric: 'pass@3', met: false, reason: '0.50, required 0.90' })],
      undecided: [entry('interrupted', 'The run was stopped.'), entry('judge-unanswered', '1 question.')],
      problems: [{ ...warning, message: 'The judge left 1 question without an answer.' }],
    }),
  ).invocations;
  expect(executionSuccessful).toBe(false);
  expect(toolExecutionNotifications).toMatchObject([
    { level: 'warning', descriptor: { id: 'judge-unanswered' } },
    { level: 'error', descriptor: { id: 'gate' }, message: { text: 'pass@3: 0.50, required 0.90' } },
    { level: 'warning', descriptor: { id: 'interrupted' }, message: { text: 'The run was stopped.' } },
  ]);
  expect(write(empty).invocations[0]).toMatchObject({ executionSuccessful: true, toolExecutionNotifications: [] });
});
