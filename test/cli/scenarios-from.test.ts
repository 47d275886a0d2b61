import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SAMPLES = join(import.meta.dirname, '..', '..', 'samples');
const TRACE = 'refund-claimed-after-error.json';
const REPLAY = JSON.stringify({ simulation: { agents: { recorded: { type: 'replay', file: TRACE } } } });

/** A project with a trace of which a turn went wrong, and its recorded agent. */
async function project(files: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder({ 'turnwise.config.json': REPLAY, ...files });
  await copyFile(join(SAMPLES, TRACE), join(folder.path, TRACE));
  const run = (...args: string[]) =>
    turnwise(['scenarios', ...args], { cwd: folder.path, env: { TURNWISE_HOME: join(folder.path, 'home') } });
  return { path: folder.path, run, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

/** A session whose refund fails. */
function refund(output: string): string {
  const step = {
    type: 'tool',
    name: 'refund_order',
    arguments: { id: 'A-1001' },
    error: 'payment service unavailable',
  };
  const turn = { input: 'Please refund order A-1001. You have my consent.', output, steps: [step] };
  return JSON.stringify({
    turnwise: 1,
    sessions: [{ id: 'refund', turns: [turn, { input: 'Thanks.', output: 'Bye.' }] }],
  });
}

describe('turnwise scenarios --from', () => {
  it('writes a scenario that fails on its own trace and passes on a corrected one', async () => {
    const agents = { recorded: { type: 'replay', file: 'run.session.json' } };
    await using shop = await project({
      'turnwise.config.json': JSON.stringify({ simulation: { agents } }),
      'run.session.json': refund('Your refund of 42.50 was issued.'),
    });
    const made = await shop.run('--from', 'run.session.json', '--turn', '1', '--out', 'refund.scenario.yaml');
    expect(made).toMatchObject({ code: 0, stdout: '' });
    expect(made.stderr).toMatch(
      /^Written to refund\.scenario\.yaml\. Complete the expectations: refund\.scenario\.yaml:\d+\n$/,
    );
    const failing = await shop.run('--run');
    expect(failing.code).toBe(1);
    expect(failing.stdout).toContain('rule success-after-error reports a finding');

    await writeFile(join(shop.path, 'run.session.json'), refund('The refund failed. A colleague will call you.'));
    const corrected = await shop.run('--run');
    expect(corrected.stdout).toContain('Gates: 2 of 2 met');
    expect(corrected.code).toBe(0);
  });

  it('prints it, and lists it as a scenario', async () => {
    await using shop = await project();
    const { stdout, stderr, code } = await shop.run('--from', TRACE);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    await writeFile(join(shop.path, 'made.scenario.yaml'), stdout);
    const listed = await shop.run();
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(/^made\.scenario\.yaml:4 .* 3 turns · agent recorded · 1 attempt\n$/);
  });

  it('says that the final state of the trace is not checked', async () => {
    const [session] = JSON.parse(refund('The refund failed.')).sessions;
    await using shop = await project({
      'run.session.json': JSON.stringify({ turnwise: 1, sessions: [{ ...session, finalState: { refunded: 0 } }] }),
    });
    const { stdout } = await shop.run('--from', 'run.session.json');
    expect(stdout).toContain('# The final state of the trace is not checked: mocks that are data have none.');
    const before = await shop.run('--from', 'run.session.json', '--turn', '1');
    expect(before.stdout).not.toContain('final state');
  });

  it('replaces no file', async () => {
    await using shop = await project({ 'own.scenario.yaml': 'name: mine' });
    const { code, stderr } = await shop.run('--from', TRACE, '--out', 'own.scenario.yaml');
    expect(code).toBe(2);
    expect(stderr).toContain('--out: own.scenario.yaml exists, and is not replaced. Name another file.');
    expect(await readFile(join(shop.path, 'own.scenario.yaml'), 'utf8')).toBe('name: mine');
  });

  it('asks for the session where a trace has several', async () => {
    await using shop = await project();
    const attempts = 'plan-change-four-attempts.json';
    await copyFile(join(SAMPLES, attempts), join(shop.path, attempts));
    const { code, stderr } = await shop.run('--from', attempts);
    expect(code).toBe(2);
    expect(stderr).toContain(`--from: ${attempts} has 4 sessions. Choose one with --session:\n  task-12-trial-0\n`);
    const chosen = await shop.run('--from', attempts, '--session', 'task-12-trial-2');
    expect(chosen).toMatchObject({ code: 0, stderr: '' });
    expect(chosen.stdout).toContain('# - error-repeated-unchanged (');
  });

  it.each([
    [['--from', TRACE, '--turn', '9'], '--turn: refund-claimed-after-error has 3 turns, and no turn 9.'],
    [['--from', TRACE, '--run'], '--from makes a new scenario: neither name scenario files nor use --run with it.'],
    [['--turn', '1'], '--turn belongs to --from, which names a trace.'],
    [['--from', TRACE, '--out', 'a.json'], '--out: the scenario is YAML. Name a file such as'],
    [['--from', 'missing.json'], 'missing.json'],
  ])('%j exits with 2 and a sentence', async (args, sentence) => {
    await using shop = await project();
    const { code, stderr, stdout } = await shop.run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
  });
});
