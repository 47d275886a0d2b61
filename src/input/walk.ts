import { createProblem, type Problem } from '../core/problem.ts';
import { isConfigurationFile } from '../core/trace-file-names.ts';
import type { Files } from './files.ts';
import { joinPath } from './paths.ts';
import { reasonOf } from './system-error.ts';

/** A file to read. */
export interface Found {
  readonly file: string;
  /** The user named the file itself; otherwise it was found in a folder. */
  readonly named: boolean;
  /** In bytes; null where nobody asked. */
  readonly size: number | null;
}

const TRACE = /\.(?:json|jsonl|ndjson|traj|eval)$/i;

/**
 * The files of inputs, each once: in the order of the inputs, and by name within a folder. A folder is walked for
 * traces, without `node_modules`, folders whose name starts with a dot, and configurations.
 */
export async function walk(
  inputs: readonly string[],
  files: Files,
  signal: AbortSignal,
): Promise<{ readonly found: readonly Found[]; readonly problems: readonly Problem[] }> {
  const found = new Map<string, Found>();
  const problems: Problem[] = [];
  for (const input of inputs) {
    signal.throwIfAborted();
    if (input === '-') {
      found.set(input, { file: input, named: true, size: null });
      continue;
    }
    const stat = await attempt(() => files.stat(input), input, 'read', problems);
    if (stat === undefined) continue;
    if (stat === null) {
      const message = `There is no file or folder "${input}". Check the path, and the folder that it starts from.`;
      problems.push(createProblem('error', 'not-found', input, message));
    } else if (stat.kind === 'file') {
      found.set(joinPath('', input), { file: input, named: true, size: stat.size });
    } else if (stat.kind === 'directory') {
      await walkFolder(input, files, signal, found, problems);
    } else {
      const message = `"${input}" is neither a file nor a folder. Pipe what it gives to "turnwise eval -".`;
      problems.push(createProblem('error', 'unreadable', input, message));
    }
  }
  return { found: [...found.values()], problems };
}

async function walkFolder(
  root: string,
  files: Files,
  signal: AbortSignal,
  found: Map<string, Found>,
  problems: Problem[],
): Promise<void> {
  // The next entry is the last one: deep folders need no recursion.
  const open = [{ path: root, kind: 'directory' }];
  for (let entry = open.pop(); entry; entry = open.pop()) {
    const { path, kind } = entry;
    if (kind === 'directory') {
      signal.throwIfAborted();
      const entries = await attempt(() => files.list(path), path, 'listed', problems);
      for (const { name, kind } of entries?.toReversed() ?? []) {
        const wanted = kind === 'directory' ? !isLeftOut(name) : TRACE.test(name) && !isConfigurationFile(name);
        if (wanted) open.push({ path: joinPath(path, name), kind });
      }
    } else if (kind === 'file') {
      const key = joinPath('', path);
      if (!found.has(key)) found.set(key, { file: path, named: false, size: null });
    }
  }
}

function isLeftOut(folder: string): boolean {
  return folder === 'node_modules' || folder.startsWith('.');
}

/** Undefined when it failed; the problem is told. */
async function attempt<T>(
  act: () => Promise<T>,
  path: string,
  done: string,
  problems: Problem[],
): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    problems.push(createProblem('error', 'unreadable', path, `It cannot be ${done}: ${reasonOf(error)}.`));
    return undefined;
  }
}
