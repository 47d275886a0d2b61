import { dirname, relative, resolve, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { isDynamicPattern } from 'tinyglobby';

interface TraceWatcherOptions {
  readonly cwd: string;
  /** Files, folders and globs. */
  readonly inputs: readonly string[];
  /** Which of the inputs are folders. */
  readonly folders: ReadonlySet<string>;
  /** A file was created or changed, or is gone. Paths are absolute. */
  readonly onChange: (path: string) => void;
  readonly onRemove: (path: string) => void;
  /** The system does not allow to watch. */
  readonly onError: (error: unknown) => void;
}

const RELEVANT_FILE = /\.(?:json|jsonl|ndjson|traj|eval)$/i;

/**
 * Watches the folders of inputs: for a file, its own folder, where its sidecar and its expectations are; for a glob, the
 * folder before its first wildcard with all folders in it. Resolves when changes are seen.
 */
export async function watchTraces({
  cwd,
  inputs,
  folders,
  ...listeners
}: TraceWatcherOptions): Promise<AsyncDisposable> {
  const isDeep = (input: string) => folders.has(input) || isDynamicPattern(input);
  const deep = inputs.filter(isDeep).map((input) => resolve(cwd, folders.has(input) ? input : fixedFolder(input)));
  const flat = inputs.filter((input) => !isDeep(input)).map((input) => dirname(resolve(cwd, input)));
  const named = new Set(inputs.flatMap((input) => input.split(/[\\/]/)));
  const watchers = [
    ...(deep.length > 0 ? [startWatcher([...new Set(deep)], named, listeners)] : []),
    ...(flat.length > 0 ? [startWatcher([...new Set(flat)], named, listeners, 0)] : []),
  ];
  await Promise.all(watchers.map(({ ready }) => ready));
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(watchers.map(({ watcher }) => watcher.close()));
    },
  };
}

/** `runs/**` + `/*.json` is in `runs`. */
function fixedFolder(glob: string): string {
  const parts = glob.split(/[\\/]/);
  const wildcard = parts.findIndex((part) => isDynamicPattern(part));
  const fixed = parts.slice(0, wildcard < 0 ? -1 : wildcard).join('/');
  return fixed === '' && glob.startsWith('/') ? '/' : fixed || '.';
}

/** @param named parts of the inputs: a folder whose name begins with a dot is watched where an input names it. */
function startWatcher(
  roots: readonly string[],
  named: ReadonlySet<string>,
  { onChange, onRemove, onError }: Pick<TraceWatcherOptions, 'onChange' | 'onRemove' | 'onError'>,
  depth?: number,
): { readonly watcher: FSWatcher; readonly ready: Promise<void> } {
  const isIgnored = (path: string) => {
    const root = roots.find((folder) => path === folder || path.startsWith(folder === sep ? sep : `${folder}${sep}`));
    const parts = root === undefined ? [] : relative(root, path).split(sep);
    return parts.some((part) => part === 'node_modules' || (part.startsWith('.') && part !== '' && !named.has(part)));
  };
  const watcher = watch([...roots], {
    ignoreInitial: true,
    followSymlinks: false,
    ignorePermissionErrors: true,
    ...(depth === undefined ? {} : { depth }),
    ignored: (path, stats) => isIgnored(path) || (stats?.isFile() === true && !RELEVANT_FILE.test(path)),
  });
  watcher.on('add', onChange).on('change', onChange).on('unlink', onRemove).on('error', onError);
  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
  watcher.once('ready', () => isReady()).once('error', () => isReady());
  return { watcher, ready };
}
