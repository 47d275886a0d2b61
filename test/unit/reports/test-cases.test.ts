import { describe, expect, it } from 'vitest';
import type { Gate, Report, SessionReport, Undecided } from '../../../src/core/report.ts';
import { verdictOf } from '../../../src/core/verdict.ts';
import { ctrfReport } from '../../../src/reports/ctrf.ts';
import { githubReport } from '../../../src/reports/github.ts';
import { junitReport } from '../../../src/reports/junit.ts';
import { countCases, RUN_SUITE, type TestCase, testSuites } from '../../../src/reports/test-cases.ts';
import * as made from './report.ts';

const OPTIONS = { terminal: false, color: false, columns: 80 };

/** As a run gives it: the verdict follows from the gates and from what leaves it undecided. */
function gated(parts: Partial<Report>): Report {
  const { gates = [], undecided = [] } = parts;
  const verdict = verdictOf([...gates.map(({ met }) => met), ...undecided.map(() => null)]);
  return made.report({ verdict, ...parts });
}

function casesOf(report: Report): TestCase[] {
  return testSuites(report).flatMap(({ cases }) => cases);
}

function entry(code: Undecided['code'], reason: string): Undecided {
  return { code, reason, cause: null, count: 1, metrics: {} };
}

function sessionGate(subject: string, met: Gate['met']): Gate {
  return made.gate({ scope: 'session', subject, metric: 'severity', met });
}

const GOOD = made.session('good', [made.turn(0)]);
const BAD = made.session('bad', [made.turn(0)], {
  verdict: 'failed',
  headline: { kind: 'failed', text: 'Failed: loop (turn 1)', turn: 0 },
  task: { id: 'refund', trial: null, dataset: null, agent: null },
});
const OPEN = made.session('open', [made.turn(0)], {
  verdict: 'undecided',
  headline: { kind: 'undecided', text: 'Undecided: faithfulness has no score', turn: null },
});
/** A score below a threshold that is no gate. */
const SHORT = made.session('short', [], {
  headline: { kind: 'failed', text: 'Failed: faithfulness 0.40 / 1, required 0.80 (turn 1)', turn: 0 },
});
const NOT_RUN = made.session('case', [], {
  headline: { kind: 'not-run', text: 'Test case without a run', turn: null },
});
const STOPPED = entry('interrupted', 'The run was stopped: 90 of 107 sessions were not evaluated.');
const UNREAD = made.unread();
const BASELINE = made.gate({ metric: 'baseline correct', met: false, reason: '9 of 10 in the baseline, 2 of 10 now.' });
const ALERT = made.gate({ metric: 'correct', met: false, alert: true, reason: 'correct fell since 3 runs.' });

const SHAPES: readonly (readonly [shape: string, report: Report])[] = [
  ['no sessions', gated({ undecided: [entry('no-session', 'No session was evaluated.')] })],
  ['nothing recorded', gated({ sessions: [NOT_RUN], undecided: [entry('nothing-recorded', 'Nothing of these.')] })],
  ['an interrupted run', gated({ sessions: [GOOD], undecided: [STOPPED] })],
  [
    'an interrupted run that failed',
    gated({ sessions: [BAD], gates: [sessionGate('bad', false)], undecided: [STOPPED] }),
  ],
  ['an interrupted run whose failed session decides nothing', gated({ sessions: [BAD], undecided: [STOPPED] })],
  ['an answer that is missing', gated({ sessions: [GOOD], undecided: [entry('judge-unanswered', '1 question.')] })],
  ['an undecided gate of a session', gated({ sessions: [GOOD, OPEN], gates: [sessionGate('open', null)] })],
  ['an undecided gate of a test case', gated({ sessions: [NOT_RUN], gates: [sessionGate('case', null)] })],
  [
    'an undecided gate of a session that misses another threshold',
    gated({ sessions: [SHORT], gates: [sessionGate('short', null)] }),
  ],
  ['an undecided gate of a task', gated({ gates: [made.gate({ scope: 'scenario', subject: 'refund', met: null })] })],
  ['an undecided gate of the run', gated({ sessions: [GOOD], gates: [made.gate({ met: null })] })],
  ['a failed gate of a session', gated({ sessions: [BAD], gates: [sessionGate('bad', false)] })],
  [
    'a failed gate of a session with a better headline',
    gated({ sessions: [GOOD], gates: [sessionGate('good', false)] }),
  ],
  [
    'a failed gate of a task',
    gated({ sessions: [BAD], gates: [made.gate({ scope: 'scenario', subject: 'refund', met: false })] }),
  ],
  ['a failed gate of the run', gated({ sessions: [GOOD], gates: [made.gate({ met: false })] })],
  ['a run worse than its baseline', gated({ sessions: [BAD], gates: [BASELINE] })],
  ['an alert that gates', gated({ sessions: [GOOD], gates: [ALERT] })],
  ['everything met', gated({ sessions: [GOOD], gates: [sessionGate('good', true), made.gate()] })],
  ['a failed session that the baseline accepts', gated({ sessions: [GOOD, BAD], gates: [sessionGate('good', true)] })],
  ['an undecided session that no gate needs', gated({ sessions: [GOOD, OPEN], gates: [made.gate()] })],
  ['a threshold that is no gate', gated({ sessions: [SHORT], gates: [sessionGate('short', true)] })],
  ['nothing new', gated({ run: { ...made.report().run, sinceRun: { id: 'x-1', leftOut: 3 } } })],
  ['a test case without a run beside others', gated({ sessions: [GOOD, NOT_RUN] })],
];

describe('the cases of a run', () => {
  it.each(SHAPES)('agree with its verdict: %s', (_, report) => {
    const cases = casesOf(report);
    expect(countCases(cases, 'failure') > 0).toBe(report.verdict === 'failed');
    if (report.verdict === 'undecided') expect(countCases(cases, 'error')).toBeGreaterThan(0);
    if (report.verdict === 'passed') expect(countCases(cases, 'error')).toBe(0);
  });

  it.each(SHAPES)('are an error where something could not be read: %s', (_, report) => {
    const cases = casesOf({ ...report, problems: [UNREAD, { ...UNREAD, severity: 'warning', code: 'other' }] });
    expect(cases.filter(({ type }) => type === 'json')).toMatchObject([{ kind: 'error', message: 'Broken.' }]);
    expect(cases.some(({ type }) => type === 'other')).toBe(false);
  });

  it('agree with its verdict for any gates, sessions and causes', () => {
    const mets = [true, false, null] as const;
    const sessions: readonly (readonly SessionReport[])[] = [[], [GOOD], [BAD], [OPEN, SHORT], [NOT_RUN, BAD, GOOD]];
    const scopes = [
      { scope: 'run', subject: null },
      { scope: 'scenario', subject: 'refund' },
    ] as const;
    for (const own of sessions) {
      for (const scope of [...scopes, ...own.map(({ id }) => ({ scope: 'session', subject: id }) as const)]) {
        for (const met of mets) {
          for (const undecided of [[], [STOPPED]]) {
            const report = gated({ sessions: own, gates: [made.gate({ ...scope, met })], undecided });
            const cases = casesOf(report);
            const seen = [countCases(cases, 'failure') > 0, countCases(cases, 'error') > 0];
            if (report.verdict === 'failed') expect(seen[0]).toBe(true);
            else if (report.verdict === 'undecided') expect(seen).toEqual([false, true]);
            else expect(seen).toEqual([false, false]);
          }
        }
      }
    }
  });

  it('name what leaves the run undecided in the words of the table, in all three reports', async () => {
    const report = gated({ sessions: [GOOD], undecided: [STOPPED] });
    expect(testSuites(report).at(-1)).toEqual({
      name: RUN_SUITE,
      cases: [
        {
          name: 'interrupted',
          kind: 'error',
          type: 'interrupted',
          message: STOPPED.reason,
          details: [],
          file: null,
          line: null,
        },
      ],
      tasks: [],
    });
    const junit = [...(junitReport.write(report, OPTIONS) as Iterable<string>)].join('');
    expect(junit).toContain(`<error type="interrupted" message="${STOPPED.reason}">`);
    expect(JSON.parse(String(ctrfReport.write(report, OPTIONS))).results.summary).toMatchObject({
      passed: 1,
      other: 1,
    });
    let github = '';
    for await (const part of githubReport.write(report, OPTIONS) as AsyncIterable<string>) github += part;
    expect(github.split('\n')[0]).toBe(`::warning title=interrupted::${STOPPED.reason}`);
  });

  it('neither pass nor fail where a session failed without an effect on the run', () => {
    const [, bad] = casesOf(gated({ sessions: [GOOD, BAD], gates: [sessionGate('good', true)] }));
    expect(bad).toMatchObject({
      kind: 'skipped',
      message: 'Failed: loop (turn 1)',
      details: ['This has no effect on the verdict of the run.'],
    });
  });
});
