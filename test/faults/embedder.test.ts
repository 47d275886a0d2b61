import { join } from 'node:path';
import { expect, it } from 'vitest';
import { turnwise } from '../support/cli.ts';
import { type Script, startStubModels, vectors } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, user } from '../support/traces.ts';

const LOOP = 'Please send me the number of your order and I will look it up for you.';
/** The agent says the same again. */
const TRACE = chat(user('Where is my order?'), agent(LOOP), user('It is A-17.'), agent(`${LOOP} Thank you.`));

const FAULTS: readonly (readonly [string, Script, string])[] = [
  ['zeros', ({ input }) => vectors(input.map(() => [0, 0, 0, 0])), 'returned a vector of zeros'],
  [
    'one vector for all texts',
    ({ input }) => vectors(input.map(() => [1, 2, 3, 4])),
    'the same vector for different texts',
  ],
  ['numbers that overflow', ({ input }) => vectors(input.map((text) => [1e39, text.length])), 'is not a vector'],
  [
    'vectors of two lengths',
    ({ input }) => vectors(input.map((text) => Array(text.length).fill(1))),
    'returned vectors of',
  ],
];

it.each(FAULTS)(
  'an embedder that returns %s leaves the run undecided, and nothing of it is cached',
  async (_, fault, says) => {
    await using stub = await startStubModels(fault);
    await using folder = await temporaryFolder({ '.git': '', 'a.json': TRACE });
    const run = async () => {
      const options = [
        '--embedder',
        'openai:e',
        '--embedder-url',
        stub.openai,
        '--metrics',
        'loop_detection,coherence',
      ];
      const gates = ['--threshold', 'loop_detection=0.9', '--threshold', 'coherence=0.9', '--format', 'json'];
      const { code, stdout } = await turnwise(['eval', 'a.json', ...options, ...gates], {
        cwd: folder.path,
        env: { TURNWISE_HOME: join(folder.path, 'home') },
      });
      return { code, report: JSON.parse(stdout) };
    };
    const { code, report } = await run();
    expect(code).toBe(3);
    for (const metric of ['loop_detection', 'coherence']) {
      const result = report.sessions[0].turns[1].metrics[metric];
      expect(result).toMatchObject({ status: 'error', score: null, reason: expect.stringContaining(says) });
    }
    // The healthy server tells the two answers from all else, and finds the loop.
    stub.play(() => undefined);
    const healthy = await run();
    expect(healthy.code).toBe(1);
    expect(healthy.report.sessions[0].turns[1].metrics.loop_detection).toMatchObject({ status: 'scored' });
    expect(healthy.report.sessions[0].turns[1].metrics.loop_detection.score).toBeLessThan(0.5);
    const asked = stub.requests.length;
    expect((await run()).code).toBe(1);
    expect(stub.requests).toHaveLength(asked);
  },
);
