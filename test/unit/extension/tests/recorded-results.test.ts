import { describe, expect, it, vi } from 'vitest';
import { scenarioResultsChanged } from '../../../../src/protocol/scenarios.ts';
import { attempt, scenarioResult } from './scenario-results.ts';

vi.mock('vscode', () => import('./fake-testing.ts'));
const { DELIVERY, REFUND, settle, shown, TWO_FILES, useFakeEditor } = await import('./test-explorer.ts');

useFakeEditor();

describe('results of other runs', () => {
  it('appear as a run without focus that the editor does not store', async () => {
    const { stored, notify, controller, lastRun, item } = await shown({ scenarios: TWO_FILES });
    expect(controller.runs).toHaveLength(0);
    stored.push(scenarioResult(REFUND, 'refund an order', [attempt('failed')]));
    notify(scenarioResultsChanged, { uris: [REFUND] });
    await settle();
    expect(controller.runs).toHaveLength(1);
    expect(lastRun()).toMatchObject({ isPersisted: false, isOver: true, name: 'Recorded Results' });
    expect(lastRun().request).toMatchObject({ preserveFocus: true, include: [item('refund an order')] });
    expect(lastRun().stateOf('refund an order')).toBe('failed');
    notify(scenarioResultsChanged, { uris: [REFUND] });
    await settle();
    expect(controller.runs).toHaveLength(1);
  });

  it('wait while a requested run goes on, and repeat nothing that it reported', async () => {
    const gate = Promise.withResolvers<void>();
    const own = scenarioResult(REFUND, 'refund an order', [attempt('passed')]);
    const { stored, start, notify, controller, lastRun } = await shown({
      scenarios: TWO_FILES,
      run: async () => {
        await gate.promise;
        return { results: [own] };
      },
    });
    const run = start('Run');
    await settle();
    stored.push(own, scenarioResult(DELIVERY, 'find an order', [attempt('passed')]));
    notify(scenarioResultsChanged, { uris: [REFUND, DELIVERY] });
    await settle();
    expect(controller.runs).toHaveLength(1);
    gate.resolve();
    await settle();
    await run;
    await settle();
    expect(controller.runs).toHaveLength(2);
    expect(lastRun().events).toEqual(['passed find an order']);
  });

  it('are marked as outdated when their file has changed', async () => {
    const { stored, notify, controller, item } = await shown({ scenarios: TWO_FILES });
    const result = scenarioResult(REFUND, 'refund an order', [attempt('passed')], { allPass: { k: 2, value: 1 / 3 } });
    stored.push(result);
    notify(scenarioResultsChanged, { uris: [REFUND] });
    await settle();
    expect(item('refund an order').description).toBe('1/1 · pass^2 0.33 · 400 tokens');
    stored[0] = { ...result, isStale: true };
    notify(scenarioResultsChanged, { uris: [REFUND] });
    await settle();
    expect(item('refund an order').description).toBe('1/1 · pass^2 0.33 · 400 tokens · outdated');
    expect(controller.invalidated).toEqual(['refund an order']);
    expect(controller.runs).toHaveLength(1);
  });
});
