import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { get } from '../../src/core/json.ts';
import type { Report } from '../../src/core/report.ts';
import { turnwise } from '../support/cli.ts';
import {
  answer,
  error,
  type Script,
  type StubModels,
  type StubReply,
  startStubModels,
} from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, UNKNOWN_TOOL, user } from '../support/traces.ts';

/** The failures the judge names in each turn, by the text of the user. */
const NAMED: Readonly<Record<string, { readonly label: string; readonly reason: string }>> = {
  'Is it open?': { label: 'false information', reason: 'It says 9, and the knowledge says 10.' },
  'And on Sunday?': { label: 'false information', reason: 'It says 11, and the knowledge says 12.' },
  'Do you repair lamps?': { label: 'false information', reason: 'There is no repair shop.' },
  'Where are you?': { label: 'repetition', reason: 'It tells the opening hours again.' },
};

const SHOP = chat(
  ...['Is it open?', 'And on Sunday?', 'Thanks.'].flatMap((output) => [user(output), agent(`About: ${output}`)]),
);
const LAMPS = chat(
  ...['Do you repair lamps?', 'Where are you?'].flatMap((output) => [user(output), agent(`About: ${output}`)]),
);

/** A judge that names the failures above and groups them as instructed. */
function judge(grouping: () => StubReply): Script {
  return ({ prompt, schema }) => {
    if (get(get(schema, 'properties'), 'failure_groups') !== undefined) return grouping();
    const question = prompt.slice(prompt.lastIndexOf('which is asked about'));
    const userText = Object.keys(NAMED).find((text) => question.includes(`About: ${text}`));
    const named = userText === undefined ? undefined : NAMED[userText];
    const id = /\[(t\d+\.answer)\]/.exec(question)?.[1] ?? '';
    return answer({
      agent_behavior_failure: { failures: named ? [{ evidence: [id], severity: null, ...named }] : [] },
    });
  };
}

const grouped = (...merged: readonly object[]) => judge(() => answer({ failure_groups: { merged } }));

/** One cause of all false information: g1 and g2, of five failures in three groups. */
const ONE_CAUSE = { groups: ['g1', 'g2'], explanation: 'It makes up what it does not know.', title: 'Made-up facts' };

async function project(
  stub: StubModels,
  files: Readonly<Record<string, string>> = { 'a.json': SHOP, 'b.json': LAMPS },
) {
  const folder = await temporaryFolder({ '.git': '', ...files });
  const run = async (...args: readonly string[]) => {
    const all = ['eval', ...Object.keys(files), '--metrics', 'agent_behavior_failure', '--format', 'json'];
    const ended = await turnwise(
      [...all, '--judge', 'openai:judge-1', '--judge-url', stub.openai, '--fail-on', 'critical', ...args],
      {
        cwd: folder.path,
        env: { TURNWISE_HOME: join(folder.path, 'home') },
      },
    );
    const report: Report = JSON.parse(ended.stdout);
    return { ...ended, report };
  };
  return { run, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

const brief = ({ failures }: Report) =>
  failures.map(({ title, label, severity, count }) => [title, label, severity, count]);
const ALIKE = [
  ['false information', 'false information', 'high', 2],
  ['false information', 'false information', 'high', 1],
  ['repetition', 'repetition', 'low', 1],
];

describe('failure labels from a judge', () => {
  it('are merged by cause in one extra call, and keep their locations and reasons', async () => {
    await using stub = await startStubModels(grouped(ONE_CAUSE));
    await using folder = await project(stub);
    const { code, report } = await folder.run();
    expect(code).toBe(0);
    expect(brief(report)).toEqual([
      ['Made-up facts', 'false information', 'high', 3],
      ['repetition', 'repetition', 'low', 1],
    ]);
    expect(report.failures[0]?.occurrences).toMatchObject([
      { file: 'a.json', turn: 0, line: 8, label: 'false information', reason: NAMED['Is it open?']?.reason },
      { file: 'a.json', turn: 1, line: 16, reason: NAMED['And on Sunday?']?.reason },
      { file: 'b.json', turn: 0, line: 8, reason: NAMED['Do you repair lamps?']?.reason },
    ]);
    expect(report.run.usage).toMatchObject({ judgeCalls: 6, judgeCallsCached: 0 });
    expect(stub.requests).toHaveLength(6);

    const again = await folder.run();
    expect(stub.requests).toHaveLength(6);
    expect(again.report.run.usage).toMatchObject({ judgeCalls: 0, judgeCallsCached: 6 });
    expect(again.report.failures).toEqual(report.failures);
  });

  it('fail only the sessions they occur in if the judge rates their cause worse', async () => {
    const cause = { ...ONE_CAUSE, groups: ['g2', 'g3'], severity: 'critical' };
    await using stub = await startStubModels(grouped(cause));
    await using folder = await project(stub);
    const { code, report } = await folder.run();
    expect(code).toBe(1);
    expect(brief(report)).toEqual([
      ['Made-up facts', 'false information', 'critical', 2],
      ['false information', 'false information', 'high', 2],
    ]);
    expect(report.verdict).toBe('failed');
    expect(report.sessions.map(({ verdict }) => verdict)).toEqual(['passed', 'failed']);
    expect(report.gates).toMatchObject([
      { metric: 'severity', actual: 'high', met: true },
      { metric: 'severity', actual: 'critical', met: false, reason: 'a critical problem was found, critical fails' },
    ]);
    expect(await folder.run('--fail-on', 'never')).toMatchObject({ code: 0 });
  });

  it('stay unmerged if the judge cannot group them, without effect on the verdict', async () => {
    await using stub = await startStubModels(judge(() => error(400, 'too long')));
    await using folder = await project(stub);
    const { code, report } = await folder.run();
    expect(code).toBe(0);
    expect(report.verdict).toBe('passed');
    expect(brief(report)).toEqual(ALIKE);
    expect(report.problems).toMatchObject([{ severity: 'warning', code: 'failure-groups', file: 'a.json' }]);
    expect(report.problems[0]?.message).toContain('too long');
  });

  it('stay unmerged at the limit of calls, without a warning', async () => {
    await using stub = await startStubModels(grouped(ONE_CAUSE));
    await using folder = await project(stub);
    const { code, report } = await folder.run('--max-calls', '5');
    expect(code).toBe(0);
    expect(brief(report)).toEqual(ALIKE);
    expect(report.problems).toEqual([]);
  });

  it('need no grouping if there are none or only rules found some', async () => {
    await using stub = await startStubModels(grouped(ONE_CAUSE));
    await using folder = await project(stub, {
      'a.json': UNKNOWN_TOOL,
      'b.json': chat(user('Thanks.'), agent('Bye.')),
    });
    const { report } = await folder.run();
    expect(report.failures.map(({ occurrences }) => occurrences.map(({ rule }) => rule))).toContainEqual([
      'unknown-tool',
    ]);
    expect(stub.requests).toHaveLength(2);
  });

  it('are in the estimate as far as known', async () => {
    await using stub = await startStubModels(grouped(ONE_CAUSE));
    await using folder = await project(stub, { 'a.json': UNKNOWN_TOOL, 'b.json': LAMPS });
    const planned = JSON.parse((await folder.run('--dry-run')).stdout);
    expect(stub.requests).toHaveLength(0);
    const { report } = await folder.run();
    expect(report.run.usage.judgeCalls).toBe(4);
    expect([3, 4]).toContain(planned.judgeCalls);
  });
});
