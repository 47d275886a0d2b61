import { describe, expect, it, vi } from 'vitest';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { judgeLabel, escapeLabel, verdictLabel } = await import('../../../src/extension/labels.ts');
const { statusContent } = await import('../../../src/extension/status-item.ts');
const { fileRow, outline, sessionRow } = await import('./rows.ts');

describe('labels of results', () => {
  it.each([
    [{ failed: 2, undecided: 1, passed: 2, pending: 0 }, '✗ 2 of 5 failed · 1 undecided'],
    [{ failed: 0, undecided: 1, passed: 2, pending: 0 }, '? 1 of 3 undecided'],
    [{ failed: 0, undecided: 0, passed: 2, pending: 0 }, '✓ 2 passed'],
    [{ failed: 0, undecided: 0, passed: 0, pending: 0 }, null],
    [{ failed: 0, undecided: 0, passed: 1, pending: 4 }, '✓ 1 passed'],
    [{ failed: 0, undecided: 0, passed: 0, pending: 4 }, null],
  ])('say the worst of %j', (verdicts, words) => {
    expect(verdictLabel(verdicts)).toBe(words);
  });

  it('counts undecided sessions and unreadable files beside the worst verdict', () => {
    expect(verdictLabel({ failed: 1, undecided: 3, passed: 1, pending: 0 }, 2)).toBe(
      '✗ 1 of 5 failed · 3 undecided · 2 unreadable',
    );
    expect(verdictLabel({ failed: 0, undecided: 0, passed: 54, pending: 0 }, 1)).toBe('✓ 54 passed · 1 unreadable');
    expect(verdictLabel({ failed: 0, undecided: 0, passed: 0, pending: 0 }, 1)).toBe('1 unreadable');
  });

  it('names the judge', () => {
    expect(judgeLabel([])).toBe('rules only');
    expect(judgeLabel(['qwen3', 'gpt'])).toBe('qwen3, gpt');
  });

  it('escapes icons, links and line breaks in names', () => {
    expect(escapeLabel('a\nb $(trash) \u202Ec')).toBe('a b $ (trash) c');
    expect(escapeLabel('[a](command:b)')).toBe('[a] (command:b)');
    expect(judgeLabel(['$(pass)'])).toBe('$ (pass)');
  });
});

describe('the status item', () => {
  const failed = outline([], { verdicts: { failed: 1, undecided: 0, passed: 1, pending: 0 }, judges: ['qwen3'] });

  it('is hidden before the first evaluation', () => {
    expect(statusContent('off', outline([]))).toBeNull();
    expect(statusContent('on', outline([]))).toBeNull();
  });

  it('shows the verdict and the judge, and opens the results', () => {
    expect(statusContent('on', failed)).toMatchObject({
      text: 'Turnwise: ✗ 1 of 2 failed · qwen3',
      command: 'turnwise.results.focus',
      isWarning: false,
    });
  });

  it('shows why a session is undecided', () => {
    const why = ['2 questions got no $(answer).', 'Nothing scored.'];
    const rows = [{ file: fileRow('a.json'), session: sessionRow('a', { verdict: 'undecided', why }) }];
    const held = outline(rows, { verdicts: { failed: 0, undecided: 1, passed: 0, pending: 0 } });
    expect(statusContent('on', held)?.tooltip).toBe('2 questions got no $ (answer).\nClick to show the results');
    expect(statusContent('on', failed)?.tooltip).toBe('Click to show the results');
  });

  it('stays while the server restarts, and shows when it has given up', () => {
    expect(statusContent('restarting', failed)).toEqual(statusContent('on', failed));
    expect(statusContent('broken', outline([]))).toMatchObject({
      text: 'Turnwise: server stopped',
      command: 'turnwise.showServerStatus',
      isWarning: true,
    });
  });
});
