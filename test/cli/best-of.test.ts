import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { turnwise } from '../support/cli.ts';
import { answer, error, type Script, type StubModels, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, user } from '../support/traces.ts';

/** One trace of each task. */
function traces(folder: string, answers: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    answers.map((text, task) => [`${folder}/task-${task}.json`, chat(user(`Where is order A-${task}?`), agent(text))]),
  );
}

const OLD = traces('old', ['I do not know.', 'No idea.', 'Who knows.', 'Hm.', 'Ask others.', 'Later.']);
const NEW = traces(
  'new',
  ['Found', 'Found', 'Found', 'Found', 'Found', 'Found'].map((word, task) => `${word}: order A-${task} is here.`),
);

/** Prefers the attempt that found the order. */
const preferFound: Script = ({ prompt }) => {
  const [, first = ''] = prompt.split('== The first attempt');
  const isFirst = (first.split('== The second attempt')[0] ?? '').includes('Found');
  return answer({ best_of_goal_completion: { reason: 'It found the order.', better: isFirst ? 'first' : 'second' } });
};

async function project(stub: StubModels | null) {
  const folder = await temporaryFolder({ '.git': '', ...OLD, ...NEW });
  const judge = stub ? ['--judge', 'openai:judge-1', '--judge-url', stub.openai] : [];
  const run = (...args: string[]) =>
    turnwise(['compare', 'old', 'new', '--best-of', 'goal_completion', ...judge, ...args], {
      cwd: folder.path,
      env: { TURNWISE_HOME: join(folder.path, 'home') },
    });
  return { run, path: folder.path, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

describe('compare --best-of', () => {
  it('names the best agent of trace folders, and asks nothing twice', async () => {
    await using stub = await startStubModels(preferFound);
    await using folder = await project(stub);
    const { code, stdout, stderr } = await folder.run();
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toContain('new is best by goal_completion: it wins each of its matches beyond chance.');
    expect(stdout).toContain('Both orders agree on 6 of 6 pairs.');
    expect(stub.requests).toHaveLength(12);

    const { stdout: json } = await folder.run('--format', 'json');
    expect(JSON.parse(json)).toMatchObject({
      schemaVersion: 1,
      best: 1,
      isClear: true,
      tournament: 'king-of-the-hill',
      matches: [{ runs: [0, 1], wins: [0, 6], ties: 0, orders: { agree: 6, of: 6 } }],
      usage: { judgeCalls: 0, judgeCallsCached: 12 },
    });
    expect(stub.requests).toHaveLength(12);
  });

  it('writes Markdown with the reasons, in which text of a judge is no markup', async () => {
    const script: Script = () =>
      answer({ best_of_goal_completion: { reason: 'See <img src=x> | [here](http://e.vil)', better: 'second' } });
    await using stub = await startStubModels(script);
    await using folder = await project(stub);
    const { stdout, code } = await folder.run('--format', 'markdown');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^## Best of old, new\n\n\*\*No run comes first by goal\\?_completion\.\*\*\n/);
    expect(stdout).toContain(
      '| run | won | tied | lost | share |\n| --- | --- | --- | --- | --- |\n| old | 0 | 6 | 0 | 50% |',
    );
    expect(stdout).toContain('### old against new: 0 to 0, 6 ties');
    expect(stdout).toContain('\\<img src=x\\>');
    expect(stdout).not.toMatch(/[^\\]<img|[^\\]\[here/);
  });

  it('reports a judge that follows the order, and names no best', async () => {
    await using stub = await startStubModels(() =>
      answer({ best_of_goal_completion: { reason: 'The first.', better: 'first' } }),
    );
    await using folder = await project(stub);
    const { stdout } = await folder.run('--tournament', 'all-pairs');
    expect(stdout).toContain('No run comes first by goal_completion.');
    expect(stdout).toContain(
      'Both orders agree on 0 of 6 pairs; of the others, the judge chose the attempt shown first in 6.',
    );
  });

  it('says what it would cost, and sends nothing', async () => {
    await using stub = await startStubModels(preferFound);
    await using folder = await project(stub);
    const { code, stdout } = await folder.run('--dry-run');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Plan: the best by goal_completion, about 12 calls, [\d,]+ tokens in, /);
    expect(stub.requests).toHaveLength(0);
  });

  it('needs a judge', async () => {
    await using folder = await project(null);
    const { code, stdout } = await folder.run('--format', 'json');
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'needs_judge' });
  });

  it('is undecided if the judge does not answer, and says why', async () => {
    await using stub = await startStubModels(() => error(400, { message: 'No such model.' }));
    await using folder = await project(stub);
    const { code, stdout } = await folder.run();
    expect(code).toBe(3);
    expect(stdout).toContain('No pair was judged.');
    expect(stdout).toContain('No such model.');
  });

  it('is what the options of a judge are for', async () => {
    await using folder = await temporaryFolder({ '.git': '' });
    const { code, stderr } = await turnwise(['compare', 'last~1', 'last', '--max-calls', '3'], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr).toContain('--max-calls goes with --best-of only');
  });

  it.each([
    [['--best-of', 'loop_detection'], 'computed without a judge'],
    [['--best-of', 'nonsense'], 'no metric "nonsense"'],
    [['--judge', 'openai:judge-1'], 'OPENAI_API_KEY'],
  ])('refuses %j with a sentence', async (args, sentence) => {
    await using folder = await project(null);
    const { code, stderr } = await folder.run(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });
});
