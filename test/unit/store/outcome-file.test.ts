import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { evaluateFileStream } from '../../../src/app/evaluate-files.ts';
import type { SessionOutcome } from '../../../src/core/session-outcome.ts';
import type { OutcomeStorage } from '../../../src/engine/outcome-storage.ts';
import { REPORT_WRITERS } from '../../../src/reports/index.ts';
import { OutcomeFile } from '../../../src/store/outcome-file.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');

describe('outcomes of finished sessions', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnwise-'));
    vi.stubEnv('TMPDIR', folder);
    vi.stubEnv('TEMP', folder);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });

  it('give the same reports from a file as from memory', async () => {
    using storage = new OutcomeFile(0);
    const [stored, kept] = [await reports(storage), await reports(undefined)];
    expect(stored.size).toBe(REPORT_WRITERS.length);
    expect(Object.fromEntries(stored)).toEqual(Object.fromEntries(kept));
  });

  it('are equal when they are read again, with the results that they share', async () => {
    using storage = new OutcomeFile(0);
    const outcomes = await sampleOutcomes();
    const stored = outcomes.map((outcome) => storage.put(outcome));
    for (const [index, outcome] of outcomes.entries()) {
      expect(JSON.parse(JSON.stringify(stored[index]))).toEqual(JSON.parse(JSON.stringify(outcome)));
    }
    const shared = outcomes.flatMap(({ turns }, session) =>
      turns.flatMap(({ metrics }, turn) =>
        Object.entries(metrics).flatMap(([name, result]) =>
          Object.isFrozen(result) ? [[result, stored[session]?.turns[turn]?.metrics[name]] as const] : [],
        ),
      ),
    );
    expect(shared.length).toBeGreaterThan(0);
    // Equal results are one object, also those that were not when they were put aside.
    const byContent = new Map(shared.map(([before, after]) => [JSON.stringify(before), after]));
    for (const [before, after] of shared) expect(after).toBe(byContent.get(JSON.stringify(before)));
  });

  it('have the results of metrics with any name', async () => {
    using storage = new OutcomeFile(0);
    const [outcome] = await sampleOutcomes();
    if (!outcome) throw new Error('There is no sample.');
    const metrics = Object.fromEntries(
      Object.values(outcome.metrics)
        .slice(0, 1)
        .map((result) => ['__proto__', result]),
    );
    expect(Object.keys(storage.put({ ...outcome, metrics }).metrics)).toEqual(['__proto__']);
  });

  it('of a small run stay in memory', async () => {
    using storage = new OutcomeFile();
    const [outcome] = await sampleOutcomes();
    expect(outcome && storage.put(outcome)).toBe(outcome);
    expect(await readdir(folder)).toEqual([]);
  });

  it('stay in memory where no file can be written', async () => {
    await rm(folder, { recursive: true });
    using storage = new OutcomeFile(0);
    const [outcome] = await sampleOutcomes();
    expect(outcome && storage.put(outcome)).toBe(outcome);
  });

  it('leave nothing behind', async () => {
    const storage = new OutcomeFile(0);
    const [outcome] = await sampleOutcomes();
    const stored = outcome && storage.put(outcome);
    expect(stored).not.toBe(outcome);
    storage[Symbol.dispose]();
    expect(await readdir(folder)).toEqual([]);
    expect(() => stored?.turns).toThrow('released');
  });
});

async function sampleOutcomes(): Promise<SessionOutcome[]> {
  const outcomes: SessionOutcome[] = [];
  await evaluateSamples({
    put(outcome) {
      outcomes.push(outcome);
      return outcome;
    },
  });
  return outcomes;
}

function evaluateSamples(storage: OutcomeStorage | undefined) {
  return evaluateFileStream([SAMPLES], {}, { ...(storage && { storage }), env: {} });
}

/** The texts of all kinds of report, without what differs between two runs. */
async function reports(storage: OutcomeStorage | undefined): Promise<Map<string, string>> {
  const { report: evaluated, locator } = await evaluateSamples(storage);
  const report = { ...evaluated, run: { ...evaluated.run, id: 'run', startedAt: '', durationMs: 0 } };
  const options = { locator, verbose: true, terminal: false, color: false, columns: 100 };
  const texts = new Map<string, string>();
  for (const writer of REPORT_WRITERS) {
    let text = '';
    for await (const chunk of writer.write(report, options)) text += chunk;
    texts.set(writer.name, text);
  }
  return texts;
}
