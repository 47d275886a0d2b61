import { describe, expect, it, vi } from 'vitest';
import { CancellationTokenSource, changes, fake, Uri } from './fake-testing.ts';
import { attempt, fileUri, scenarioResult, scenarioRow } from './scenario-results.ts';

vi.mock('vscode', () => import('./fake-testing.ts'));
const { DELIVERY, REFUND, settle, shown, testExplorer, TWO_FILES, useFakeEditor } = await import('./test-explorer.ts');

useFakeEditor();

describe('the tree of scenarios', () => {
  it('searches nothing and asks no server before it is shown', async () => {
    const { requests } = testExplorer({ scenarios: TWO_FILES });
    await settle();
    expect(fake.searches).toBe(0);
    expect(requests).toEqual([]);
  });

  it('lists files at first, and the scenarios of a file when it is opened', async () => {
    const { controller, outline, item, requests } = testExplorer({ scenarios: TWO_FILES });
    await controller.resolveHandler?.(undefined);
    expect(outline()).toEqual(['delivery.scenario.yaml', 'refund.sim.ts']);
    expect(requests).not.toContain('turnwise/scenarios');
    const resolved = controller.resolveHandler?.(item('refund.sim.ts'));
    await settle();
    await resolved;
    expect(outline()).toEqual(['delivery.scenario.yaml', 'refund.sim.ts', '  refund an order', '  refuse a refund']);
    expect(item('refuse a refund').range?.start).toEqual({ line: 9, character: 0 });
  });

  it('adds the files that only a configuration names, and asks no server where there is no configuration', async () => {
    const named = fileUri('tests/orders.ts');
    const configured = [named, REFUND];
    const { controller, outline, requests } = testExplorer({ scenarios: TWO_FILES, configured });
    await controller.resolveHandler?.(undefined);
    await settle();
    expect(requests).not.toContain('turnwise/scenarios/files');
    fake.files.push(fileUri('turnwise.config.yaml'));
    await controller.refreshHandler?.(new CancellationTokenSource().token);
    await settle();
    expect(outline().sort()).toEqual(['delivery.scenario.yaml', 'refund.sim.ts', 'tests/orders.ts']);
    fake.files.splice(fake.files.indexOf(REFUND), 1);
    configured.splice(0, 2, fileUri('tests/returns.ts'));
    await controller.refreshHandler?.(new CancellationTokenSource().token);
    await settle();
    expect(outline().sort()).toEqual(['delivery.scenario.yaml', 'tests/returns.ts']);
  });

  it('drops the files that only a configuration named when the configuration is deleted', async () => {
    const settings = fileUri('turnwise.config.yaml');
    const configured = [fileUri('tests/orders.ts')];
    const { controller, outline } = testExplorer({ scenarios: TWO_FILES, configured });
    fake.files.push(settings);
    await controller.resolveHandler?.(undefined);
    await settle();
    expect(outline()).toContain('tests/orders.ts');
    fake.files.splice(fake.files.indexOf(settings), 1);
    fake.deleted.fire(Uri.parse(settings));
    await settle();
    expect(outline()).toEqual(['delivery.scenario.yaml', 'refund.sim.ts']);
  });

  it('shows the scenarios of a file that is opened in an editor before anything was searched', async () => {
    const { outline } = testExplorer({ scenarios: TWO_FILES });
    fake.open(REFUND);
    fake.open(fileUri('notes.md'));
    await settle();
    expect(fake.searches).toBe(0);
    expect(outline()).toEqual(['refund.sim.ts', '  refund an order', '  refuse a refund']);
  });

  it('follows what is typed, after a pause, and sends the text', async () => {
    const scenarios = { ...TWO_FILES };
    const { outline, texts, item } = await shown({ scenarios });
    const before = item('refuse a refund');
    const document = fake.open(REFUND, 'the new text');
    scenarios[REFUND] = [scenarioRow('refund two orders', 2), scenarioRow('refuse a refund', 12)];
    document.isDirty = true;
    texts.length = 0;
    for (let key = 0; key < 10; key += 1) {
      fake.edited.fire({ document });
      await settle(100);
    }
    expect(texts).toEqual([]);
    await settle();
    expect(texts).toEqual(['the new text']);
    expect(outline()).toContain('  refund two orders');
    expect(outline()).not.toContain('  refund an order');
    expect(item('refuse a refund')).toBe(before);
    expect(before.range?.start.line).toBe(12);
  });

  it('follows files that are created, changed and deleted on disk', async () => {
    const scenarios: Record<string, ReturnType<typeof scenarioRow>[]> = { [REFUND]: [scenarioRow('refund an order')] };
    const { outline } = await shown({ scenarios });
    scenarios[DELIVERY] = [scenarioRow('find an order')];
    fake.created.fire(Uri.parse(DELIVERY));
    scenarios[REFUND] = [scenarioRow('cancel an order')];
    fake.changed.fire(Uri.parse(REFUND));
    await settle();
    expect(outline()).toEqual(['refund.sim.ts', '  cancel an order', 'delivery.scenario.yaml']);
    fake.deleted.fire(Uri.parse(REFUND));
    await settle();
    expect(outline()).toEqual(['delivery.scenario.yaml']);
  });

  it('removes the files of a folder that is deleted, and no others', async () => {
    const inside = fileUri('tests/a.sim.ts');
    const { outline } = await shown({ scenarios: { [inside]: [], [fileUri('tests.sim.ts')]: [] } });
    fake.deleted.fire(Uri.parse(fileUri('tests')));
    await settle();
    expect(outline()).toEqual(['tests.sim.ts']);
  });

  it('shows names of hostile files as plain text on one line', async () => {
    const { outline } = await shown({
      scenarios: { [REFUND]: [scenarioRow('a\0b $(error) \n c'), scenarioRow('\n')] },
    });
    expect(outline()).toEqual(['refund.sim.ts', '  ab $ (error) c', '  "\\n"']);
  });

  it('shows 5,000 scenarios with three attempts each in at most 20 updates a second', async () => {
    const scenarios: Record<string, ReturnType<typeof scenarioRow>[]> = {};
    for (let file = 0; file < 500; file += 1) {
      scenarios[fileUri(`${file}.sim.ts`)] = Array.from({ length: 10 }, (_, nth) =>
        scenarioRow(`scenario ${nth}`, nth),
      );
    }
    const results = Object.entries(scenarios).flatMap(([uri, rows]) =>
      rows.map(({ name }) =>
        scenarioResult(uri, name ?? '', [attempt('passed'), attempt('passed'), attempt('failed')]),
      ),
    );
    const { start, lastRun, controller } = await shown({ scenarios, run: () => ({ results }) });
    const startedAt = performance.now();
    const run = start('Run');
    await settle(10_000);
    await run;
    expect(lastRun().events.filter((event) => /^(passed|failed)/.test(event))).toHaveLength(5000 * 4);
    expect(controller.items.all[0]?.children.all[0]?.children.size).toBe(3);
    const times = [...new Set(changes.filter((time) => time >= startedAt))].sort((a, b) => a - b);
    for (const [nth, time] of times.entries())
      expect((times[nth + 20] ?? Infinity) - time).toBeGreaterThanOrEqual(1000);
  });
});
