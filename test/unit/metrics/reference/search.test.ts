import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RetrievalStep, Session } from '../../../../src/core/session.ts';
import { searchF1 } from '../../../../src/metrics/reference/search-f1.ts';
import { searchPrecision } from '../../../../src/metrics/reference/search-precision.ts';
import { searchRecall } from '../../../../src/metrics/reference/search-recall.ts';
import { evaluateSession, sessionWithSteps } from '../calls.ts';
import { turnOf } from '../views.ts';

const METRICS = [searchPrecision, searchRecall, searchF1];

const retrieved = (...ids: readonly (string | undefined)[]): RetrievalStep => ({
  type: 'retrieval',
  pointer: '',
  documents: ids.map((id) => (id === undefined ? { text: 'x' } : { id, text: 'x' })),
});

const all = (session: Session) => METRICS.map((metric) => evaluateSession(metric, session));
const scores = (session: Session) => all(session).map(({ score }) => score);
const statuses = (session: Session) => all(session).map(({ status }) => status);

const searching = (relevant: readonly string[], ...turns: readonly (readonly RetrievalStep[])[]): Session => ({
  ...sessionWithSteps(...turns),
  reference: { documents: relevant },
});

describe('search_precision, search_recall and search_f1', () => {
  it.each<[string, Session, readonly (number | null)[]]>([
    ['some found', searching(['a', 'b', 'c'], [retrieved('a', 'x')], [retrieved('b', 'a')]), [2 / 3, 2 / 3, 2 / 3]],
    ['none found', searching(['a'], [retrieved('x')]), [0, 0, 0]],
    ['nothing returned', searching(['a'], [retrieved()]), [null, 0, 0]],
    [
      'a document without id is not known to be relevant',
      searching(['a'], [retrieved('a', undefined)]),
      [0.5, 1, 2 / 3],
    ],
    ['an id that is a special word', searching(['__proto__'], [retrieved('__proto__')]), [1, 1, 1]],
  ])('%s', (_, session, expected) => {
    expect(scores(session)).toEqual(expected);
  });

  it('compares per turn if the references belong to turns', () => {
    const [first, second] = [[retrieved('b')], [retrieved('a', 'b')]];
    const session = sessionWithSteps(first, second, [retrieved('unjudged')]);
    const relevant = ['a', 'b'];
    const turns = session.turns.map((turn, index) =>
      relevant[index] === undefined ? turn : { ...turn, reference: { documents: [relevant[index]] } },
    );
    expect(scores({ ...session, turns })).toEqual([1 / 3, 1 / 2, 2 / 5]);
  });

  it('includes the retrievals of sub-agents', () => {
    const steps = [
      { type: 'agent', pointer: '', name: 'sub', turns: [turnOf(0, { steps: [retrieved('a')] })] },
    ] as const;
    expect(scores({ ...sessionWithSteps(steps), reference: { documents: ['a'] } })).toEqual([1, 1, 1]);
  });

  it('is not applicable if there is nothing to compare', () => {
    const nothing = ['not_applicable', 'not_applicable', 'not_applicable'];
    expect(statuses(sessionWithSteps([retrieved('a')]))).toEqual(nothing);
    expect(statuses(searching([], [retrieved('a')]))).toEqual(nothing);
    expect(statuses(searching(['a'], []))).toEqual(nothing);
    expect(evaluateSession(searchRecall, sessionWithSteps([])).reason).toMatch(
      /reference\.documents.*X\.turnwise\.json/,
    );
  });

  it('reports each retrieval', () => {
    expect(evaluateSession(searchRecall, searching(['a'], [retrieved('a', 'x', undefined)]))).toMatchObject({
      reason: '1 of 1 relevant documents were returned. 1 returned documents carry no id.',
      evidence: [{ pointer: '/turns/0/steps/0', note: '1 of 3 returned documents are relevant' }],
      metadata: { relevant: 1, returned: 3, found: 1, withoutId: 1 },
    });
  });

  it('stays between 0 and 1 in any order, and f1 is the harmonic mean', () => {
    const ids = fc.array(fc.constantFrom('a', 'b', 'c', undefined), { minLength: 1, maxLength: 8 });
    const relevant = fc.array(fc.constantFrom('a', 'b', 'd'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(relevant, ids, (relevantIds, findings) => {
        const [precision = -1, recall = -1, f1 = -1] = scores(searching(relevantIds, [retrieved(...findings)])).map(
          Number,
        );
        for (const score of [precision, recall, f1]) expect(score >= 0 && score <= 1).toBe(true);
        expect(f1).toBeCloseTo(precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall), 12);
        expect(scores(searching(relevantIds.toReversed(), [retrieved(...findings.toReversed())]))).toEqual([
          precision,
          recall,
          f1,
        ]);
      }),
    );
  });
});
