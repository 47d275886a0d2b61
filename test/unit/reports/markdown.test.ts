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
