import { expect, it } from 'vitest';
import type { Report } from '../../../src/core/report.ts';
import { markdownReport } from '../../../src/reports/markdown.ts';
import * as made from './report.ts';

const OPTIONS = { terminal: false, color: false, columns: 80 };

function written(report: Partial<Report>): string {
  return [...(markdownReport.write(made.report(report), OPTIONS) as Iterable<string>)].join('');
}

function failed(id: string, text = 'Failed: repeated tool call (turn 1)') {
  return made.session(id, [made.turn(0)], { verdict: 'failed', headline: { kind: 'failed', text, turn: 0 } });
}

it('says the verdict first, then what failed, with links to the lines', () => {
  const text = written({
    verdict: 'failed',
    sessions: [made.session('good', [made.turn(0)]), failed('bad')],
    failures: [made.failures('loop', 'high', [made.occurrence('bad', 0, 'Again.')])],
    gates: [made.gate({ scope: 'run', subject: null, metric: 'pass@3', met: false, reason: '0.50, required 0.90' })],
  });
  expect(text).toMatch(/^## ❌ 2 sessions: 1 failed, 1 without problems\n\n2 turns · /);
  expect(text).toContain('- ❌ **pass\\@3**: 0.50, required 0.90\n');
  expect(text).toContain('- **bad** Failed: repeated tool call (turn 1) · [traces/bad.json](traces/bad.json)\n');
  expect(text).toContain('  - high · turn 1 · repeated-call · [traces/bad.json:10](traces/bad.json#L10): Again.\n');
  expect(text).not.toContain('good');
});

it('has corrected shares, since a gate on a mean trusts the judge', () => {
  const uncorrected = { labels: 0, judge: 'openai/m', reason: 'the labels are of other answers' };
  const text = written({ metrics: { faithfulness: { ...made.scored(1), metadata: { uncorrected } } } });
  expect(text).toContain(
    '### Judged shares, corrected by labels of people\n\n- **faithfulness**: no corrected share: the',
  );
  expect(written({ metrics: { faithfulness: made.scored(1) } })).not.toContain('corrected');
});

it('has at most 60 kB, and says how many sessions are left out', () => {
  const ids = Array.from({ length: 2000 }, (_, index) => `session-${index}`);
  const text = written({ verdict: 'failed', sessions: ids.map((id) => failed(id)) });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(60_000);
  expect(Buffer.byteLength(text)).toBeGreaterThan(50_000);
  const listed = text.match(/^- \*\*session/gm)?.length ?? 0;
  expect(text).toContain(`${2000 - listed} more sessions left out`);
});

it('shows text of a trace as text', () => {
  const evil = '![x](https://evil.example/p.png) <img src=x> @team \n## Passed \u202E';
  const text = written({
    verdict: 'failed',
    sessions: [failed('bad', evil)],
    failures: [made.failures(evil, 'high', [made.occurrence('bad', 0, evil)])],
  });
  expect(text).not.toMatch(/(?<!\\)(?:!|<img|@team)|\u202E|^## Passed/m);
  expect(text).toContain('\\!\\[x\\](https\\://evil.example/p.png)');
});

it('has no mark of success where something could not be read, and says apart what leaves a run undecided', () => {
  const unread = made.unread();
  expect(written({ problems: [unread] })).toMatch(/^## ❌ No sessions\n[\s\S]*### Not read\n\n- \[a\.json:3\]/);
  const undecided = [{ code: 'no-session', reason: 'No session.', cause: null, count: 0, metrics: {} }] as const;
  const text = written({ verdict: 'undecided', undecided });
  expect(text).toContain('### What leaves the run undecided\n\n- ❔ No session.\n');
  expect(text).not.toContain('Gates that are not met');
});

it('limits what was not read and what leaves the run undecided, and counts the rest', () => {
  const problems = Array.from({ length: 900 }, (_, at) => made.unread(`file-${at}.json`));
  const undecided = Array.from({ length: 30 }, (_, at) => {
    return { code: 'judge-unanswered', reason: `Cause ${at}.`, cause: null, count: 1, metrics: {} } as const;
  });
  const text = written({ verdict: 'undecided', problems, undecided });
  expect(text.match(/^- \[file-/gm)).toHaveLength(20);
  expect(text).toContain('- and 880 more\n');
  expect(text.match(/^- ❔ Cause/gm)).toHaveLength(20);
  expect(text).toContain('- and 10 more\n');
});

it('says how much of its head is left out where that alone is too long', () => {
  const long = 'too long. '.repeat(1000);
  const gates = Array.from({ length: 30 }, () => made.gate({ met: false, reason: long }));
  const problems = Array.from({ length: 30 }, () => ({ ...made.unread(), message: long }));
  const text = written({ verdict: 'failed', gates, problems, sessions: [failed('bad')] });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(60_000);
  const listed = text.match(/^- /gm)?.length ?? 0;
  expect(listed).toBeGreaterThan(21);
  expect(text).toContain(`${42 - listed} lines left out: this report has at most 60 kB.\n`);
});

it('has the alerts of the run, and what is worse than the baseline', () => {
  const text = written({
    alerts: [made.alert('correct fell.'), { ...made.alert('risk rose.'), gate: true }],
    baseline: made.BASELINE,
  });
  expect(text).toContain('### Alerts\n\n- correct fell. It fails nothing.\n- risk rose.\n');
  expect(text).toContain(
    '### Against the baseline: worse\n\n- ❌ **correct**: 9 of 10 before, 2 of 10 now.\n- regression: **refund**: correct 3 of 3 before, 0 of 3 now\n',
  );
});
