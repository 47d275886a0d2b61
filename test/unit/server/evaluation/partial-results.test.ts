import { describe, expect, it } from 'vitest';
import type { TurnReport } from '../../../../src/core/report.ts';
import type { Result } from '../../../../src/core/result.ts';
import { fillMissingResults, withoutJudge } from '../../../../src/server/evaluation/partial-results.ts';
import type { SessionResultsView } from '../../../../src/server/results/session-results-view.ts';
import { session } from '../report-fixture.ts';
import { createResults, FILE, score } from '../results/results-fixture.ts';

const STOPPED: Result = {
  ...score(null),
  status: 'cancelled',
  reason: 'The run was stopped before this was computed.',
};
const UNJUDGED: Result = { ...score(null), status: 'needs_judge', reason: 'A judge answers it.' };
const JUDGED = score(0.4, { judge: 'openai/m', source: 'judge' });

function view(...turns: TurnReport['metrics'][]): SessionResultsView {
  const all = turns.map((metrics, index) => ({ id: `t${index}`, index, pointer: `/t${index}`, line: null, metrics }));
  const [only] = createResults({ sessions: [session('s', FILE, { metrics: turns[0] ?? {}, turns: all })] }).all;
  return only ?? expect.fail();
}

describe('a session whose evaluation was stopped', () => {
  const local = view({ helpfulness: UNJUDGED, calls: score(1) }, { helpfulness: UNJUDGED, calls: score(2) });

  it('has the results that need no judge where its own are missing, and never a score in place of a judged one', () => {
    const stopped = view({ helpfulness: JUDGED, calls: score(1) }, { helpfulness: STOPPED, calls: STOPPED });
    const { report } = fillMissingResults(stopped, local).detail;
    expect(report.turns.map(({ metrics }) => metrics)).toEqual([
      { helpfulness: JUDGED, calls: score(1) },
      { helpfulness: UNJUDGED, calls: score(2) },
    ]);
    expect(report.metrics).toEqual({ helpfulness: JUDGED, calls: score(1) });
    expect(report.headline).toEqual(stopped.detail.report.headline);
  });

  it('says that a result is missing where nothing else is known', () => {
    const { report } = fillMissingResults(view({ of_a_function: STOPPED }), local).detail;
    expect(report.turns[0]?.metrics).toEqual({ of_a_function: STOPPED });
  });

  it('is undecided where the judge was not asked at all, unless the rules have failed it', () => {
    const { row, detail } = withoutJudge(local);
    const headline = { kind: 'undecided', text: 'Undecided: the run was stopped, 3 checks not run', turn: null };
    expect(row.headline).toEqual(headline);
    expect(detail.report.headline).toEqual(headline);
    const failed = { kind: 'failed' as const, text: 'Failed: leaked secret (turn 1)', turn: 0 };
    const known = { ...local, detail: { ...local.detail, report: { ...local.detail.report, headline: failed } } };
    expect(withoutJudge(known).row.headline).toEqual(failed);
    const complete = view({ calls: score(1) });
    expect(withoutJudge(complete).row.headline).toEqual(complete.row.headline);
  });

  it('has outdated scores where a judge had scored an earlier text', () => {
    const outdated = { ...local, detail: { ...local.detail, hasOutdatedScores: true as const } };
    expect(fillMissingResults(view({}), outdated).detail.hasOutdatedScores).toBe(true);
    expect(fillMissingResults(view({}), local).detail.hasOutdatedScores).toBeUndefined();
  });
});
