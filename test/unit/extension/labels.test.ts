import { describe, expect, it, vi } from 'vitest';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { judgeLabel, escapeLabel, headlinesLabel, riskLabel } = await import('../../../src/extension/labels.ts');
const { statusContent } = await import('../../../src/extension/status-item.ts');
const { fileRow, headlines, outline, sessionRow } = await import('./rows.ts');

describe('labels of results', () => {
  it.each([
    [{ failed: 2, undecided: 1, clean: 2 }, 0, '2 failed · 1 undecided · 2 without problems'],
    [{ problems: 3, succeeded: 1 }, 0, '3 with problems · 1 succeeded'],
    [{ 'not-run': 1 }, 2, '1 not run · 2 unreadable'],
    [{}, 1, '1 unreadable'],
    [{}, 0, null],
    [{ pending: 4 }, 0, null],
  ])('count headlines of each kind, and never say "passed": %j', (counts, unreadable, words) => {
    expect(headlinesLabel(headlines(counts), unreadable)).toBe(words);
  });

  it('say the risk in words', () => {
    expect(riskLabel({ riskLevel: 'high' })).toEqual(['risk High']);
    expect(riskLabel({ riskLevel: null })).toEqual([]);
  });

  it('names the judge', () => {
    expect(judgeLabel(outline([]))).toBe('rules only');
    const all = { headlines: headlines({ failed: 1, clean: 6 }), judged: 7 };
    expect(judgeLabel(outline([], { ...all, judges: ['qwen3', 'gpt'] }))).toBe('qwen3, gpt');
  });

  it('says how many sessions a judge has judged where the others have rules only', () => {
    const some = { headlines: headlines({ failed: 1, clean: 6 }), judges: ['qwen3'], judged: 1 };
    expect(judgeLabel(outline([], some))).toBe('qwen3 (1 of 7), else rules only');
  });

  it('escapes icons, links and line breaks in names', () => {
    expect(escapeLabel('a\nb $(trash) \u202Ec')).toBe('a b $ (trash) c');
    expect(escapeLabel('[a](command:b)')).toBe('[a] (command:b)');
    expect(judgeLabel(outline([], { judges: ['$(pass)'] }))).toBe('$ (pass)');
  });
});

describe('the status item', () => {
  const failed = outline([], { headlines: headlines({ failed: 1, clean: 1 }), judges: ['qwen3'], judged: 2 });

  it('is hidden before the first evaluation', () => {
    expect(statusContent('off', outline([]))).toBeNull();
    expect(statusContent('on', outline([]))).toBeNull();
  });

  it('shows the outcomes and the judge, and opens the results', () => {
    expect(statusContent('on', failed)).toMatchObject({
      text: 'Turnwise: 1 failed · 1 without problems · qwen3',
      command: 'turnwise.results.focus',
      isWarning: false,
    });
  });

  it('shows the headline of the worst session in its tooltip', () => {
    const headline = { kind: 'undecided', text: 'Undecided: no $(answer)', turn: null } as const;
    const rows = [{ file: fileRow('a.json'), session: sessionRow('a', { headline }) }];
    const now = outline(rows, { headlines: headlines({ undecided: 1 }) });
    expect(statusContent('on', now)?.tooltip).toBe('a.json: Undecided: no $ (answer)\nClick to show the results');
    expect(statusContent('on', failed)?.tooltip).toBe('Click to show the results');
  });

  it('stays while the server restarts, and shows when restarts have ended', () => {
    expect(statusContent('restarting', failed)).toEqual(statusContent('on', failed));
    expect(statusContent('broken', outline([]))).toMatchObject({
      text: 'Turnwise: server stopped',
      command: 'turnwise.showServerStatus',
      isWarning: true,
    });
  });
});
