/** Paths as users type them: with forward or backward slashes, never resolved. */

/** `joinPath('.', 'a.json')` is `a.json`. */
export function joinPath(folder: string, name: string): string {
  const clean = name.replace(/^(?:\.[/\\]+)+(?=.)/, '');
  if (folder === '' || /^\.[/\\]*$/.test(folder)) return clean;
  return /[/\\]$/.test(folder) ? `${folder}${clean}` : `${folder}/${clean}`;
}

export function baseName(path: string): string {
  return path.slice(folderEnd(path));
}

/** The folder with a trailing slash; empty for a bare name. */
export function folderOf(path: string): string {
  return path.slice(0, folderEnd(path));
}

function folderEnd(path: string): number {
  return Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1;
}

/** What is more than a name in a glob; there, `/` at the end and `\\` mean something. */
const GLOB = /[*?[\]{}()!]/;

/** One spelling for `traces`, `traces/`, `./traces` and `.//traces`. Links are not followed, so that `..` stays. */
export function plainPath(path: string): string {
  const clean = joinPath('', path);
  if (GLOB.test(clean)) return clean;
  const plain = clean.replace(/(?<=[^/\\])([/\\])(?:\.?[/\\])+/g, '$1').replace(/(?<=[^/\\])[/\\]\.?$/, '');
  // The root of a drive is not its current folder.
  return /^[A-Za-z]:$/.test(plain) ? clean : plain;
}
