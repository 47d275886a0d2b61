import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { load } from '../../src/input/load.ts';
import { nodeFileSystem } from '../../src/input/node-file-system.ts';
import { isFeedbackOn } from '../../src/panel/feedback.ts';
import { ConsentFile } from '../../src/store/consent-file.ts';
import { turnwise } from '../support/cli.ts';
import { workspaceOfV010 } from '../support/workspace-of-v0.1.0.ts';

interface Occurrence {
  readonly session: string;
  readonly turn: number;
  readonly rule: string;
}

describe('files written by 0.1.0', () => {
  it('contain the consent that the user gave', async () => {
    await using there = await workspaceOfV010();
    const file = new ConsentFile(there.home);
    expect(await file.find('/workspace', 'api.example.com')).toBe('allow');
    expect(await file.find('/workspace', 'models.example.com:8443')).toBe('never');
    // The last answer counts.
    expect(await file.find('/other', 'api.example.com')).toBe('never');
    expect(await file.find('/other', 'models.example.com:8443')).toBeNull();
  });

  it('apply suppressions, rule levels, severities and gates, also under former ids of rules', async () => {
    await using there = await workspaceOfV010();
    const { stdout, stderr, code } = await turnwise(['eval', 'traces', '--judge', 'rules', '--format', 'json'], {
      cwd: there.folder,
      env: { TURNWISE_HOME: there.home },
    });
    // The key "scenarios", which 0.1.0 accepted and did not use, says where scenarios are.
    expect(stderr).not.toContain('scenarios');
    const report = JSON.parse(stdout);
    expect(report.problems).toEqual([]);
    // Only the severity that the configuration gives this label fails the run.
    expect(code).toBe(1);
    const name = ({ session, turn, rule }: Occurrence) => `${session} ${turn} ${rule}`;
    expect(report.suppressed.map((item: Occurrence & { reason: string }) => `${name(item)}: ${item.reason}`)).toEqual([
      'task-12-trial-0 1 amount-stated: Prices are on the web site.',
      'task-12-trial-0 2 selection-from-search: The customer named the plan.',
    ]);
    const result = report.failures.flatMap(
      ({ severity, occurrences }: { severity: string; occurrences: readonly Occurrence[] }) =>
        occurrences.map((occurrence) => `${name(occurrence)} ${severity}`),
    );
    expect(result).toEqual(
      expect.arrayContaining([
        'refund-claimed-after-error 1 success-after-error critical',
        'task-12-trial-2 2 error-repeated-unchanged medium',
        'task-12-trial-1 3 selection-from-search low',
        'task-12-trial-1 3 amount-stated low',
      ]),
    );
  });

  it('contain the feedback of the user, also under former ids of rules', async () => {
    await using there = await workspaceOfV010();
    const file = join(there.folder, 'traces', 'plan-change-four-attempts.json');
    const { sessions, problems } = await load([file], nodeFileSystem, { signal: new AbortController().signal });
    expect(problems).toEqual([]);
    expect(sessions[0]?.turns[0]?.feedback).toMatchObject([
      { metric: 'helpfulness', value: 'down', score: 1, note: 'It did not help.' },
    ]);
    expect(sessions[1]?.feedback).toMatchObject([{ metric: 'task_completion', value: 'up', score: 0 }]);
    const onRule = sessions[1]?.turns[3]?.feedback?.filter((item) =>
      isFeedbackOn(item, { type: 'rule', rule: 'selection-from-search' }),
    );
    expect(onRule).toMatchObject([{ value: 'down' }]);
  });
});
