import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sampleFromSchema } from '../../../src/app/sample-from-schema.ts';
import { isObject, type JsonObject } from '../../../src/core/json.ts';
import { benchJudge } from '../../bench/judge/measure.ts';
import { pinShownIds } from '../../support/shown-ids.ts';
import { answer, type Script, type StubRequest, startStubModels } from '../../support/stub-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Two sessions of two turns, of which the first reached what its user wanted. */
const SESSIONS = JSON.stringify({
  turnwise: 1,
  sessions: [
    { id: 'good', scores: { reward: 1 }, turns: ['A', 'B'].map(turn) },
    { id: 'bad', scores: { reward: 0 }, turns: ['C', 'D'].map(turn) },
  ],
});

/** One of which nobody knows what came of it. */
const UNKNOWN = JSON.stringify({ turnwise: 1, sessions: [{ id: 'unknown', turns: [turn('A')] }] });

function turn(letter: string) {
  return { input: `What is ${letter}?`, output: `It is answer ${letter}.` };
}

interface Said {
  readonly helpfulness: number;
  readonly repeats: boolean;
}

const PACKED: Readonly<Record<string, Said>> = {
  A: { helpfulness: 5, repeats: false },
  B: { helpfulness: 4, repeats: false },
  C: { helpfulness: 2, repeats: false },
  D: { helpfulness: 1, repeats: true },
};
const SEPARATE: typeof PACKED = { ...PACKED, C: { helpfulness: 3, repeats: true } };

/** A model that says one thing of turn C where questions travel together, and another where they do not, or with turn D. */
const model: Script = ({ schema, prompt }: StubRequest) => {
  const all = sampleFromSchema(pinShownIds(schema ?? {}, prompt));
  if (!isObject(all)) return undefined;
  const [, number, next] =
    /at the top .*?about turn (\d+)(?:, and under "second" about turn (\d+))?\./.exec(prompt) ?? [];
  const sayOf = (values: unknown, turn = '') =>
    isObject(values) ? says(values, turn, prompt, next !== undefined) : {};
  return answer(
    next === undefined ? sayOf(all, number) : { first: sayOf(all.first, number), second: sayOf(all.second, next) },
  );
};

function says(all: JsonObject, number: string, prompt: string, isBesideAnother: boolean): JsonObject {
  const letter = new RegExp(`\\[t${number}\\.answer\\] the answer\\nIt is answer ([A-D])`).exec(prompt)?.[1] ?? '';
  const said = (Object.keys(all).length > 1 && !isBesideAnother ? PACKED : SEPARATE)[letter];
  const evidence = [`t${number}.answer`];
  const own = {
    helpfulness: { evidence: [], reason: 'So it is.', score: said?.helpfulness },
    agent_behavior_failure: {
      failures: said?.repeats ? [{ evidence, reason: 'Again.', label: 'repetition', severity: null }] : [],
    },
  };
  const input = Object.entries(own).filter(([name]) => Object.hasOwn(all, name));
  return { ...all, ...Object.fromEntries(input) };
}

async function bench(args: readonly string[], env = {}): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const code = await benchJudge(args, { env, print: (line) => lines.push(line) });
  return { code, lines };
}

describe('npm run bench:judge', () => {
  it('writes how far a model says the same packed and apart, and what both took', async () => {
    await using stub = await startStubModels(model);
    await using folder = await temporaryFolder({ 'rewarded/a.json': SESSIONS, 'others/b.json': UNKNOWN });
    const out = join(folder.path, 'agreement.md');
    const files = ['rewarded/a.json', 'others/b.json'].map((file) => join(folder.path, file)).join(',');
    const args = ['--judge', 'openai:judge-1', '--judge-url', stub.openai, '--files', files];
    expect(await bench([...args, '--again', '--two-turns', '--out', out])).toMatchObject({ code: 0 });
    const text = await readFile(out, 'utf8');
    const [before = '', against = '', twoTurns = ''] = text.split(
      /## (?:Packed against packed again|One turn against two)/,
    );
    expect(before).toContain('openai/judge-1');
    expect(before).toContain('3 sessions with 5 turns');
    // Of five scores one differs by 1, and the order is the same.
    expect(before).toContain('| `helpfulness` | turn | 5 | 0 | 80 % | 0.20 | 1.00 | – |');
    // Four of five labels agree; by chance it would be 0.56: (4/5 x 3/5) + (1/5 x 2/5).
    expect(before).toContain('| `agent_behavior_failure` | turn | 5 | 0 | 80 % | – | – | 0.55 |');
    expect(against).toContain('| `helpfulness` | turn | 5 | 0 | 100 % | 0.00 | 1.00 | – |');
    expect(twoTurns).toContain('| `helpfulness` | turn | 5 | 0 | 80 % | 0.20 | 1.00 | – |');
    expect(text).toMatch(/^### rewarded\n[^#]*\| `helpfulness` \| 2 \| 1.000 \| 1.000 \| 1.000 \| 1.000 \|/m);
    expect(text).not.toContain('### others');
    const calls = (name: string) =>
      Number(new RegExp(`^\\| ${name} \\| ([\\d,]+) \\|`, 'm').exec(text)?.[1]?.replace(',', ''));
    expect(calls('separate')).toBeGreaterThan(4 * calls('packed'));
    expect(calls('two turns in a call')).toBeLessThan(calls('packed'));
    const all = ['packed', 'separate', 'packed again', 'two turns in a call'].map(calls);
    expect(all.reduce((sum, count) => sum + count)).toBe(stub.requests.length);
  });

  it('selects the requested number of sessions', async () => {
    await using stub = await startStubModels(model);
    await using folder = await temporaryFolder({ 'a.json': SESSIONS });
    const args = ['--judge', 'openai:judge-1', '--judge-url', stub.openai, '--files', join(folder.path, 'a.json')];
    const out = join(folder.path, 'agreement.md');
    expect(await bench([...args, '--limit', '1', '--out', out])).toMatchObject({ code: 0 });
    const text = await readFile(out, 'utf8');
    expect(text).toContain('1 sessions with 2 turns');
    expect(text).toContain('How far the model agrees with itself when it is asked the same twice was not measured');
  });

  it('writes nothing where the model answers nothing', async () => {
    await using stub = await startStubModels(() => answer('I had rather not.'));
    await using folder = await temporaryFolder({ 'a.json': SESSIONS });
    const out = join(folder.path, 'agreement.md');
    const args = ['--judge', 'openai:judge-1', '--judge-url', stub.openai, '--files', join(folder.path, 'a.json')];
    const { code, lines } = await bench([...args, '--out', out]);
    expect(code).toBe(1);
    expect(lines.at(-1)).toMatch(/^The model answered nothing, so nothing is written\./);
    await expect(readFile(out)).rejects.toThrow('ENOENT');
  });

  it.each([
    [[], 'none is named, so nothing was measured: npm run bench:judge -- --judge openai:MODEL'],
    [['--judge', 'rules'], 'none is named'],
    [['--judge', 'openai:m', '--limit', '0'], '--limit 0 is no number of sessions'],
    [['--judge', 'openai:m', '--limt', '3'], "Unknown option '--limt'"],
    [['--judge', 'openai:m', '--files', 'nowhere.json'], 'There are no sessions'],
    [['--judge', 'openai:m', '--files', 'samples/rebooking-loop.json'], 'OPENAI_API_KEY'],
  ])('asks no model if its arguments are invalid: %j', async (args, sentence) => {
    const { code, lines } = await bench(args);
    expect(code).toBe(2);
    expect(lines.at(-1)).toContain(sentence);
  });
});
