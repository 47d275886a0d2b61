import { describe, expect, it, vi } from 'vitest';
import { NodeRegistry, type ResultNode } from '../../../src/extension/result-nodes.ts';
import { failureRow, sessionRow, uri } from './rows.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { Uri } = await import('./fake-vscode.ts');
const { resolveTargets } = await import('../../../src/extension/command-targets.ts');

const nodes = new NodeRegistry<ResultNode>();
const [session, failure, more] = nodes.reconcile([
  { type: 'session', id: 's', row: sessionRow('a'), place: 'file', isOpen: true, isTooLarge: false },
  { type: 'failure', id: 'f', row: failureRow(), session: 's' },
  { type: 'more', id: 'm', list: '', hidden: 1 },
]).nodes;
const isNode = (value: unknown): value is ResultNode => nodes.isNode(value);
const targets = (...args: unknown[]): string[] => resolveTargets(args, isNode).map((uri) => uri.toString());

describe('the target of a command', () => {
  it.each<[string, unknown[], string[]]>([
    ['the file of a tab', [Uri.parse(uri('a.json'))], [uri('a.json')]],
    [
      'all that is selected in the Explorer',
      [Uri.parse(uri('a.json')), [Uri.parse(uri('a.json')), Uri.parse(uri('runs'))]],
      [uri('a.json'), uri('runs')],
    ],
    ['the URI of a lens', [uri('a.json')], [uri('a.json')]],
    ['a row of the results', [session], [uri('a.json')]],
    ['all rows that are selected, their file once', [session, [session, failure]], [uri('a.json')]],
    ['a row, where none is selected', [session, undefined], [uri('a.json')]],
    ['nothing', [], []],
    ['a row that is about no file', [more], []],
    ['what only looks like a row', [{ ...session }], []],
    ['a text that is no URI', ['a.json'], []],
  ])('is %s', (_, args, expected) => {
    expect(targets(...args)).toEqual(expected);
  });
});
