import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { riskCoefficientsSchema } from '../../src/core/schemas/risk-coefficients.ts';
import { type CliResult, turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface LabelledSession {
  readonly id: string;
  readonly outcome?: 'succeeded' | 'failed';
  /** Whether the agent called a tool that failed, again and unchanged. */
  readonly repeats?: boolean;
}

/** A session in Turnwise's own format. */
function session({ id, outcome, repeats = false }: LabelledSession): object {
  const call = {
    type: 'tool',
    name: 'find_order',
    arguments: { order: id },
    error: 'Order not found',
    outcome: 'error',
  };
  const turn = { input: 'Where is my order?', output: 'It is on its way.', steps: repeats ? [call, call] : [] };
  return { id, turns: [turn], ...(outcome && { outcome }) };
}

function traces(sessions: readonly LabelledSession[]): string {
  return JSON.stringify({ turnwise: 1, sessions: sessions.map(session) });
}

/** The agent fails exactly where it repeats a failed call, and in one session in four. */
const TELLING = Array.from({ length: 60 }, (_, i): LabelledSession => {
  const isFailed = i % 4 === 0;
  return { id: `s${i}`, outcome: isFailed ? 'failed' : 'succeeded', repeats: isFailed };
});

/** What the agent does has nothing to do with how the session ends. */
const UNRELATED = Array.from({ length: 60 }, (_, i): LabelledSession => {
  return { id: `s${i}`, outcome: i % 3 === 0 ? 'failed' : 'succeeded', repeats: i % 4 === 0 };
});

async function calibrate(
  files: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  after: (folder: string) => Promise<void> = async () => {},
): Promise<CliResult & { readonly written: string | null }> {
  await using folder = await temporaryFolder(files);
  const result = await turnwise(['calibrate', 'risk', ...args], { cwd: folder.path });
  const written = await readFile(join(folder.path, 'turnwise.risk.json'), 'utf8').catch(() => null);
  await after(folder.path);
  return { ...result, written };
}

describe('turnwise calibrate risk', () => {
  it('stores weights that are better, which later evaluations use and name', async () => {
    let fittedOn: unknown;
    const { code, stdout, written } = await calibrate({ 'a.json': traces(TELLING) }, ['a.json'], async (folder) => {
      const { stdout: report } = await turnwise(['eval', 'a.json', '--format', 'json'], { cwd: folder });
      fittedOn = JSON.parse(report).sessions[0].metrics.session_risk.metadata.fittedOn;
    });
    expect(code).toBe(0);
    expect(stdout).toContain('60 sessions with an outcome, of 60 tasks: 15 failed.');
    expect(stdout).toContain('The refitted weights are better');
    expect(stdout).toContain('Written to turnwise.risk.json: later evaluations of this folder use it.');
    const coefficients = riskCoefficientsSchema.parse(JSON.parse(written ?? ''));
    expect(coefficients.fittedOn).toBe('60 sessions of this project with an outcome, of 60 tasks; 15 failed');
    expect(fittedOn).toBe(coefficients.fittedOn);
  });

  it('stores nothing that is not better beyond chance, except with --force', async () => {
    const files = { 'a.json': traces(UNRELATED) };
    const { code, stdout, written } = await calibrate(files, ['a.json']);
    expect([code, written]).toEqual([0, null]);
    expect(stdout).toContain('not better beyond chance. Nothing was written; --force stores them anyway.');
    expect((await calibrate(files, ['a.json', '--force'])).written).not.toBeNull();
  });

  it('compares only with --dry-run', async () => {
    const { stdout, written } = await calibrate({ 'a.json': traces(TELLING) }, ['a.json', '--dry-run']);
    expect(stdout).toContain('Nothing was written (--dry-run).');
    expect(written).toBeNull();
  });

  it('prints the comparison as JSON', async () => {
    const { stdout } = await calibrate({ 'a.json': traces(TELLING) }, ['a.json', '--format', 'json']);
    const { auroc, brier, ...rest } = JSON.parse(stdout);
    expect(rest).toMatchObject({ sessions: 60, failed: 15, tasks: 60, unlabelled: 0, isBetter: true });
    expect(rest.file).toBe('turnwise.risk.json');
    expect(auroc.fitted.value).toBeGreaterThan(0.9);
    expect(brier.difference.interval[1]).toBeLessThan(0);
  });

  it('refuses too few sessions with an outcome, and says how many are needed', async () => {
    const few = [...TELLING.slice(0, 12), { id: 'unknown' }];
    const { code, stderr, written } = await calibrate({ 'a.json': traces(few) }, ['a.json']);
    expect([code, written]).toEqual([2, null]);
    expect(stderr).toContain('3 failed and 9 succeeded, of 12 tasks. 1 session without an outcome cannot be used.');
    expect(stderr).toContain('At least 10 of each and 10 tasks are needed');
  });

  it("counts the user's thumbs in sidecars as outcomes", async () => {
    const sessions = TELLING.map(({ id, repeats }) => ({ id, repeats }));
    const feedback = TELLING.map(({ id, outcome }) => {
      return { id, feedback: [{ value: outcome === 'failed' ? 'down' : 'up' }] };
    });
    const files = { 'a.json': traces(sessions), 'a.turnwise.json': JSON.stringify({ sessions: feedback }) };
    expect((await calibrate(files, ['a.json'])).stdout).toContain(
      '60 sessions with an outcome, of 60 tasks: 15 failed.',
    );
  });

  it('writes beside the configuration, over broken weights, and reads its traces without a path', async () => {
    const files = {
      'runs/a.json': traces(TELLING),
      'turnwise.config.json': '{"traces": ["runs/*.json"]}',
      'turnwise.risk.json': '{"weights": 1}',
    };
    const { code, stderr, written } = await calibrate(files);
    expect([code, stderr]).toEqual([0, '']);
    expect(riskCoefficientsSchema.safeParse(JSON.parse(written ?? '')).success).toBe(true);
  });

  it('never replaces a trace', async () => {
    const { code, stderr } = await calibrate({ 'a.json': traces(TELLING) }, ['a.json', '--out', 'a.json']);
    expect(code).toBe(2);
    expect(stderr).toContain('--out a.json would replace a.json, which is an input.');
  });

  it('refuses weights that would not count', async () => {
    const own = {
      fittedOn: 'x',
      isProbability: false,
      intercept: 0,
      weights: {},
      levels: { elevated: 0.4, high: 0.6 },
    };
    const none = { weight: 0, centre: 0 };
    const risk = { ...own, length: none, agreement: none };
    const files = { 'a.json': traces(TELLING), 'turnwise.config.json': JSON.stringify({ risk }) };
    const { code, stderr } = await calibrate(files, ['a.json']);
    expect(code).toBe(2);
    expect(stderr).toContain('The weights under "risk" in turnwise.config.json win over a turnwise.risk.json.');
    const off = { ...files, 'turnwise.config.json': '{"judge": {"provider": "none"}}' };
    expect((await calibrate(off, ['a.json'])).stderr).toContain('switches the rules off');
  });

  it('makes an evaluation with broken weights fail, with the line and the remedy', async () => {
    await using folder = await temporaryFolder({ 'a.json': traces(TELLING) });
    await writeFile(join(folder.path, 'turnwise.risk.json'), '{\n"weights": 1\n}');
    const { code, stderr } = await turnwise(['eval', 'a.json'], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr).toContain('turnwise.risk.json:2:1: weights is 1;');
    expect(stderr).toContain('Run `turnwise calibrate risk` again, or delete the file.');
  });
});
