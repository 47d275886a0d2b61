import type { SessionSource } from '../config/schema.ts';
import { errorMessage } from '../core/error-message.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import type { FileSystem } from '../input/file-system.ts';
import { IterationError, iterateModule } from '../sandbox/iterate-module.ts';
import { toAsyncIterator } from '../sandbox/iterator.ts';
import { ModuleFunction } from '../sandbox/module-function.ts';

/** What the configuration's `source` yielded, as files that can be read like any other. */
export interface SourceInput {
  /** `source/1.json` and so on, one for each value. */
  readonly paths: readonly string[];
  readonly files: FileSystem;
  readonly problems: readonly Problem[];
}

/** How long the source may take for each value. */
const VALUE_TIMEOUT_MS = 60_000;

/**
 * Takes everything a source yields: sessions, or documents of any format that Turnwise reads. A source that fails keeps
 * what it had yielded, and is a problem. Rejects only when the signal is aborted.
 */
export async function readSource(
  source: SessionSource,
  signal: AbortSignal,
  timeoutMs = VALUE_TIMEOUT_MS,
): Promise<SourceInput> {
  const contents = new Map<string, Uint8Array>();
  const problems: Problem[] = [];
  const encoder = new TextEncoder();
  try {
    const values =
      source instanceof ModuleFunction ? iterateModule(source, timeoutMs, signal) : iterateHere(source, signal);
    for await (const json of values) contents.set(`source/${contents.size + 1}.json`, encoder.encode(json));
  } catch (error) {
    signal.throwIfAborted();
    problems.push(sourceProblem(source, error, contents.size));
  }
  if (contents.size === 0 && problems.length === 0) {
    problems.push(createProblem('warning', 'no-sessions', fileOf(source), 'The source yielded no sessions.'));
  }
  return { paths: [...contents.keys()], files: memoryFiles(contents), problems };
}

async function* iterateHere(source: SessionSource, signal: AbortSignal): AsyncGenerator<string> {
  const iterator = await toAsyncIterator(source);
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    signal.throwIfAborted();
    yield JSON.stringify(next.value);
  }
}

function sourceProblem(source: SessionSource, error: unknown, yielded: number): Problem {
  const what = error instanceof IterationError ? error.message : `threw an error: ${errorMessage(error)}`;
  const when = yielded === 0 ? '' : ` after ${yielded} ${yielded === 1 ? 'value' : 'values'}`;
  const line = error instanceof IterationError ? error.line : undefined;
  const sentence = `The source ${what.replace(/[.]$/, '')}${when}.`;
  return createProblem('error', 'source-failed', fileOf(source), sentence, { line });
}

function fileOf(source: SessionSource): string {
  return source instanceof ModuleFunction ? source.displayName : 'source';
}

function memoryFiles(contents: ReadonlyMap<string, Uint8Array>): FileSystem {
  return {
    async stat(path) {
      const bytes = contents.get(path);
      return bytes ? { kind: 'file', size: bytes.length } : null;
    },
    async read(path) {
      const bytes = contents.get(path);
      if (!bytes) throw new Error(`There is no ${path}`);
      return bytes;
    },
    list: async () => [],
    leadsOutside: async () => false,
  };
}
