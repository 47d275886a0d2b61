import { posix } from 'node:path';
import type { Report } from '../core/report.ts';

/** Whether a path begins at a root, of a drive or of the system. */
export function isAbsolutePath(file: string): boolean {
  return /^(?:\/|[A-Za-z]:|\\)/.test(file);
}

/** Whether a file is one of Turnwise's results, such as an attempt at a scenario: git ignores them. */
export function isIgnoredByGit(file: string): boolean {
  return /(?:^|[/\\])\.turnwise[/\\]/.test(file);
}

/** Whether a path can be that of a file of the repository. */
export function isRepositoryFile(file: string): boolean {
  return !isAbsolutePath(file) && !isIgnoredByGit(file) && !/^(?:\.\.(?:[/\\]|$)|-$)/.test(file);
}

/** A path from the root of the repository, if it is relative. */
export function repositoryPath(file: string, { folder }: Pick<Report['run'], 'folder'>): string {
  if (folder === undefined || isAbsolutePath(file) || file === '-') return file;
  return posix.join(folder, file.replaceAll('\\', '/'));
}
