import { dirname, join } from 'node:path';
import { exists } from '../config/discover.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { describeSystemError } from '../input/system-error.ts';
import { createFolder, writeFile } from '../output/write-file.ts';
import { AGENT_SKILL } from './agent-skill.ts';
import type { CommandHost } from './host.ts';
import { UsageError } from './usage-error.ts';

/** Where agents look for skills, and what shows that one is used in a project. The first is for projects that show none. */
const PLACES = [
  { folder: '.claude/skills', signs: ['.claude', 'CLAUDE.md', '.mcp.json'] },
  { folder: '.agents/skills', signs: ['.agents', '.codex', 'AGENTS.md'] },
] as const;

const SKILL = 'turnwise/SKILL.md';

/** `turnwise init --agents`: writes the skill where the agents of this project look for it. @returns the exit code. @throws UsageError */
export async function initAgents({ force }: { readonly force?: true }, host: CommandHost): Promise<number> {
  const found = await Promise.all(PLACES.map(({ signs }) => anyExists(signs, host.cwd)));
  const used = PLACES.filter((_, index) => found[index]);
  const files = (used.length > 0 ? used : PLACES.slice(0, 1)).map(({ folder }) => `${folder}/${SKILL}`);
  const states = await Promise.all(files.map((file) => stateOf(file, host.cwd)));
  const changed = files.find((_, index) => states[index] === 'other');
  if (changed !== undefined && !force) {
    throw new UsageError(`${changed} already exists, with another text. Nothing was written. --force replaces it.`);
  }
  for (const [index, file] of files.entries()) {
    if (states[index] === 'same') {
      await host.stdout.write(`${file} is up to date.\n`);
      continue;
    }
    await write(file, host.cwd, states[index] === 'other');
    await host.stdout.write(`Created ${file}, which tells coding agents how to use Turnwise.\n`);
  }
  await host.stdout.write(
    'Tools for the agent: claude mcp add turnwise -- npx turnwise mcp (other agents: docs/agents.md)\n',
  );
  return EXIT_CODES.passed;
}

async function anyExists(names: readonly string[], folder: string): Promise<boolean> {
  const found = await Promise.all(names.map((name) => exists(join(folder, name))));
  return found.includes(true);
}

/** @throws UsageError */
async function stateOf(file: string, folder: string): Promise<'missing' | 'same' | 'other'> {
  const path = join(folder, file);
  try {
    for (let part = path; part !== folder; part = dirname(part)) {
      if (await nodeFileSystem.leadsOutside(part, folder))
        throw new UsageError(`${file} is behind a link that leads out of this folder. Nothing was written.`);
    }
    if (!(await exists(path))) return 'missing';
    return new TextDecoder().decode(await nodeFileSystem.read(path)) === AGENT_SKILL ? 'same' : 'other';
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be read: ${describeSystemError(error)}.`);
  }
}

/** @throws UsageError */
async function write(file: string, folder: string, replaces: boolean): Promise<void> {
  try {
    await createFolder(dirname(join(folder, file)));
    await writeFile(join(folder, file), AGENT_SKILL, { isNew: !replaces });
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${describeSystemError(error)}.`);
  }
}
