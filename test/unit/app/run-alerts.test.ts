import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addAlerts, runAlertCommand } from '../../../src/app/run-alerts.ts';
import type { RecordedRun } from '../../../src/core/run-record.ts';
import { SESSION_MEASURES } from '../../../src/core/statuses.ts';
import { figuresOf } from '../../../src/runs/compare/figures.ts';
import { openRunStore } from '../../../src/store/runs/run-store.ts';
import { attemptRow, recordedRun } from '../../support/recorded-runs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { report as reportOf } from '../reports/report.ts';

const FALLS = { metric: 'correct', direction: 'falls', drift: false, gate: false } as const;

function run(n: number, correct: number): RecordedRun {
  const rows = Array.from({ length: 40 }, (_, task) => attemptRow(`t${task}`, 0, task < correct));
  return recordedRun(rows, { id: `2026110${n}T090000000Z-0000000${n}`, startedAt: `2026-11-0${n}T09:00:00.000Z` });
}

async function storeWith(runs: readonly RecordedRun[]) {
  const folder = await temporaryFolder();
  const store = openRunStore(folder.path, { cwd: folder.path, warn: () => {} });
  for (const { manifest, rows } of runs) {
    const writer = await store.create({ ...manifest, endedAt: null, totals: null, state: 'running' });
    await writer.finish(rows, manifest);
  }
  return {
    store,
    project: '/project',
    async [Symbol.asyncDispose]() {
      store[Symbol.dispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe('the alerts of a report', () => {
  const report = { ...reportOf(), verdict: 'passed' as const, gates: [] };

  test('are those of the run that was just recorded, and fail nothing', async () => {
    await using stored = await storeWith([run(1, 40), run(2, 39), run(3, 40)]);
    const now = run(4, 20);
    const { alerts, verdict, gates } = await addAlerts(report, { alerts: { when: [FALLS] } }, now, stored);
    expect(alerts).toMatchObject([{ metric: 'correct', runs: [now.manifest.id] }]);
    expect([verdict, gates]).toEqual(['passed', []]);
  });

  test('fail the run where the configuration says so', async () => {
    await using stored = await storeWith([run(1, 40), run(2, 39), run(3, 40)]);
    const gating = { alerts: { when: [{ ...FALLS, gate: true }] } };
    const { verdict, gates } = await addAlerts(report, gating, run(4, 20), stored);
    expect(verdict).toBe('failed');
    expect(gates).toMatchObject([{ scope: 'run', metric: 'correct', met: false, alert: true, actual: 0.5 }]);
    expect(gates[0]?.reason).toMatch(/^correct falls: 50 % in this run, 99\.\d+ % in 3 runs before\.$/);
  });

  test('are absent for a run that is not recorded or not complete, and empty where nothing changed', async () => {
    await using stored = await storeWith([run(1, 40)]);
    const alerts = { alerts: { when: [FALLS] } };
    const { manifest, rows } = run(4, 20);
    expect(await addAlerts(report, alerts, null, stored)).not.toHaveProperty('alerts');
    const stopped = { manifest: { ...manifest, state: 'interrupted' as const }, rows };
    expect(await addAlerts(report, alerts, stopped, stored)).not.toHaveProperty('alerts');
    expect((await addAlerts(report, alerts, run(4, 40), stored)).alerts).toEqual([]);
  });

  test('look at the runs before it only, also where a later one has ended already', async () => {
    await using stored = await storeWith([run(1, 40), run(5, 0)]);
    const { alerts } = await addAlerts(report, { alerts: { when: [FALLS] } }, run(4, 40), stored);
    expect(alerts).toEqual([]);
  });

  test('can be about every measure of sessions', () => {
    expect(figuresOf([recordedRun([])]).map(({ name }) => name)).toEqual([...SESSION_MEASURES]);
  });
});

describe('the command of alerts', () => {
  const alert = {
    metric: 'cost',
    kind: 'drift',
    direction: 'rises',
    message: 'cost rises slowly: $0.40 in this run; $(touch pwned) `touch pwned`',
    value: 0.4,
    reference: 0.3,
    runs: ['a'],
    gate: false,
  } as const;
  const report = { ...reportOf(), alerts: [alert, { ...alert, metric: 'tokens' }] };
  const signal = new AbortController().signal;

  test('is run for each alert in the folder of the configuration, with the alert as JSON on standard input', async () => {
    await using folder = await temporaryFolder();
    const script = `let text = ''; process.stdin.on('data', (chunk) => { text += chunk; }).on('end', () => {
      require('node:fs').appendFileSync('seen.jsonl', text + '\\n' + process.argv[1] + '\\n');
    });`;
    const failures = await runAlertCommand([process.execPath, '-e', script, '$HOME'], report, {
      cwd: folder.path,
      signal,
    });
    expect(failures).toEqual([]);
    const seen = (await readFile(join(folder.path, 'seen.jsonl'), 'utf8')).split('\n');
    expect(JSON.parse(seen[0] ?? '')).toEqual({
      ...alert,
      run: { id: report.run.id, startedAt: report.run.startedAt, agentVersion: report.run.agentVersion },
    });
    expect(seen[1]).toBe('$HOME');
    expect(JSON.parse(seen[2] ?? '')).toMatchObject({ metric: 'tokens' });
  });

  test('that fails, ignores its input or does not exist is reported, and fails nothing', async () => {
    await using folder = await temporaryFolder();
    const one = { ...report, alerts: [alert] };
    const where = { cwd: folder.path, signal };
    expect(await runAlertCommand([process.execPath, '-e', 'process.exit(3)'], one, where)).toEqual([
      'The command of alerts failed: it ended with exit code 3.',
    ]);
    expect(await runAlertCommand(['no-such-program'], one, where)).toEqual([
      'The command of alerts failed: spawn no-such-program ENOENT.',
    ]);
    expect(await runAlertCommand([process.execPath, '-e', ''], one, where)).toEqual([]);
  });

  test('is ended when the evaluation is stopped', async () => {
    await using folder = await temporaryFolder();
    const controller = new AbortController();
    const running = runAlertCommand(
      [process.execPath, '-e', 'setInterval(() => {}, 1000)'],
      { ...report, alerts: [alert] },
      {
        cwd: folder.path,
        signal: controller.signal,
      },
    );
    controller.abort();
    expect(await running).toHaveLength(1);
  });
});
