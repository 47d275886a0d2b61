import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/index.ts';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The worked example of docs/configuration.md. */
const CONFIGURATION = `
const rows = [
  { id: 'a-1', question: 'Where is my order?', answer: 'It left on Monday.' },
  { id: 'a-2', question: 'Can I return it?', answer: 'Yes, within 30 days.' },
];

export default {
  async *source() {
    for (const { id, question, answer } of rows) {
      yield { messages: [{ role: 'user', content: question }, { role: 'assistant', content: answer }], id };
    }
  },
};
`;

const CONVERSATION = JSON.stringify({
  messages: [
    { role: 'user', content: 'Where is my order?' },
    { role: 'assistant', content: 'It left on Monday.' },
  ],
});

const EVALUATION_SET = JSON.stringify({
  eval_set_id: 'set',
  eval_cases: [
    {
      eval_id: 'case',
      conversation: [{ invocation_id: 'i', user_content: { role: 'user', parts: [{ text: 'Hello' }] } }],
    },
  ],
});

async function project(configuration: string) {
  const folder = await temporaryFolder({ '.git': '', 'turnwise.config.ts': configuration });
  const run = (...args: string[]) =>
    turnwise(args, { cwd: folder.path, env: { TURNWISE_HOME: join(folder.path, 'home') } });
  return { run, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

describe('eval without a path', () => {
  it("evaluates what the configuration's source yields", async () => {
    await using folder = await project(CONFIGURATION);
    const { stdout, stderr } = await folder.run('eval', '--record', 'none', '--format', 'json');
    const report: Report = JSON.parse(stdout);
    expect(stderr).toBe('');
    expect(report.sessions.map(({ turns }) => turns.length)).toEqual([1, 1]);
    expect(report.sessions.map(({ source }) => source.file)).toEqual(['source/1.json', 'source/2.json']);
    expect((await folder.run('eval', '--dry-run', '--config', 'turnwise.config.ts')).stdout).toContain(
      'Plan: 2 sessions, 2 turns.',
    );
  });

  it('evaluates what a source yielded before it failed, and ends with an input error', async () => {
    await using folder = await project(
      CONFIGURATION.replace('    }\n  },', '    }\n    throw new Error("gone");\n  },'),
    );
    const { stdout, stderr, code } = await folder.run('eval', '--format', 'json');
    expect(JSON.parse(stdout).sessions).toHaveLength(2);
    expect(stderr).toContain('The source threw an error: gone after 2 values.');
    expect(code).toBe(2);
  });

  it('evaluates the traces of the configuration in a folder above, relative to it', async () => {
    await using folder = await temporaryFolder({
      '.git': '',
      'turnwise.config.json': JSON.stringify({ traces: ['runs/*.log.json', 'none/*.json', 'cases'] }),
      'runs/a.log.json': CONVERSATION,
      'runs/b.json': CONVERSATION,
      'cases/c.test.json': EVALUATION_SET,
    });
    const cwd = join(folder.path, 'runs');
    const { stdout, stderr } = await turnwise(['eval', '--format', 'json'], { cwd, env: { HOME: folder.path } });
    const report: Report = JSON.parse(stdout);
    expect(stderr).toContain('No session for case "case"');
    expect(report.sessions.map(({ source }) => source.file)).toEqual(['../runs/a.log.json', '../cases/c.test.json']);
  });

  it('ends with an input error when the traces of the configuration match nothing', async () => {
    await using folder = await temporaryFolder({ '.git': '', 'turnwise.config.json': '{ "traces": ["runs/*.json"] }' });
    const { stderr, code } = await turnwise(['eval'], { cwd: folder.path });
    expect(stderr).toContain('turnwise.config.json: "traces" of this configuration matches no file: runs/*.json.');
    expect(code).toBe(2);
  });

  it('does not run the source when paths are named', async () => {
    await using folder = await project('export default { source: () => process.exit(1) };');
    expect((await folder.run('eval', 'none.json')).stderr).toContain('No such file or folder: "none.json"');
  });
});
