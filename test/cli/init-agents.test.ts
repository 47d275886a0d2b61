import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CLAUDE = '.claude/skills/turnwise/SKILL.md';
const AGENTS = '.agents/skills/turnwise/SKILL.md';

describe('turnwise init --agents', () => {
  it('writes the skill where the agents of the project look for it, and twice is as good as once', async () => {
    await using folder = await temporaryFolder({ 'CLAUDE.md': '# Ours', 'AGENTS.md': '# Ours too' });
    const init = () => turnwise(['init', '--agents'], { cwd: folder.path });
    expect(await init()).toMatchObject({ code: 0, stdout: expect.stringContaining(`Created ${CLAUDE}`) });
    const text = await readFile(join(folder.path, CLAUDE), 'utf8');
    expect(text).toMatch(/^---\nname: turnwise\ndescription: .+\n---\n/);
    expect(await readFile(join(folder.path, AGENTS), 'utf8')).toBe(text);
    expect(await init()).toMatchObject({ code: 0, stdout: expect.stringContaining(`${AGENTS} is up to date.`) });
    expect(await readFile(join(folder.path, 'CLAUDE.md'), 'utf8')).toBe('# Ours');
    expect(await readFile(join(folder.path, 'AGENTS.md'), 'utf8')).toBe('# Ours too');
  });

  it('writes one file where nothing shows which agent is used', async () => {
    await using folder = await temporaryFolder();
    expect((await turnwise(['init', '--agents'], { cwd: folder.path })).stdout).toContain(`Created ${CLAUDE}`);
    await expect(readFile(join(folder.path, AGENTS), 'utf8')).rejects.toThrow('ENOENT');
  });

  it('replaces no text of a user without --force', async () => {
    await using folder = await temporaryFolder({ [AGENTS]: 'My own.', '.claude/settings.json': '{}' });
    const refused = await turnwise(['init', '--agents'], { cwd: folder.path });
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${AGENTS} already exists, with another text. Nothing was written.`),
    });
    expect(await readFile(join(folder.path, AGENTS), 'utf8')).toBe('My own.');
    await expect(readFile(join(folder.path, CLAUDE), 'utf8')).rejects.toThrow('ENOENT');
    expect(await turnwise(['init', '--agents', '--force'], { cwd: folder.path })).toMatchObject({ code: 0 });
    expect(await readFile(join(folder.path, AGENTS), 'utf8')).toContain('name: turnwise');
  });

  it('writes nothing behind a link that leads elsewhere', async () => {
    await using other = await temporaryFolder();
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, '.claude'));
    await writeFile(join(other.path, 'x'), '');
    await symlink(other.path, join(folder.path, '.claude/skills'));
    const refused = await turnwise(['init', '--agents'], { cwd: folder.path });
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('leads out of this folder. Nothing was written.'),
    });
  });
});
