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

async function project(configuration: string) {
  const folder = await temporaryFolder({ '.git': '', 'turnwise.config.ts': configuration });
  const run = (...args: string[]) =>
    turnwise(args, { cwd: folder.path, env: { TURNWISE_HOME: join(folder.path, 'home') } });
  return { run, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

describe('eval without a path', () => {
  it("evaluates what the configuration's source yields", async () => {
    await using folder = await project(CONFIGURATION);
    const { stdout, stderr } = await folder.run('eval', '--format', 'json');
    const report: Report = JSON.parse(stdout);
    expect(stderr).toBe('');
    expect(report.sessions.map(({ turns }) => turns.length)).toEqual([1, 1]);
    expect(report.sessions.map(({ source }) => source.file)).toEqual(['source/1.json', 'source/2.json']);
    expect((await folder.run('eval', '--dry-run')).stdout).toContain('Plan: 2 sessions, 2 turns.');
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

  it('does not run the source when paths are named', async () => {
    await using folder = await project('export default { source: () => process.exit(1) };');
    expect((await folder.run('eval', 'none.json')).stderr).toContain('No such file or folder: "none.json"');
  });
});
