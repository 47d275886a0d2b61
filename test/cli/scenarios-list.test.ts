import { describe, expect, it } from 'vitest';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FILES = {
  'turnwise.config.json': '{ "simulation": { "agents": { "shop": { "endpoint": "http://localhost:1" } } } }',
  'refund.sim.ts': `import { scenario } from 'turnwise';
scenario('refund', { turns: [{ userMessage: 'Refund order 7' }] });
scenario('complain', { profile: 'A customer', goal: 'Get an apology' });
`,
};

describe('turnwise scenarios', () => {
  it('lists scenarios with their lines, users, agents and attempts', async () => {
    await using folder = await temporaryFolder(FILES);
    const listed = await turnwise(['scenarios'], { cwd: folder.path });
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toBe(
      [
        'refund.sim.ts:2  refund    1 turn · agent shop · 1 attempt',
        'refund.sim.ts:3  complain  goal: Get an apology · agent shop · 3 attempts\n',
      ].join('\n'),
    );
    const { stdout } = await turnwise(['scenarios', '--filter', 'COMP', '--format', 'json'], { cwd: folder.path });
    expect(JSON.parse(stdout)).toMatchObject([{ file: 'refund.sim.ts', line: 3, name: 'complain', attempts: 3 }]);
  });

  it('says what is wrong with its line, and exits with 2', async () => {
    const text =
      "import { scenario } from 'turnwise';\nscenario('refund', { turns: [{ userMessage: 'a' }], agent: 'shpo' });\n";
    await using folder = await temporaryFolder({ ...FILES, 'refund.sim.ts': text });
    const listed = await turnwise(['scenarios', 'refund.sim.ts'], { cwd: folder.path });
    expect(listed.code).toBe(2);
    expect(listed.stderr).toMatch(/^refund.sim.ts:2: .*"refund" tries the agent "shpo".* Did you mean "shop"\?/m);
    await using empty = await temporaryFolder({});
    const none = await turnwise(['scenarios'], { cwd: empty.path });
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('No scenario was found') });
  });
});
