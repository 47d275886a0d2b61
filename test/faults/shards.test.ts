import { join } from 'node:path';
import { expect, it } from 'vitest';
import { get } from '../../src/core/json.ts';
import { openRunStore } from '../../src/store/runs/run-store.ts';
import { type CliOptions, turnwise } from '../support/cli.ts';
import { answer, hang, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, user } from '../support/traces.ts';

const FILES = Object.fromEntries(
  Array.from({ length: 6 }, (_, at) => [
    `runs/s${at}.json`,
    chat(user(`When does shop ${at} open?`), agent(`Shop ${at} opens at nine.`)),
  ]),
);

const GROUPED = { groups: ['g1', 'g2'], explanation: 'It makes up what it does not know.', title: 'Made-up facts' };

/** Names one failure in every session, with a label of two in turn, and finds that they have one cause. */
async function startJudge() {
  let isStopped = false;
  let groupings = 0;
  const stub = await startStubModels(({ number, prompt, schema }) => {
    if (get(get(schema, 'properties'), 'failure_groups') !== undefined) {
      groupings += 1;
      return answer({ failure_groups: { merged: [GROUPED] } });
    }
    if (!isStopped && number >= 2) return hang;
    const shop = Number(/Shop (\d) opens/.exec(prompt)?.[1]);
    const label = shop % 2 === 0 ? 'false information' : 'repetition';
    const [, evidence = ''] = /\[(t\d+\.answer)\]/.exec(prompt.slice(prompt.lastIndexOf('which is asked about'))) ?? [];
    const failure = { label, reason: `Shop ${shop} opens at ten.`, evidence: [evidence], severity: null };
    return answer({ agent_behavior_failure: { failures: [failure] } });
  });
  return {
    stub,
    goOn() {
      isStopped = true;
    },
    groupings: () => groupings,
    [Symbol.asyncDispose]: () => stub[Symbol.asyncDispose](),
  };
}

it('merges a part that was killed and continued into the run of a single process, with one question about causes', {
  timeout: 120_000,
}, async () => {
  await using judge = await startJudge();
  await using folder = await temporaryFolder({ '.git': '', ...FILES });
  const home = join(folder.path, 'home');
  const run = (args: readonly string[], options: Omit<CliOptions, 'cwd'> = {}) =>
    turnwise(args, { cwd: folder.path, env: { TURNWISE_HOME: home }, ...options });
  const model = ['--judge', 'openai:judge-1', '--judge-url', judge.stub.openai, '--no-cache'];
  const evaluation = ['--metrics', 'agent_behavior_failure', '--concurrency', '1', ...model];

  const recorded = async () => {
    using store = openRunStore(home, { cwd: folder.path, warn: () => {} });
    const [listed] = store.list({ project: folder.path });
    if (!listed) return 0;
    const record = await store.find(listed.manifest.id, folder.path);
    let count = 0;
    for await (const _ of record.sessions()) count += 1;
    return count;
  };
  const killed = await run(['eval', 'runs', '--shard', '1/2', ...evaluation], {
    whileRunning: async (child) => {
      try {
        await judge.stub.arrived(3);
        await expect.poll(recorded, { timeout: 30_000 }).toBe(2);
      } finally {
        child.kill('SIGKILL');
      }
    },
  });
  expect(killed.code).toBeNull();
  judge.goOn();
  const early = await run(['merge', 'last']);
  expect([early.code, early.stderr]).toEqual([
    2,
    expect.stringMatching(
      /Shard 2 of 2 is missing, with 3 sessions\..*\n.* is not complete: 2 of 3 sessions\. Continue it with its options: turnwise eval --resume \S+\n/,
    ),
  ]);
  const changed = await run(['eval', '--shard', '2/2', '--resume', 'last', ...evaluation]);
  expect(changed.stderr).toContain('it evaluates shard 1/2, and not shard 2/2');
  const before = judge.stub.requests.length;
  const continued = await run(['eval', '--resume', 'last', ...evaluation]);
  expect(continued.stderr).toContain('Shard 1/2: 3 of 6 sessions');
  expect(judge.stub.requests.length - before).toBe(1);
  await run(['eval', 'runs', '--shard', '2/2', ...evaluation]);
  expect(judge.groupings()).toBe(0);

  const merged = await run(['merge', 'last~1', 'last', ...model, '--format', 'json']);
  expect(judge.groupings()).toBe(1);
  const whole = await run(['eval', 'runs', ...evaluation, '--format', 'json']);
  const [one, other] = [whole, merged].map(({ stdout }) => JSON.parse(stdout));
  expect(one.failures[0]).toMatchObject({ title: 'Made-up facts', count: 6 });
  expect(one.run.usage.judgeCalls).toBe(7);
  for (const { run: own } of [one, other]) Object.assign(own, { id: '', startedAt: '', durationMs: 0 });
  expect(other).toEqual(one);
  expect(merged.code).toBe(whole.code);
});
