import { createProblem, type Problem } from '../core/problem.ts';
import { isConfigurationFile } from '../core/trace-file-names.ts';
import type { FileSystem, FolderEntry } from './file-system.ts';
import { joinPath } from './paths.ts';
import { describeSystemError } from './system-error.ts';

/** A file to read. */
export interface InputFile {
  readonly file: string;
  /** Whether the user named the file itself; otherwise it was found in a folder. */
  readonly isExplicit: boolean;
}

const TRACE_EXTENSION = /\.(?:json|jsonl|ndjson|traj|eval)$/i;

/**
 * Finds the files of inputs, each once: in input order, and by name within a folder. Folders are searched for traces;
 * `node_modules`, folders whose name starts with a dot, and configurations are ignored.
 */
export async function walkInputs(
  inputs: readonly string[],
  files: FileSystem,
  signal: AbortSignal,
): Promise<{ readonly files: readonly InputFile[]; readonly problems: readonly Problem[] }> {
  const inputFiles = new Map<string, InputFile>();
  const problems: Problem[] = [];
  for (const input of inputs) {
    signal.throwIfAborted();
    if (input === '-') {
      inputFiles.set(input, { file: input, isExplicit: true });
      continue;
    }
    const stat = await tryRead(() => files.stat(input), input, 'read it', problems);
    if (stat === undefined) continue;
    if (stat === null) {
      const message = `No such file or folder: "${input}". Check the path and the working folder.`;
      problems.push(createProblem('error', 'not-found', input, message));
    } else if (stat.kind === 'file') {
      inputFiles.set(joinPath('', input), { file: input, isExplicit: true });
    } else if (stat.kind === 'directory') {
      await walkFolder(input, files, signal, inputFiles, problems);
    } else {
      const message = `"${input}" is neither a file nor a folder. Pipe its content to "turnwise eval -".`;
      problems.push(createProblem('error', 'unreadable', input, message));
    }
  }
  return { files: [...inputFiles.values()], problems };
}

async function walkFolder(
  root: string,
  files: FileSystem,
  signal: AbortSignal,
  inputFiles: Map<string, InputFile>,
  problems: Problem[],
): Promise<void> {
  // A stack instead of recursion, for deep folders.
  const open: (Omit<FolderEntry, 'name'> & { readonly path: string })[] = [{ path: root, kind: 'directory' }];
  for (let entry = open.pop(); entry; entry = open.pop()) {
    const { path, kind, isLink } = entry;
    if (kind === 'directory') {
      signal.throwIfAborted();
      const entries = await tryRead(() => files.list(path), path, 'list the folder', problems);
      for (const { name, kind, isLink } of entries?.toReversed() ?? []) {
        const isIncluded = kind === 'directory' ? !isIgnoredFolder(name) : isIncludedFile(name);
        if (isIncluded) open.push({ path: joinPath(path, name), kind, isLink });
      }
    } else if (kind === 'file' && isLink && (await files.leadsOutside(path, root))) {
      problems.push(linkOutsideProblem(path));
    } else if (kind === 'file') {
      const key = joinPath('', path);
      if (!inputFiles.has(key)) inputFiles.set(key, { file: path, isExplicit: false });
    }
  }
}

export function linkOutsideProblem(path: string): Problem {
  const message = 'Skipped: this link leads out of the folder. Name the file itself to read it.';
  return createProblem('warning', 'link-outside', path, message);
}

/** Whether the search of a folder finds a file. @param path relative to the folder. */
export function isFoundInFolder(path: string): boolean {
  const folders = path.split(/[\\/]/);
  const name = folders.pop() ?? '';
  return isIncludedFile(name) && !folders.some(isIgnoredFolder);
}

function isIncludedFile(name: string): boolean {
  return TRACE_EXTENSION.test(name) && !isConfigurationFile(name);
}

function isIgnoredFolder(folder: string): boolean {
  return folder === 'node_modules' || folder.startsWith('.');
}

/** Undefined, with a problem, when the operation fails. */
async function tryRead<T>(
  run: () => Promise<T>,
  path: string,
  operation: string,
  problems: Problem[],
): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    problems.push(createProblem('error', 'unreadable', path, `Can't ${operation}: ${describeSystemError(error)}.`));
    return undefined;
  }
}
