import type { Connection } from 'vscode-languageserver/node';
import { isInside, uriToPath } from './paths.ts';

/** Paths of the folders that an editor has open now; those on disk. */
export async function openFolders(connection: Pick<Connection, 'workspace'>): Promise<readonly string[]> {
  const open = await connection.workspace.getWorkspaceFolders().catch(() => null);
  return (open ?? []).flatMap(({ uri }) => uriToPath(uri) ?? []);
}

/** Whose traces are evaluated. */
export interface TraceFolders {
  readonly folders: readonly string[];
  /** Whether others are open besides. */
  readonly isMultiRoot: boolean;
}

/** The open folders that files are in. @param cwd the folder of those that are in none. */
export async function traceFolders(
  paths: readonly string[],
  cwd: string,
  editor: { readonly folders: () => Promise<readonly string[]> },
): Promise<TraceFolders> {
  const open = await editor.folders();
  const folders = [...new Set(paths.map((path) => innermostFolder(path, open) ?? cwd))];
  return { folders, isMultiRoot: new Set([...open, ...folders]).size > 1 };
}

function innermostFolder(path: string, folders: readonly string[]): string | undefined {
  const around = folders.filter((folder) => path === folder || isInside(path, folder));
  return around.toSorted((a, b) => b.length - a.length)[0];
}
