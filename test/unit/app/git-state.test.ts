import { execFileSync } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProject, readGitState } from '../../../src/app/git-state.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', [...IDENTITY, ...args], { cwd, encoding: 'utf8' }).trim();
}

async function repository() {
  const folder = await temporaryFolder({ 'agent.py': 'print(1)\n' });
  git(folder.path, 'init', '--quiet', '--initial-branch=main');
  git(folder.path, 'add', '.');
  git(folder.path, 'commit', '--quiet', '--message', 'first');
  return folder;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

describe('the state of the code', () => {
  it('names commit and branch, and says whether a tracked file was changed', async () => {
    await using folder = await repository();
    const commit = git(folder.path, 'rev-parse', 'HEAD');
    expect(await readGitState(folder.path)).toEqual({ commit, branch: 'main', dirty: false });

    await writeFile(join(folder.path, 'notes.txt'), 'not tracked\n');
    expect(await readGitState(folder.path)).toMatchObject({ dirty: false });

    await writeFile(join(folder.path, 'agent.py'), 'print(2)\n');
    git(folder.path, 'checkout', '--quiet', '--detach');
    expect(await readGitState(folder.path)).toEqual({ commit, branch: null, dirty: true });
  });

  it('is null without a repository or a commit', async () => {
    await using folder = await temporaryFolder({});
    expect(await readGitState(folder.path)).toBeNull();
    git(folder.path, 'init', '--quiet');
    expect(await readGitState(folder.path)).toBeNull();
  });

  it.each([
    ['a filter', 'filter.own.clean'],
    ['a filter process', 'filter.own.process'],
    ['a filter with an equals sign in its name', 'filter.o=n.clean'],
    ['a monitor of the file system', 'core.fsmonitor'],
  ])('starts no program that the repository configures as %s', async (_, key) => {
    await using folder = await repository();
    const marker = join(folder.path, 'started');
    const name = key.split('.')[1];
    await writeFile(join(folder.path, '.gitattributes'), `*.py filter=${name}\n`);
    git(folder.path, 'add', '.');
    git(folder.path, 'commit', '--quiet', '--message', 'attributes');
    git(folder.path, 'config', key, `touch '${marker}'; cat`);
    // Changed without another size, so that git has to read it.
    await writeFile(join(folder.path, 'agent.py'), 'print(3)\n');
    await readGitState(folder.path);
    expect(await exists(marker)).toBe(false);
  });

  it('starts no filter that an included file configures, nor one of a folder above', async () => {
    await using folder = await repository();
    const marker = join(folder.path, 'started');
    await writeFile(join(folder.path, '.git', 'own'), `[filter "own"]\n\tclean = touch '${marker}'; cat\n`);
    await mkdir(join(folder.path, 'part', '.git'), { recursive: true });
    await writeFile(join(folder.path, 'part', '.git', 'config'), '');
    await writeFile(join(folder.path, '.gitattributes'), '*.py filter=own\n');
    git(folder.path, 'add', '.');
    git(folder.path, 'commit', '--quiet', '--message', 'attributes');
    git(folder.path, 'config', 'include.path', 'own');
    await writeFile(join(folder.path, 'agent.py'), 'print(3)\n');

    expect(await readGitState(folder.path)).toMatchObject({ branch: 'main' });
    expect(await readGitState(join(folder.path, 'part'))).toBeNull();
    expect(await exists(marker)).toBe(false);
  });

  it('starts no hook', async () => {
    await using folder = await repository();
    const marker = join(folder.path, 'started');
    const hook = join(folder.path, '.git', 'hooks', 'post-index-change');
    await writeFile(hook, `#!/bin/sh\ntouch '${marker}'\n`, { mode: 0o755 });
    await writeFile(join(folder.path, 'agent.py'), 'print(1)\n');
    await readGitState(folder.path);
    expect(await exists(marker)).toBe(false);
  });
});

describe('the project of a folder', () => {
  it('is the root of its work tree, else the folder itself', async () => {
    await using folder = await temporaryFolder({ 'a/b/c.json': '{}' });
    expect(await findProject(join(folder.path, 'a', 'b'))).toBe(join(folder.path, 'a', 'b'));
    await mkdir(join(folder.path, '.git'));
    expect(await findProject(join(folder.path, 'a', 'b'))).toBe(folder.path);
  });
});
