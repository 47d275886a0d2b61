import { describe, expect, it, vi } from 'vitest';
import type { ResultNode } from '../../../src/extension/result-nodes.ts';
import type { SessionRow } from '../../../src/protocol/messages.ts';
import { failureRow, fileRow, headlines, problemRow, sessionRow, uri } from './rows.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { toTreeItem, nodeLocation, nodeText } = await import('../../../src/extension/result-items.ts');

const HOSTILE = '$(trash)\n\u202Eevil\u0007';

const FAILED = { kind: 'failed', text: 'Failed: reward 0.0 in the trace', turn: 1 } as const;

const session = (
  id: string,
  parts: Partial<SessionRow> = {},
  { place = 'file', isTooLarge = false }: { place?: 'file' | 'inFile' | 'listed'; isTooLarge?: boolean } = {},
): ResultNode => ({
  type: 'session',
  id: `session ${id}`,
  row: sessionRow(id, parts),
  place,
  isOpen: true,
  isTooLarge,
});

describe('the row of a session', () => {
  it('shows the headline and the risk in words, also to screen readers, and opens the report', () => {
    const row = session('a', { headline: FAILED, risk: 0.713, riskLevel: 'high', problems: 2 });
    expect(toTreeItem(row)).toMatchObject({
      label: 'a.json',
      description: 'Failed: reward 0.0 in the trace · risk High',
      accessibilityInformation: { label: 'a.json, Failed: reward 0.0 in the trace, risk High' },
      iconPath: { id: 'error' },
      collapsibleState: 2,
      contextValue: 'session',
      command: { command: 'turnwise.openReport', arguments: [{ session: sessionRow('a').key, turn: null }] },
    });
  });

  it.each([
    ['failed', 'error', 'testing.iconFailed'],
    ['undecided', 'question', 'testing.iconUnset'],
    ['problems', 'warning', 'problemsWarningIcon.foreground'],
    ['not-run', 'circle-slash', 'testing.iconUnset'],
    ['clean', 'circle-large-outline', 'testing.iconUnset'],
    ['succeeded', 'pass', 'testing.iconPassed'],
  ] as const)('has an icon of its own for %s', (kind, icon, color) => {
    const item = toTreeItem(session('a', { headline: { kind, text: kind, turn: null } }));
    expect(item.iconPath).toMatchObject({ id: icon, color: { id: color } });
  });

  it('is called by its file where it is the only one, else by its task or the first words of the user', () => {
    const location = { ...sessionRow('x').location, uri: uri('runs/refund.trace.json') };
    const parts = { location, title: 'Refund my order' };
    const labels = (place: 'file' | 'inFile' | 'listed') => {
      const { label, description } = toTreeItem(session('conv_42', parts, { place }));
      return [label, description];
    };
    expect(labels('file')).toEqual(['refund.trace.json', 'No problems found · runs']);
    expect(labels('inFile')).toEqual(['Refund my order', 'No problems found']);
    expect(labels('listed')).toEqual(['Refund my order', 'No problems found · runs/refund.trace.json']);
  });

  it('has no children without problems', () => {
    expect(toTreeItem(session('a'))).toMatchObject({ collapsibleState: 0 });
  });

  it.each([
    ['stale', 'file', 'outdated', 'Outdated: the file changed after the evaluation.'],
    ['stale', 'configuration', 'outdated: configuration changed', 'Outdated: the configuration changed'],
    ['stale', 'sidecar', 'outdated: sidecar changed', 'Outdated: the sidecar changed'],
    ['stale', undefined, 'outdated: file or configuration changed', 'Outdated: the file or its configuration changed'],
    ['gone', undefined, 'file deleted', 'The file was deleted.'],
  ] as const)(
    'says after the headline, which a narrow view shows, when its file is %s (%s), and loses its colour',
    (state, changed, words, sentence) => {
      const item = toTreeItem(session('a', { state, changed, headline: FAILED }));
      expect(item).toMatchObject({
        description: `Failed: reward 0.0 in the trace · ${words}`,
        iconPath: { id: 'error', color: { id: 'disabledForeground' } },
      });
      expect(item.tooltip).toContain(sentence);
      expect(item.accessibilityInformation?.label).toContain(words);
    },
  );

  it('is expandable before its problems arrive, since VS Code expands no row that had no children when it was drawn', () => {
    const stateOf = (row: Partial<SessionRow>) => toTreeItem(session('a', row)).collapsibleState;
    expect(stateOf({ turnsDone: 0, problems: 0 })).toBe(stateOf({ turnsDone: null, problems: 2 }));
    expect(stateOf({ turnsDone: null, problems: 0 })).not.toBe(stateOf({ turnsDone: 0, problems: 0 }));
  });

  it('shows the progress of its evaluation instead of the previous results', () => {
    const item = toTreeItem(session('a', { turnsDone: 3, headline: FAILED }));
    expect(item.description).toBe('evaluating: 3 of 5 turns');
    expect(item.accessibilityInformation?.label).toBe('a.json, evaluating: 3 of 5 turns');
    const found = (problems: number) => toTreeItem(session('a', { turnsDone: 0, problems })).description;
    expect([found(1), found(4)]).toEqual([
      'evaluating: 0 of 5 turns · 1 problem so far',
      'evaluating: 0 of 5 turns · 4 problems so far',
    ]);
  });

  it('shows that a file is too large to display results in', () => {
    expect(toTreeItem(session('a', {}, { isTooLarge: true })).description).toBe(
      'No problems found · over 50 MB: no annotations in the editor',
    );
  });

  it('has the id of the session, the number of its risk and its headline in the tooltip', () => {
    const row = session('a', {
      title: 'Refund my order',
      headline: FAILED,
      risk: 0.713,
      riskLevel: 'high',
      riskReason: 'Turn 1 weighs most.',
    });
    expect(toTreeItem(row).tooltip).toBe(
      'Refund my order\nSession a\nFailed: reward 0.0 in the trace\nrisk High (0.71) · 5 turns · 0 problems\nTurn 1 weighs most.\na.json',
    );
  });

  it('escapes icons, line breaks and hidden characters of a trace', () => {
    const headline = { kind: 'failed', text: HOSTILE, turn: null } as const;
    const row = session(HOSTILE, { title: HOSTILE, headline, problems: 1 }, { place: 'inFile' });
    const { label, description, tooltip, accessibilityInformation } = toTreeItem(row);
    for (const text of [label, description, accessibilityInformation?.label]) {
      for (const evil of ['$(', '\n', '\u202E', '\u0007']) expect(text).not.toContain(evil);
    }
    for (const evil of ['$(', '\u202E', '\u0007']) expect(tooltip).not.toContain(evil);
    expect(tooltip).toContain('$ (trash) evil\n');
  });
});

describe('the other rows', () => {
  it('shows a file with counts', () => {
    const row = fileRow('b.json', {
      sessions: 4,
      headlines: headlines({ failed: 1, clean: 3 }),
      state: 'stale',
      changed: 'file',
    });
    const item = toTreeItem({ type: 'file', id: 'f', row, isOpen: false, isTooLarge: false });
    expect(item).toMatchObject({
      label: 'b.json',
      description: '1 failed · 3 without problems · outdated · 4 sessions',
      accessibilityInformation: { label: 'b.json, 1 failed · 3 without problems, outdated, 4 sessions' },
      collapsibleState: 1,
      contextValue: 'file',
      command: { command: 'turnwise.showSessions', arguments: [uri('b.json')] },
    });
  });

  it('shows a file without sessions', () => {
    const item = toTreeItem({ type: 'file', id: 'f', row: fileRow('b.json'), isOpen: true, isTooLarge: false });
    expect(item).toMatchObject({ description: 'no session', collapsibleState: 0 });
  });

  it('shows an unevaluated file, which a click evaluates and opens the report of', () => {
    const item = toTreeItem({ type: 'new', id: 'n', row: fileRow('new.trace.json', { state: 'new' }) });
    expect(item).toMatchObject({
      label: 'new.trace.json',
      description: 'not evaluated yet',
      iconPath: { id: 'file' },
      contextValue: 'new',
      command: { command: 'turnwise.openReport', arguments: [uri('new.trace.json')] },
    });
  });

  it('shows a kind of outcome with its count', () => {
    const item = toTreeItem({ type: 'outcome', id: 'o', kind: 'undecided', sessions: 3 });
    expect(item).toMatchObject({ label: 'Undecided', description: '3', contextValue: 'group' });
  });

  it('shows unreadable files in one group', () => {
    const files = [fileRow('b.json', { problems: [problemRow('b.json')] })];
    const item = toTreeItem({ type: 'unreadable', id: 'u', files });
    expect(item).toMatchObject({ label: 'Unreadable', description: '1', contextValue: 'group', collapsibleState: 2 });
  });

  it('shows a problem, which opens the report at its turn', () => {
    const item = toTreeItem({ type: 'failure', id: 'f', row: failureRow(), session: 's' });
    expect(item).toMatchObject({
      label: 'Turn 3',
      description: 'Unknown tool: refund · There is no such tool.',
      accessibilityInformation: { label: 'Turn 3, Unknown tool: refund, high, There is no such tool.' },
      contextValue: 'failure.rule',
      command: { command: 'turnwise.openReport', arguments: [{ session: 's', turn: 2 }] },
    });
  });

  it('offers rule commands only for findings of rules', () => {
    const row = failureRow({ rule: null });
    expect(toTreeItem({ type: 'failure', id: 'f', row, session: 's' }).contextValue).toBe('failure');
  });

  it('shows an unreadable file with its reason', () => {
    const item = toTreeItem({ type: 'problem', id: 'p', row: problemRow('b.json') });
    expect(item).toMatchObject({
      label: 'b.json',
      description: 'It ends too early.',
      accessibilityInformation: { label: 'b.json, It ends too early.' },
    });
  });
});

describe('problem rows', () => {
  it.each<ResultNode>([
    { type: 'failure', id: 'f', row: failureRow({ label: HOSTILE, reason: HOSTILE }), session: 's' },
    { type: 'problem', id: 'p', row: problemRow('b.json', HOSTILE) },
  ])('let nothing of a trace be an icon, a second line or unseen: $type', (node) => {
    const { description, tooltip, accessibilityInformation } = toTreeItem(node);
    for (const evil of ['$(', '\u202E', '\u0007']) {
      for (const text of [description, tooltip, accessibilityInformation?.label]) expect(text).not.toContain(evil);
    }
    expect(description).not.toContain('\n');
  });
});

describe('the location of a row', () => {
  it('is that of its item, and none if it stands for several', () => {
    const row = failureRow();
    expect(nodeLocation({ type: 'failure', id: 'f', row, session: 's' })).toBe(row.location);
    expect(nodeLocation({ type: 'new', id: 'n', row: fileRow('new.json') })).toBeNull();
  });
});

describe('a row as text', () => {
  it('begins with its location', () => {
    expect(nodeText({ type: 'failure', id: 'f', row: failureRow(), session: 's' })).toBe(
      'a.json:9: Turn 3: Unknown tool: refund · There is no such tool.',
    );
    expect(nodeText(session('a'))).toBe('a.json:1: a.json: No problems found');
    expect(nodeText({ type: 'new', id: 'n', row: fileRow('new.json') })).toBe('new.json: not evaluated yet');
  });
});
