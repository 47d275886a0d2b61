import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RetrievalStep, Session, Step } from '../../../../src/core/session.ts';
import { searchF1 } from '../../../../src/metrics/reference/search-f1.ts';
import { searchPrecision } from '../../../../src/metrics/reference/search-precision.ts';
import { searchRecall } from '../../../../src/metrics/reference/search-recall.ts';
import { evaluateSession, failedToolCall, sessionWithSteps, toolCall } from '../calls.ts';
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

const searching = (relevant: readonly string[], ...turns: readonly (readonly Step[])[]): Session => ({
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

describe('search metrics of a trace without retrieval steps', () => {
  const search = (result: unknown, name = 'search_docs') => toolCall(name, {}, { result });

  it.each<[string, unknown]>([
    ['a list of objects with ids', [{ id: 'a', text: 'A' }, { id: 'x' }]],
    ['a list under a key', { total: 2, results: [{ doc_id: 'a' }, { documentId: 'x' }] }],
    [
      'an envelope with an id of its own',
      { id: 'response-1', items: [{ id: 'a', chunks: [{ text: 'A' }] }, { id: 'x' }] },
    ],
    ['JSON as text', '{"hits": {"hits": [{"_id": "a"}, {"_id": "x"}]}}'],
    ['content of MCP', { content: [{ type: 'text', text: '[{"chunk_id": "a"}, {"chunk_id": "x"}]' }] }],
    ['ids in the metadata', [{ page_content: 'A', metadata: { source: 'a' } }, { metadata: { source: 'x' } }]],
    ['a list of ids', { ids: ['a', 'x'] }],
  ])('read the result of a search tool: %s', (_, result) => {
    expect(scores(searching(['a', 'b'], [search(result)]))).toEqual([0.5, 0.5, 0.5]);
  });

  it('compare URLs without fragment and slash at the end, in lists and in texts', () => {
    const relevant = ['https://docs.example/refunds', 'https://docs.example/fees/'];
    const list = [{ title: 'Refunds', url: 'https://docs.example/refunds/#limits' }];
    const text = 'See https://docs.example/fees, and (https://docs.example/other).';
    expect(scores(searching(relevant, [search(list, 'WebSearch'), search(text, 'WebSearch')]))).toEqual([
      2 / 3,
      1,
      0.8,
    ]);
  });

  it('count a document with an id and a URL once, by the one that is relevant', () => {
    const result = { id: 7, url: 'https://docs.example/refunds' };
    expect(scores(searching(['https://docs.example/refunds'], [search([result, result])]))).toEqual([1, 1, 1]);
    expect(scores(searching(['7'], [search([result])]))).toEqual([1, 1, 1]);
  });

  it('count every call of a tool that returned a relevant document, and of one whose name says that it searches', () => {
    const lookups = [search([{ id: 'a' }], 'look_up'), search([{ id: 'x' }], 'look_up')];
    expect(scores(searching(['a'], lookups))).toEqual([0.5, 1, 2 / 3]);
    expect(scores(searching(['a'], [search([{ id: 'x' }], 'retrieve_articles')]))).toEqual([0, 0, 0]);
    expect(scores(searching(['a'], [search([], 'kb-search')]))).toEqual([null, 0, 0]);
  });

  it('ignore other tools, failed calls, and results without documents', () => {
    const nothing = ['not_applicable', 'not_applicable', 'not_applicable'];
    const orders = search([{ id: 'CL-1' }], 'search_orders');
    const prose = search('Refunds take five days.');
    expect(statuses(searching(['a'], [orders, prose, failedToolCall('search_docs')]))).toEqual(nothing);
    expect(scores(searching(['a'], [orders, search([{ id: 'a' }])]))).toEqual([1, 1, 1]);
  });

  it('read tool calls only if no step is a retrieval', () => {
    expect(scores(searching(['a', 'b'], [retrieved('a')], [search([{ id: 'b' }])]))).toEqual([1, 0.5, 2 / 3]);
  });

  it('point at the results', () => {
    const call = toolCall('search_docs', {}, { result: [{ id: 'a' }, { id: 'x' }], resultPointer: '/results/0' });
    expect(evaluateSession(searchRecall, searching(['a'], [call])).evidence).toEqual([
      { pointer: '/results/0', note: '1 of 2 returned documents are relevant' },
    ]);
  });
});
