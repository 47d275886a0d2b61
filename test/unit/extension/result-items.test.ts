import { describe, expect, it, vi } from 'vitest';
import type { ResultNode } from '../../../src/extension/result-nodes.ts';
import type { SessionRow } from '../../../src/protocol/messages.ts';
import { failureRow, fileRow, problemRow, sessionRow, uri } from './rows.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { toTreeItem, nodeLocation, nodeText } = await import('../../../src/extension/result-items.ts');

const HOSTILE = '$(trash)\n\u202Eevil\u0007';

const session = (id: string, parts: Partial<SessionRow> = {}, isTooLarge = false, isAlone = true): ResultNode => ({
  type: 'session',
  id: `session ${id}`,
  row: sessionRow(id, parts),
  isAlone,
  isOpen: true,
  isTooLarge,
});

describe('the row of a session', () => {
  it('shows verdict, risk and headline, also to screen readers', () => {
    const row = session('a', { verdict: 'failed', risk: 0.713, worstLabel: 'wrong tool', problems: 2 });
    expect(toTreeItem(row)).toMatchObject({
      label: 'a',
      description: 'risk 0.71 · wrong tool',
      accessibilityInformation: { label: 'a, failed, risk 0.71, wrong tool' },
      iconPath: { id: 'error' },
      collapsibleState: 2,
      contextValue: 'session',
      command: { command: 'turnwise.openJson', arguments: [sessionRow('a').location] },
    });
  });

  it('names its file unless its id or parent row does', () => {
    const location = sessionRow('x', {
      location: { ...sessionRow('refund').location, uri: uri('runs/refund.trace.json') },
    }).location;
    expect(toTreeItem(session('refund')).description).toBe('');
    expect(toTreeItem(session('refund', { location })).description).toBe('runs');
    expect(toTreeItem(session('conv_42', { location })).description).toBe('runs/refund.trace.json');
    expect(toTreeItem(session('conv_42', { location }, true, false)).description).toBe('');
  });

  it('has no children without problems', () => {
    expect(toTreeItem(session('a'))).toMatchObject({
      collapsibleState: 0,
      iconPath: { color: { id: 'testing.iconPassed' } },
    });
  });

  it('has a check mark in another color if it passed with problems', () => {
    expect(toTreeItem(session('a', { problems: 1 }))).toMatchObject({
      iconPath: { id: 'pass', color: { id: 'problemsWarningIcon.foreground' } },
    });
  });

  it.each([
    ['stale', 'file', 'outdated · risk 0.50', 'Outdated: the file changed after the evaluation.'],
    ['stale', 'configuration', 'outdated: configuration changed · risk 0.50', 'Outdated: the configuration changed'],
    ['stale', 'sidecar', 'outdated: sidecar changed · risk 0.50', 'Outdated: the sidecar changed'],
    [
      'stale',
      undefined,
      'outdated: file or configuration changed · risk 0.50',
      'Outdated: the file or its configuration changed',
    ],
    ['gone', undefined, 'file deleted · risk 0.50', 'The file was deleted.'],
  ] as const)('says first when its file is %s (%s), and loses its colour', (state, changed, description, sentence) => {
    const item = toTreeItem(session('a', { state, changed, risk: 0.5, verdict: 'failed' }));
    expect(item).toMatchObject({ description, iconPath: { id: 'error', color: { id: 'disabledForeground' } } });
    expect(item.tooltip).toContain(sentence);
    expect(item.accessibilityInformation?.label).toContain(description.split(' · ')[0]);
  });

  it('shows the progress of its evaluation instead of the previous results', () => {
    const item = toTreeItem(session('a', { turnsDone: 3, risk: 0.9, verdict: 'failed', worstLabel: 'wrong tool' }));
    expect(item.description).toBe('evaluating: 3 of 5 turns');
    expect(item.accessibilityInformation?.label).toBe('a, evaluating: 3 of 5 turns');
  });

  it('shows that a file is too large to display results in', () => {
    expect(toTreeItem(session('a', {}, true)).description).toBe('over 50 MB: no annotations in the editor');
  });

  it('shows why it is undecided', () => {
    const why = ['2 questions got no answer.', 'Nothing scored.'];
    expect(toTreeItem(session('a', { verdict: 'undecided', why })).description).toBe('2 questions got no answer.');
    expect(toTreeItem(session('a', { verdict: 'failed', why })).description).toBe('');
  });

  it('shows in its tooltip why it did not pass', () => {
    const row = session('a', { verdict: 'undecided', why: ['Nothing scored.'], riskReason: 'Turn 1 weighs most.' });
    expect(toTreeItem(row).tooltip).toBe(
      'a\nundecided · 5 turns · 0 problems\nNothing scored.\nTurn 1 weighs most.\na.json',
    );
  });

  it('escapes icons, line breaks and hidden characters of a trace', () => {
    const row = session(HOSTILE, { worstLabel: HOSTILE, why: [HOSTILE], problems: 1 });
    const { label, description, tooltip, accessibilityInformation } = toTreeItem(row);
    for (const text of [label, description, accessibilityInformation?.label]) {
      for (const evil of ['$(', '\n', '\u202E', '\u0007']) expect(text).not.toContain(evil);
    }
    for (const evil of ['$(', '\u202E', '\u0007']) expect(tooltip).not.toContain(evil);
    expect(tooltip).toContain('\n$ (trash) evil\n');
  });
});

describe('the other rows', () => {
  it('shows a file with counts', () => {
    const row = fileRow('b.json', { sessions: 4, verdict: 'failed', risk: 0.9, state: 'stale', changed: 'file' });
    const item = toTreeItem({ type: 'file', id: 'f', row, isOpen: false, isTooLarge: false });
    expect(item).toMatchObject({
      label: 'b.json',
      description: 'outdated · risk 0.90 · 4 sessions',
      accessibilityInformation: { label: 'b.json, failed, outdated, risk 0.90, 4 sessions' },
      collapsibleState: 1,
      contextValue: 'file',
    });
  });

  it('shows a file without sessions', () => {
    const item = toTreeItem({ type: 'file', id: 'f', row: fileRow('b.json'), isOpen: true, isTooLarge: false });
    expect(item).toMatchObject({ description: 'no session', collapsibleState: 0 });
  });

  it('shows an unevaluated file, which a click evaluates', () => {
    const item = toTreeItem({ type: 'new', id: 'n', row: fileRow('new.trace.json', { state: 'new' }) });
    expect(item).toMatchObject({
      label: 'new.trace.json',
      description: 'not evaluated yet',
      contextValue: 'new',
      command: { command: 'turnwise.evaluate', arguments: [uri('new.trace.json')] },
    });
  });

  it('shows a verdict with its count', () => {
    const item = toTreeItem({ type: 'verdict', id: 'v', verdict: 'undecided', sessions: 3 });
    expect(item).toMatchObject({ label: 'Undecided', description: '3', contextValue: 'verdict' });
  });

  it('shows a problem, which opens its evidence', () => {
    const item = toTreeItem({ type: 'failure', id: 'f', row: failureRow(), session: 's' });
    expect(item).toMatchObject({
      label: 'Turn 3',
      description: 'wrong tool · There is no such tool.',
      accessibilityInformation: { label: 'Turn 3, wrong tool, high, There is no such tool.' },
      contextValue: 'failure.rule',
      command: {
        command: 'turnwise.openJson',
        arguments: [
          { uri: uri('a.json'), range: { start: { line: 8, character: 2 }, end: { line: 9, character: 3 } } },
        ],
      },
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
      accessibilityInformation: { label: 'b.json, unreadable, It ends too early.' },
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
      'a.json:9: Turn 3: wrong tool · There is no such tool.',
    );
    expect(nodeText(session('a', { risk: 0.5 }))).toBe('a.json:1: a: risk 0.50');
    expect(nodeText({ type: 'new', id: 'n', row: fileRow('new.json') })).toBe('new.json: not evaluated yet');
  });
});
