import { describe, expect, it } from 'vitest';
import { NodeRegistry, nodeUri, type ResultNode } from '../../../src/extension/result-nodes.ts';
import { problemNodes, rootNodes, type TreeOptions } from '../../../src/extension/result-tree.ts';
import type { ResultsOutline } from '../../../src/protocol/results-outline.ts';
import { failureRow, fileRow, headlines, outline, problemRow, sessionRow, uri } from './rows.ts';

const LOOK: TreeOptions = { sessions: 2, isTooLarge: () => false };
const ids = (storedResults: ResultsOutline, grouping: 'file' | 'outcome', look = LOOK) =>
  rootNodes(storedResults, grouping, look).map(({ id }) => id);

const ONE = {
  file: fileRow('one.json', { sessions: 1, headlines: headlines({ failed: 1 }) }),
  session: sessionRow('one'),
};
const MANY = { file: fileRow('many.json', { sessions: 4, headlines: headlines({ clean: 4 }) }), session: null };
const BROKEN = { file: fileRow('broken.json', { problems: [problemRow('broken.json')] }), session: null };
const NEW = { file: fileRow('new.json', { state: 'new' }), session: null };

describe('root rows by file', () => {
  it('shows a session, a file of several sessions, a file without results, and unreadable files in one group', () => {
    const rows = [ONE, MANY, NEW, BROKEN];
    expect(ids(outline(rows), 'file')).toEqual([
      `session ${uri('one.json')}#one`,
      `file ${uri('many.json')}`,
      `new ${uri('new.json')}`,
      'unreadable',
    ]);
    expect(rootNodes(outline(rows), 'file', LOOK).at(-1)).toMatchObject({ files: [BROKEN.file] });
  });

  it('shows a file row for a partly readable file', () => {
    const file = fileRow('half.json', {
      sessions: 1,
      headlines: headlines({ clean: 1 }),
      problems: [problemRow('half.json')],
    });
    expect(ids(outline([{ file, session: sessionRow('half') }]), 'file')).toEqual([`file ${uri('half.json')}`]);
    expect(problemNodes(file).map(({ id }) => id)).toEqual([`problem ${uri('half.json')} 0`]);
  });

  it('shows a file row for a file without sessions', () => {
    expect(ids(outline([{ file: fileRow('empty.json'), session: null }]), 'file')).toEqual([
      `file ${uri('empty.json')}`,
    ]);
  });

  it.each(['file', 'outcome'] as const)('by %s end with the files that look like traces', (grouping) => {
    expect(rootNodes(outline([ONE], { lookalikes: 31 }), grouping, LOOK).at(-1)).toEqual({
      type: 'lookalikes',
      id: 'lookalikes',
      files: 31,
      isAlone: false,
    });
  });

  it('are the files that look like traces, expanded, where there are no others', () => {
    const [only, ...others] = rootNodes(outline([], { lookalikes: 31 }), 'file', LOOK);
    expect(others).toEqual([]);
    expect(only).toEqual({ type: 'lookalikes', id: 'found', files: 31, isAlone: true });
  });

  it('show how many rows are hidden', () => {
    const rows = rootNodes(outline([ONE], { total: 41 }), 'file', LOOK);
    expect(rows.at(-1)).toMatchObject({ type: 'more', list: '', hidden: 40 });
  });

  it('are expanded if there are few, and know which files are too large', () => {
    const look = { sessions: 4, isTooLarge: (args: string) => args === uri('many.json') };
    const few = rootNodes(outline([ONE, MANY]), 'file', LOOK);
    expect(few).toMatchObject([{ isOpen: true }, { isOpen: true }]);
    const many = rootNodes(outline([ONE, MANY]), 'file', look);
    expect(many).toMatchObject([
      { isOpen: false, isTooLarge: false },
      { isOpen: false, isTooLarge: true },
    ]);
  });
});

describe('root rows by outcome', () => {
  it('groups by the kind of headline, with new and unreadable files last', () => {
    const now = outline([ONE, MANY, NEW, BROKEN], { headlines: headlines({ failed: 1, clean: 4 }) });
    expect(ids(now, 'outcome')).toEqual(['outcome failed', 'outcome clean', `new ${uri('new.json')}`, 'unreadable']);
  });

  it('counts sessions that are evaluated for the first time as undecided', () => {
    const now = outline([ONE], { headlines: headlines({ undecided: 1, pending: 2 }) });
    expect(rootNodes(now, 'outcome', LOOK)).toMatchObject([{ id: 'outcome undecided', sessions: 3 }]);
  });
});

describe('Nodes', () => {
  const session = (risk: number): ResultNode => ({
    type: 'session',
    id: 's',
    row: sessionRow('s', { risk }),
    place: 'file',
    isOpen: true,
    isTooLarge: false,
  });

  it('keeps the object of a row and reports when it has changed', () => {
    const nodes = new NodeRegistry<ResultNode>();
    const [first] = nodes.reconcile([session(0.1)]).nodes;
    expect(nodes.reconcile([session(0.1)])).toEqual({ nodes: [first], changed: [] });
    const { nodes: kept, changed } = nodes.reconcile([session(0.2)]);
    expect(kept[0]).toBe(first);
    expect(changed).toEqual([first]);
    expect(first).toMatchObject({ row: { risk: 0.2 } });
  });

  it('recognizes its own rows only', () => {
    const nodes = new NodeRegistry<ResultNode>();
    const [row] = nodes.reconcile([session(0.1)]).nodes;
    nodes.clear();
    expect(nodes.isNode(row)).toBe(true);
    expect(nodes.isNode({ ...row })).toBe(false);
    for (const other of [null, undefined, 's', 1]) expect(nodes.isNode(other)).toBe(false);
  });

  it('returns the file of a row', () => {
    const failure: ResultNode = { type: 'failure', id: 'f', row: failureRow(), session: 's' };
    expect(nodeUri(failure)).toBe(uri('a.json'));
    expect(nodeUri({ type: 'new', id: 'n', row: fileRow('new.json') })).toBe(uri('new.json'));
    expect(nodeUri({ type: 'more', id: 'm', list: '', hidden: 1 })).toBeNull();
  });
});
