import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import type { Report } from '../../../src/core/report.ts';
import { junitReport } from '../../../src/reports/junit.ts';
import * as made from './report.ts';

const SCHEMA = join(import.meta.dirname, '..', '..', 'fixtures', 'junit', 'jenkins.xsd');
const OPTIONS = { terminal: false, color: false, columns: 80 };

/** What fails the run that has it. */
const BAD_GATE = made.gate({ scope: 'session', subject: 'bad', metric: 'severity', met: false });
const FAILS = { verdict: 'failed', gates: [BAD_GATE] } as const;

/** The report, which Jenkins would accept. */
async function written(report: Partial<Report>): Promise<string> {
  const xml = [...(junitReport.write(made.report(report), OPTIONS) as Iterable<string>)].join('');
  const { valid, errors } = await validateXML({ xml, schema: await readFile(SCHEMA, 'utf8') });
  expect(errors).toEqual([]);
  expect(valid).toBe(true);
  return xml;
}

const PASSED = made.session('good', [made.turn(0)]);
const FAILED = made.session('bad', [made.turn(0)], {
  verdict: 'failed',
  headline: { kind: 'failed', text: 'Failed: repeated tool call (turn 1)', turn: 0 },
});
const UNDECIDED = made.session('open', [made.turn(0)], {
  verdict: 'undecided',
  headline: { kind: 'undecided', text: 'Undecided: the judge gave no valid answer, 1 check not run', turn: null },
  undecided: ['The judge did not answer.'],
});
const NOT_RUN = made.session('case', [], {
  headline: { kind: 'not-run', text: 'Test case without a run', turn: null },
});

describe('a JUnit report', () => {
  it('has a case per session: failures, errors where nothing was decided, and skipped ones', async () => {
    const xml = await written({ ...FAILS, sessions: [PASSED, FAILED, UNDECIDED, NOT_RUN] });
    expect(xml).toMatch(/<testsuites name="turnwise" time="[\d.]+" tests="4" failures="1" errors="1">/);
    expect(xml).toContain('<testcase name="good" classname="traces/good.json"/>');
    expect(xml).toContain('<failure type="failed" message="Failed: repeated tool call (turn 1)">');
    expect(xml).toContain(
      '<error type="undecided" message="Undecided: the judge gave no valid answer, 1 check not run">The judge did',
    );
    expect(xml).toContain('<skipped type="not-run" message="Test case without a run">');
  });

  it('names the line of each problem, the worst first', async () => {
    const [low, high] = [made.occurrence('bad', 0, 'Again.'), made.occurrence('bad', 1, 'And again.')];
    const failures = [made.failures('repeated tool call', 'low', [low]), made.failures('loop', 'high', [high])];
    const xml = await written({ ...FAILS, sessions: [FAILED], failures });
    expect(xml).toContain(
      'traces/bad.json:11: turn 2, high, repeated-call: And again.\ntraces/bad.json:10: turn 1, low, repeated-call: Again.<',
    );
  });

  it('has the gates of the run and files that were not read, which fail it too', async () => {
    const gate = made.gate({
      scope: 'run',
      subject: null,
      metric: 'pass@3',
      met: false,
      reason: '0.50, required 0.90',
    });
    const open = made.gate({ scope: 'scenario', subject: 'refund', metric: 'pass@3', met: null, reason: 'no outcome' });
    const problem = made.unread();
    const xml = await written({ sessions: [PASSED], gates: [gate, open], problems: [problem] });
    expect(xml).toContain(
      '<testcase name="pass@3" classname="run"><failure type="pass@3" message="0.50, required 0.90">',
    );
    expect(xml).toContain(
      '<testcase name="pass@3 of refund" classname="run"><error type="pass@3" message="no outcome">',
    );
    expect(xml).toContain('<testcase name="a.json:3" classname="run"><error type="json" message="Broken.">');
  });

  it('has a suite per scenario file, with what its attempts came to, and tasks over several files in the suite of the run', async () => {
    const attempt = (id: string, file?: string) =>
      made.session(id, [made.turn(0)], file === undefined ? {} : { scenario: { file, line: 32 } });
    const task = (name: string, ...sessions: string[]) => made.task(name, { attempts: 2, correct: 1, sessions });
    const xml = await written({
      sessions: [attempt('a1', 'a.sim.ts'), attempt('a2', 'a.sim.ts'), attempt('t1'), attempt('t2')],
      scenarios: [task('refund', 'a1', 'a2'), task('cancel', 't1', 't2')],
    });
    const property = (name: string) => `<property name="task ${name}" value="1 of 2 attempts succeeded"/>`;
    const suites = xml.split('<testsuite ').slice(1);
    expect(suites.map((suite) => /name="(.*?)" tests="(\d)"/.exec(suite)?.slice(1))).toEqual([
      ['a.sim.ts', '2'],
      ['traces/t1.json', '1'],
      ['traces/t2.json', '1'],
      ['run', '0'],
    ]);
    expect(
      suites.map((suite) => [property('refund'), property('cancel')].filter((one) => suite.includes(one))),
    ).toEqual([[property('refund')], [], [], [property('cancel')]]);
    expect(suites[0]).toContain('<testcase name="a1" classname="a.sim.ts"/>');
  });

  it('quotes text of traces, and leaves out what XML cannot have', async () => {
    const evil = ']]></failure><testcase name="x"/>\u0000\u0008\u001B[31m\uD800\uFFFE\u202E & "quoted"';
    const failures = [made.failures(evil, 'high', [made.occurrence('bad', 0, evil)])];
    const headline = { kind: 'failed', text: evil, turn: 0 } as const;
    const xml = await written({ ...FAILS, sessions: [{ ...FAILED, id: 'bad', headline }], failures });
    expect(xml.match(/<testcase /g)).toHaveLength(1);
    expect(xml).toContain(']]&gt;&lt;/failure&gt;&lt;testcase name=&quot;x&quot;/&gt;');
  });
});
