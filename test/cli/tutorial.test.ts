import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { type CliResult, turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Of the configuration in samples/agent, which the test leaves as it is apart from the port. */
const PORT = '8787';

/** The commands of the tutorial, in order. */
async function tutorialCommands(): Promise<string[]> {
  const page = await readFile(join(ROOT, 'docs', 'scenarios.md'), 'utf8');
  const tutorial = page.slice(page.indexOf('## Tutorial'), page.indexOf('## Scenario files'));
  return Array.from(tutorial.matchAll(/```sh\n([\s\S]*?)```/g), ([, block = '']) => block.trim().split('\n')).flat();
}

async function startServer(
  file: string,
  cwd: string,
): Promise<{ readonly child: ChildProcess; readonly port: string }> {
  const child = spawn(process.execPath, [file], {
    cwd,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child, port: /:(\d+)\//.exec(String(line))?.[1] ?? '' };
}

describe('the tutorial of docs/scenarios.md', () => {
  it('runs as it is written, command by command', async () => {
    await using folder = await temporaryFolder({ '.git': '' });
    const agentFolder = join(folder.path, 'samples', 'agent');
    await cp(join(ROOT, 'samples', 'agent'), agentFolder, { recursive: true });
    const server: { child?: ChildProcess } = {};
    const ended: CliResult[] = [];
    let cwd = folder.path;
    try {
      for (const command of await tutorialCommands()) {
        const [program, ...args] = command.split(' ');
        if (program === 'node') {
          const { child, port } = await startServer(args[0] ?? '', cwd);
          server.child = child;
          // The port of the tutorial may be taken on this machine.
          const path = join(agentFolder, 'turnwise.config.yaml');
          const text = await readFile(path, 'utf8');
          expect(text).toContain(`:${PORT}/`);
          await writeFile(path, text.replaceAll(`:${PORT}/`, `:${port}/`));
        } else if (program === 'cd') cwd = join(cwd, args[0] ?? '');
        else {
          expect(program).toBe('turnwise');
          ended.push(await turnwise(args, { cwd, env: { TURNWISE_HOME: join(folder.path, 'home') } }));
        }
      }
    } finally {
      server.child?.kill();
    }
    const [passed, failed] = ended;
    expect(ended).toHaveLength(2);
    expect(passed?.code).toBe(0);
    // The agent "hasty" refunds before the user has agreed.
    expect(failed?.code).toBe(1);
    expect(failed?.stdout).toMatch(/forbidden call refund_order was\s+made/i);
    expect(failed?.stdout).toMatch(/\.turnwise\/runs\/[^\s:]+\.session\.json:\d+/);
  });
});
