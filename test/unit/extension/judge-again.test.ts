import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RunsScope } from '../../../src/protocol/runs.ts';
import { fakeServer } from './fake-server.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { window } = await import('./fake-vscode.ts');
const { rejudgeRun } = await import('../../../src/extension/run-commands.ts');

/** Judges the run `old` again with the judge of `new`, where the user presses a button of the question, or none. */
async function judgeAgain(missing: readonly string[], button?: string) {
  const { server, requests } = fakeServer({
    'turnwise/runs/rejudge/plan': () => ({
      uris: ['file:///w/a.json'],
      sessions: 3,
      missing: missing.slice(0, 100),
      missingCount: missing.length,
    }),
    'turnwise/runs/rejudge': () => ({ run: 'judged', reasons: [] }),
  });
  const dialog = vi.spyOn(window, 'showWarningMessage').mockResolvedValue(button);
  onTestFinished(() => dialog.mockRestore());
  const opened: RunsScope[] = [];
  await rejudgeRun(
    {
      server: { request: server.request, onProgress: async () => ({ dispose: () => {} }) },
      runPages: { open: (scope) => void opened.push(scope) },
    },
    { run: 'old', by: 'new', isFirst: true },
  );
  return { dialog, opened, isSent: requests.includes('turnwise/runs/rejudge') };
}

describe('Judge Again', () => {
  it('asks nothing where all files are as they were, and opens the comparison with the new run', async () => {
    const { dialog, opened, isSent } = await judgeAgain([]);
    expect(dialog).not.toHaveBeenCalled();
    expect(isSent).toBe(true);
    expect(opened).toEqual([{ show: 'comparison', runs: ['judged', 'new'] }]);
  });

  it('names the sessions that cannot be judged again in a modal question, before anything is sent', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `session ${index}`);
    const { dialog, isSent } = await judgeAgain(names, 'Judge Again');
    const detail = [
      'The files of the others changed or are gone:',
      ...names.slice(0, 10).map((name) => `\u2022 ${name}`),
      'and 2 more',
    ].join('\n');
    const question = 'Only 3 of 15 sessions can be judged again.';
    expect(dialog).toHaveBeenCalledWith(question, { modal: true, detail }, 'Judge Again');
    expect(isSent).toBe(true);
  });

  it('sends nothing where the question is dismissed', async () => {
    const { opened, isSent } = await judgeAgain(['gone']);
    expect({ opened, isSent }).toEqual({ opened: [], isSent: false });
  });
});
