import { describe, expect, it } from 'vitest';
import { NodeRegistry, nodeUri, type ResultNode } from '../../../src/extension/result-nodes.ts';
import { type Grouping, problemNodes, rootNodes, type TreeOptions } from '../../../src/extension/result-tree.ts';
import type { ResultsOutline } from '../../../src/protocol/results-outline.ts';
import { failureRow, fileRow, outline, problemRow, sessionRow, uri } from './rows.ts';

const LOOK: TreeOptions = { sessions: 2, isTooLarge: () => false };
const ids = (held: ResultsOutline, grouping: Grouping, look = LOOK) =>
  rootNodes(held, grouping, look).map(({ id }) => id);

const ONE = { file: fileRow('one.json', { sessions: 1, verdict: 'failed' }), session: sessionRow('one') };
const MANY = { file: fileRow('many.json', { sessions: 4, verdict: 'passed' }), session: null };
const BROKEN = { file: fileRow('broken.json', { problems: [problemRow('broken.json')] }), session: null };
const NEW = { file: fileRow('new.json', { state: 'new' }), session: null };

describe('the uppermost rows by file', () => {
  it('have a session for a file of one, a file for one of several, and what is wrong for one that is broken', () => {
    expect(ids(outline([BROKEN, ONE, MANY, NEW]), 'file')).toEqual([
      `problem ${uri('broken.json')} 0`,
      `session ${uri('one.json')}#one`,
      `file ${uri('many.json')}`,
      `new ${uri('new.json')}`,
    ]);
  });

  it('shows a file row for a partly readable file', () => {
    const file = fileRow('half.json', { sessions: 1, verdict: 'passed', problems: [problemRow('half.json')] });
    expect(ids(outline([{ file, session: sessionRow('half') }]), 'file')).toEqual([`file ${uri('half.json')}`]);
    expect(problemNodes(file).map(({ id }) => id)).toEqual([`problem ${uri('half.json')} 0`]);
  });

  it('have a file for one in which nothing was found', () => {
    expect(ids(outline([{ file: fileRow('empty.json'), session: null }]), 'file')).toEqual([
      `file ${uri('empty.json')}`,
    ]);
  });

  it('say how many are hidden', () => {
    const rows = rootNodes(outline([ONE], { total: 41 }), 'file', LOOK);
    expect(rows.at(-1)).toMatchObject({ type: 'more', list: '', hidden: 40 });
  });

  it('are open where there are few, and know what is too large', () => {
    const look = { sessions: 4, isTooLarge: (given: string) => given === uri('many.json') };
    const few = rootNodes(outline([ONE, MANY]), 'file', LOOK);
    expect(few).toMatchObject([{ isOpen: true }, { isOpen: true }]);
    const many = rootNodes(outline([ONE, MANY]), 'file', look);
    expect(many).toMatchObject([
      { isOpen: false, isTooLarge: false },
      { isOpen: false, isTooLarge: true },
    ]);
  });
});

describe('the uppermost rows by verdict', () => {
  it('groups by verdict, with unreadable files first and new files last', () => {
    const held = outline([BROKEN, ONE, MANY, NEW], { verdicts: { failed: 1, undecided: 0, passed: 4, underway: 0 } });
    expect(ids(held, 'verdict')).toEqual([
      `problem ${uri('broken.json')} 0`,
      'verdict failed',
      'verdict passed',
      `new ${uri('new.json')}`,
    ]);
  });

  it('count what has no verdict yet as undecided', () => {
    const held = outline([ONE], { verdicts: { failed: 0, undecided: 1, passed: 0, underway: 2 } });
    expect(rootNodes(held, 'verdict', LOOK)).toMatchObject([{ id: 'verdict undecided', sessions: 3 }]);
  });
});

describe('Nodes', () => {
  const session = (risk: number): ResultNode => ({
    type: 'session',
    id: 's',
    row: sessionRow('s', { risk }),
    isAlone: true,
    isOpen: true,
    isTooLarge: false,
  });

  it('keep a row the same object, and say when it says something else', () => {
    const nodes = new NodeRegistry();
    const [first] = nodes.reconcile([session(0.1)]).nodes;
    expect(nodes.reconcile([session(0.1)])).toEqual({ nodes: [first], changed: [] });
    const { nodes: kept, changed } = nodes.reconcile([session(0.2)]);
    expect(kept[0]).toBe(first);
    expect(changed).toEqual([first]);
    expect(first).toMatchObject({ row: { risk: 0.2 } });
  });

  it('know their own rows, and no others', () => {
    const nodes = new NodeRegistry();
    const [row] = nodes.reconcile([session(0.1)]).nodes;
    nodes.clear();
    expect(nodes.isNode(row)).toBe(true);
    expect(nodes.isNode({ ...row })).toBe(false);
    for (const other of [null, undefined, 's', 1]) expect(nodes.isNode(other)).toBe(false);
  });

  it('know the file of a row', () => {
    const failure: ResultNode = { type: 'failure', id: 'f', row: failureRow(), session: 's' };
    expect(nodeUri(failure)).toBe(uri('a.json'));
    expect(nodeUri({ type: 'new', id: 'n', row: fileRow('new.json') })).toBe(uri('new.json'));
    expect(nodeUri({ type: 'more', id: 'm', list: '', hidden: 1 })).toBeNull();
  });
});
