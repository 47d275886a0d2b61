import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { exists } from '../config/discover.ts';
import type { GitState } from '../core/run-record.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';

/** A repository that takes longer is recorded as dirty, and one that does not even know its commit as none. */
const TIME_LIMIT_MS = 3000;
/** Of `git status`: far more than the header lines. One changed file is enough to know. */
const MAX_OUTPUT = 1_000_000;

/** The project of a folder: the root of its git work tree, else the folder itself. Runs nothing. */
export async function findProject(folder: string): Promise<string> {
  for (let here = folder; ; here = dirname(here)) {
    if (await exists(join(here, '.git'))) return here;
    if (here === dirname(here)) return folder;
  }
}

/**
 * Where the code of a project stands; null outside of a git work tree and where there is no git. Runs `git` so that it neither
 * writes nor starts a program that the repository names: no hooks, no monitor of the file system, no filters. Not for folders
 * that the user does not trust.
 */
export async function readGitState(project: string): Promise<GitState | null> {
  if (!process.env.GIT_DIR && !(await exists(join(project, '.git')))) return null;
  const overrides = (await namesNoFilter(project)) ? [] : await findFilterOverrides(project);
  if (!overrides) return null;
  const status = await git(project, [
    ...overrides,
    'status',
    '--porcelain=v2',
    '--branch',
    '--untracked-files=no',
    '--ignore-submodules=all',
    '--no-renames',
  ]);
  if (!status.isComplete) {
    const { output, isComplete } = await git(project, ['rev-parse', '--verify', 'HEAD']);
    return isComplete ? { commit: output.trim(), branch: null, dirty: true } : null;
  }
  const lines = status.output.split('\n');
  const header = (name: string) => lines.find((line) => line.startsWith(`# ${name} `))?.slice(name.length + 3);
  const commit = header('branch.oid');
  if (commit === undefined || !/^[0-9a-f]{40,64}$/.test(commit)) return null;
  const branch = header('branch.head') ?? '(detached)';
  return {
    commit,
    branch: branch === '(detached)' ? null : branch,
    dirty: lines.some((line) => line !== '' && !line.startsWith('#')),
  };
}

/**
 * Whether the repository's own configuration surely names no filter, so that git need not be asked. False where that is in other
 * files: of a linked work tree, a submodule, an `include`.
 */
async function namesNoFilter(project: string): Promise<boolean> {
  const folder = join(project, '.git');
  if (process.env.GIT_DIR || process.env.GIT_COMMON_DIR || (await exists(join(folder, 'commondir')))) return false;
  try {
    const files = [join(folder, 'config')];
    if (await exists(join(folder, 'config.worktree'))) files.push(join(folder, 'config.worktree'));
    const texts = await Promise.all(files.map(async (file) => Buffer.from(await nodeFileSystem.read(file)).toString()));
    return !texts.some((text) => /filter|include/i.test(text));
  } catch {
    return false;
  }
}

/**
 * Filters that a repository's own configuration names are programs of its author. Null where one has a name that an option
 * cannot override.
 */
async function findFilterOverrides(project: string): Promise<string[] | null> {
  const { output } = await git(project, ['config', '--show-scope', '--name-only', '--get-regexp', '^filter\\.']);
  const own = output.split('\n').flatMap((line) => {
    const [scope, key] = line.split('\t');
    return key !== undefined && (scope === 'local' || scope === 'worktree') ? [key] : [];
  });
  if (own.some((key) => key.includes('='))) return null;
  return own.flatMap((key) => ['-c', key.endsWith('.required') ? `${key}=false` : `${key}=`]);
}

const SAFE = [
  '--no-pager',
  '--no-optional-locks',
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.untrackedCache=false'].flatMap((set) => ['-c', set]),
];

/** Nothing is fetched, whatever the repository says. */
const OFFLINE = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0' };

/**
 * Never rejects. Not started in the project, where Windows would look for the program first. Where the project is no repository, that of
 * a folder above is not asked instead: its filters are not known.
 */
function git(
  project: string,
  args: readonly string[],
): Promise<{ readonly output: string; readonly isComplete: boolean }> {
  return new Promise((resolve) => {
    execFile(
      'git',
      ['-C', project, ...SAFE, ...args],
      {
        cwd: dirname(process.execPath),
        env: { ...process.env, ...OFFLINE, GIT_CEILING_DIRECTORIES: dirname(project) },
        timeout: TIME_LIMIT_MS,
        killSignal: 'SIGKILL',
        maxBuffer: MAX_OUTPUT,
        windowsHide: true,
      },
      (error, output) => resolve({ output, isComplete: error === null }),
    );
  });
}
