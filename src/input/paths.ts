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
