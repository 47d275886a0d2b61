import { describe, expect, it, vi } from 'vitest';
import type { RunNode } from '../../../src/extension/run-items.ts';
import type { ChangesSincePrevious } from '../../../src/protocol/runs.ts';
import { runRow, runSession } from './run-rows.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { relativeTime, toRunItem } = await import('../../../src/extension/run-items.ts');

const NOW = Date.parse('2026-11-23T10:00:00Z');
const HOSTILE = '$(trash)\n\u202Eevil\u0007';

const run = (parts: Parameters<typeof runRow>[0] = {}): RunNode => ({ type: 'run', id: 'run a', row: runRow(parts) });

describe('the row of a run', () => {
  it('shows counts, age, commit and agent, also to screen readers', () => {
    const row = run({
      startedAt: '2026-11-23T09:55:00Z',
      sessions: 60,
      failed: 3,
      undecided: 2,
      verdict: 'failed',
      git: { commit: '1a2b3c4d5e', branch: 'main', dirty: true },
      agent: { name: 'support', version: '1.4' },
    });
    expect(toRunItem(row, NOW)).toMatchObject({
      label: '3 of 60 failed, 2 undecided',
      description: '5 min. ago · 1a2b3c4+ (main) · support 1.4',
      accessibilityInformation: { label: '3 of 60 failed, 2 undecided, 5 min. ago, 1a2b3c4+ (main), support 1.4' },
      iconPath: { id: 'error', color: { id: 'testing.iconFailed' } },
      contextValue: 'run.complete',
      collapsibleState: 1,
    });
  });

  it('is called by its name where it has one, and says that it is the baseline', () => {
    const item = toRunItem(run({ name: 'before the prompt', sessions: 2, baseline: 'current' }), NOW);
    expect(item).toMatchObject({
      label: 'before the prompt',
      description: expect.stringMatching(/^baseline · 2 sessions, none failed · /),
    });
    expect(toRunItem(run({ baseline: 'earlier' }), NOW).description).toMatch(/^earlier baseline · /);
  });

  it.each([
    ['a run that failed its gates', { verdict: 'failed' }, 'error'],
    ['an undecided run', { verdict: 'undecided' }, 'question'],
    ['a run with sessions that succeeded', { verdict: 'passed', succeeded: 1 }, 'pass'],
    ['a run without problems whose outcome nobody knows', { verdict: 'passed' }, 'circle-large-outline'],
    ['a run that is being written', { state: 'running', isLive: true, verdict: null }, 'loading~spin'],
    ['a run that was killed', { state: 'running', verdict: null }, 'debug-pause'],
    ['a run that was interrupted', { state: 'interrupted', verdict: 'undecided' }, 'debug-pause'],
    ['a run whose record is gone', { isGone: true }, 'circle-slash'],
  ] as const)('has an icon of its own for %s', (_, parts, icon) => {
    expect(toRunItem(run(parts), NOW).iconPath).toMatchObject({ id: icon });
  });

  it('offers what needs a complete run only for complete ones', () => {
    expect(toRunItem(run({ state: 'interrupted' }), NOW).contextValue).toBe('run');
    expect(toRunItem(run({ isGone: true }), NOW).contextValue).toBe('run');
  });

  it('shows texts of a run and its sessions as plain text on one line', () => {
    const agent = { name: HOSTILE, version: HOSTILE };
    const git = { commit: HOSTILE, branch: HOSTILE, dirty: false };
    const items = [
      toRunItem(run({ name: HOSTILE, agent, git, stoppedBy: HOSTILE, judge: HOSTILE, project: HOSTILE }), NOW),
      toRunItem(
        {
          type: 'session',
          id: 's',
          run: 'a',
          row: runSession({ task: HOSTILE, file: HOSTILE, headline: { kind: 'failed', text: HOSTILE, turn: null } }),
        },
        NOW,
      ),
    ];
    for (const { label, description, tooltip } of items) {
      for (const part of ['$(', '\u202E', '\u0007']) expect(`${label}${description}${tooltip}`).not.toContain(part);
      expect(`${label}${description}`).not.toContain('\n');
    }
  });
});

describe('what changed against the run before', () => {
  const changes = (parts: Partial<ChangesSincePrevious>): RunNode => ({
    type: 'changes',
    id: 'changes a',
    run: 'a',
    changes: {
      previous: runRow({ id: 'b', name: 'v1' }),
      summary: 'x',
      worse: 0,
      better: 0,
      unclear: 0,
      again: null,
      rows: [],
      ...parts,
    },
  });

  it('is counted, and opens the comparison', () => {
    expect(toRunItem(changes({ worse: 9, better: 3 }), NOW)).toMatchObject({
      label: '9 worse, 3 better',
      description: 'compared with v1',
      collapsibleState: 2,
      command: { command: 'turnwise.openRunsPage', arguments: [{ show: 'comparison', runs: ['b', 'a'] }] },
    });
    expect(toRunItem(changes({ summary: 'Nothing is compared.' }), NOW)).toMatchObject({
      label: 'Nothing is compared.',
      collapsibleState: 0,
    });
  });

  it('offers to judge a run again where the judge changed, with what that takes', () => {
    const target = { run: 'b', by: 'a', isFirst: true };
    const again = { ...target, judge: 'openai/next', sessions: 41, of: 60, tokens: 120_000 };
    expect(toRunItem({ type: 'again', id: 'again a', again }, NOW)).toMatchObject({
      label: 'Judge 41 of 60 sessions again',
      description: expect.stringMatching(/^openai\/next · about 120.000 tokens$/),
      command: { command: 'turnwise.rejudge', arguments: [target] },
    });
    expect(toRunItem({ type: 'again', id: 'again a', again: { ...again, tokens: null } }, NOW).description).toBe(
      'openai/next',
    );
  });

  it('opens both transcripts of a session', () => {
    const before = { of: 'run', run: 'b', session: 's', file: 'a.json' } as const;
    const after = { ...before, run: 'a' };
    const headline = { kind: 'failed', text: `Failed ${HOSTILE}`, turn: null } as const;
    const row = { title: `task ${HOSTILE}`, direction: 'worse', before, after, headline } as const;
    const item = toRunItem({ type: 'flip', id: 'f', row }, NOW);
    expect(item).toMatchObject({
      iconPath: { id: 'arrow-down' },
      command: {
        command: 'turnwise.openRunsPage',
        arguments: [{ show: 'transcripts', left: before, right: after }],
      },
    });
    expect(item.description).toMatch(/^worse · Failed /);
    expect(`${item.label}${item.description}${item.tooltip}`).not.toContain('$(trash)');
  });
});

it.each([null, 'before the fix'])('the tooltip of a run says once when it began, with the name %s', (name) => {
  const lines = String(toRunItem(run({ name }), NOW).tooltip).split('\n');
  expect(lines).toEqual([...new Set(lines)]);
});

it('the row of a run counts its alerts, and its tooltip says them', () => {
  const { description, tooltip } = toRunItem(run({ alerts: ['correct falls: 8 %.', 'cost rises.'] }), NOW);
  expect(description).toMatch(/^2 alerts · /);
  expect(tooltip).toContain('Alert: correct falls: 8 %.\nAlert: cost rises.');
});

describe('the row of a session of a run', () => {
  it('opens its report where the editor has one, else its line in the file', () => {
    const item = (key: string | null) =>
      toRunItem({ type: 'session', id: 's', run: 'a', row: runSession({ line: 7, key }) }, NOW);
    expect(item('file:///a.json#s').command).toMatchObject({
      command: 'turnwise.openReport',
      arguments: [{ session: 'file:///a.json#s', turn: null }],
    });
    expect(item(null).command).toMatchObject({
      command: 'turnwise.openJson',
      arguments: [{ range: { start: { line: 6, character: 0 } } }],
    });
  });
});

it.each([
  ['2026-11-23T09:59:45Z', 'now'],
  ['2026-11-23T09:00:30Z', '59 min. ago'],
  ['2026-11-23T07:00:00Z', '3 hr. ago'],
  ['2026-11-22T09:00:00Z', 'yesterday'],
  ['2026-09-01T09:00:00Z', '2 mo. ago'],
  ['no time', 'no time'],
])('the age of %s is %s', (time, words) => {
  expect(relativeTime(time, NOW)).toBe(words);
});
