import { describe, expect, it } from 'vitest';
import type { TurnReport } from '../../../../src/core/report.ts';
import type { Result } from '../../../../src/core/result.ts';
import { EvaluationResults } from '../../../../src/server/results/evaluation-results.ts';
import { withOutdatedScores } from '../../../../src/server/results/outdated-scores.ts';
import type { SessionResultsView } from '../../../../src/server/results/session-results-view.ts';
import { session } from '../report-fixture.ts';
import { createResults, FILE, score } from './results-fixture.ts';

const JUDGED = score(0.4, { judge: 'openai/m', source: 'judge' });
const UNJUDGED: Result = { ...score(null), status: 'needs_judge', reason: 'A judge answers it.' };

function view(metrics: TurnReport['metrics'], ofSession: TurnReport['metrics'] = {}): SessionResultsView {
  const turn = { id: 't0', index: 0, pointer: '/t0', line: null, metrics };
  const [only] = createResults({ sessions: [session('s', FILE, { metrics: ofSession, turns: [turn] })] }).all;
  if (!only) throw new Error('There is no session.');
  return only;
}

const reasonOf = ({ detail }: SessionResultsView) => detail.report.turns[0]?.metrics.helpfulness?.reason;

describe('a session that only the rules evaluate after a judge', () => {
  it('has no judged scores, says which it had, and is outdated', () => {
    const now = withOutdatedScores(view({ helpfulness: UNJUDGED }), view({ helpfulness: JUDGED }));
    expect(now.detail.report.turns[0]?.metrics.helpfulness).toMatchObject({ status: 'needs_judge', score: null });
    expect(reasonOf(now)).toBe('Outdated: 0.40 / 1 before the last change. Evaluate again to ask the judge.');
    const results = new EvaluationResults();
    results.replace([FILE], { sessions: [now], problems: [] });
    expect(results.sessionRow(now)).toMatchObject({ state: 'stale', changed: 'judge' });
    expect(results.files(0, 1).rows).toMatchObject([{ state: 'stale', changed: 'judge' }]);
    expect(results.needsEvaluation(FILE)).toBe(false);
  });

  it('stays so after the next change', () => {
    const first = withOutdatedScores(view({ helpfulness: UNJUDGED }), view({ helpfulness: JUDGED }));
    const second = withOutdatedScores(view({ helpfulness: UNJUDGED }), first);
    expect([reasonOf(second), second.detail.hasOutdatedScores]).toEqual([reasonOf(first), true]);
  });

  it('is current where no judge had scored it, or there was nothing before', () => {
    for (const before of [undefined, view({ helpfulness: UNJUDGED, tool_correctness: score(0.5) })]) {
      const now = withOutdatedScores(view({ helpfulness: UNJUDGED }), before);
      expect([now.detail.hasOutdatedScores, reasonOf(now)]).toEqual([undefined, 'A judge answers it.']);
    }
  });

  it('keeps what the rules say of a metric that a judge had scored', () => {
    const now = withOutdatedScores(view({ helpfulness: score(1) }), view({ helpfulness: JUDGED }, { goal: JUDGED }));
    expect(now.detail.report.turns[0]?.metrics.helpfulness).toMatchObject({ score: 1, status: 'scored' });
    expect(now.detail.hasOutdatedScores).toBe(true);
  });
});
