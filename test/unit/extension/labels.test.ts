import { describe, expect, it, vi } from 'vitest';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const {
  judgeLabel: judgeWords,
  escapeLabel: shown,
  verdictLabel: verdictWords,
} = await import('../../../src/extension/labels.ts');
const { statusContent: statusOf } = await import('../../../src/extension/status-item.ts');
const { fileRow, outline, sessionRow } = await import('./rows.ts');

describe('labels of results', () => {
  it.each([
    [{ failed: 2, undecided: 1, passed: 2, underway: 0 }, '✗ 2 of 5 failed · 1 undecided'],
    [{ failed: 0, undecided: 1, passed: 2, underway: 0 }, '? 1 of 3 undecided'],
    [{ failed: 0, undecided: 0, passed: 2, underway: 0 }, '✓ 2 passed'],
    [{ failed: 0, undecided: 0, passed: 0, underway: 0 }, null],
    [{ failed: 0, undecided: 0, passed: 1, underway: 4 }, '✓ 1 passed'],
    [{ failed: 0, undecided: 0, passed: 0, underway: 4 }, null],
  ])('say the worst of %j', (verdicts, words) => {
    expect(verdictWords(verdicts)).toBe(words);
  });

  it('counts undecided sessions and unreadable files beside the worst verdict', () => {
    expect(verdictWords({ failed: 1, undecided: 3, passed: 1, underway: 0 }, 2)).toBe(
      '✗ 1 of 5 failed · 3 undecided · 2 unreadable',
    );
    expect(verdictWords({ failed: 0, undecided: 0, passed: 54, underway: 0 }, 1)).toBe('✓ 54 passed · 1 unreadable');
    expect(verdictWords({ failed: 0, undecided: 0, passed: 0, underway: 0 }, 1)).toBe('1 unreadable');
  });

  it('name who judged', () => {
    expect(judgeWords([])).toBe('rules only');
    expect(judgeWords(['qwen3', 'gpt'])).toBe('qwen3, gpt');
  });

  it('let no name be an icon, a link, or more than one line', () => {
    expect(shown('a\nb $(trash) \u202Ec')).toBe('a b $ (trash) c');
    expect(shown('[a](command:b)')).toBe('[a] (command:b)');
    expect(judgeWords(['$(pass)'])).toBe('$ (pass)');
  });
});

describe('the status item', () => {
  const failed = outline([], { verdicts: { failed: 1, undecided: 0, passed: 1, underway: 0 }, judges: ['qwen3'] });

  it('says nothing before anything was evaluated', () => {
    expect(statusOf('off', outline([]))).toBeNull();
    expect(statusOf('on', outline([]))).toBeNull();
  });

  it('says the verdict and who judged, and leads to the results', () => {
    expect(statusOf('on', failed)).toMatchObject({
      text: 'Turnwise: ✗ 1 of 2 failed · qwen3',
      command: 'turnwise.results.focus',
      isWarning: false,
    });
  });

  it('says why a session is undecided', () => {
    const why = ['2 questions got no $(answer).', 'Nothing scored.'];
    const rows = [{ file: fileRow('a.json'), session: sessionRow('a', { verdict: 'undecided', why }) }];
    const held = outline(rows, { verdicts: { failed: 0, undecided: 1, passed: 0, underway: 0 } });
    expect(statusOf('on', held)?.tooltip).toBe('2 questions got no $ (answer).\nClick to show the results');
    expect(statusOf('on', failed)?.tooltip).toBe('Click to show the results');
  });

  it('stays while the server is restarted, and says when it is not restarted any more', () => {
    expect(statusOf('restarting', failed)).toEqual(statusOf('on', failed));
    expect(statusOf('broken', outline([]))).toMatchObject({
      text: 'Turnwise: server stopped',
      command: 'turnwise.showServerStatus',
      isWarning: true,
    });
  });
});
