import type { FileRow } from '../protocol/messages.ts';
import { outline } from '../protocol/outline.ts';
import type { LanguageServer } from './language-server.ts';

/** As many as the server answers at once. */
const PAGE = 10_000;

/** All files that the server knows of. */
export async function allFiles(server: LanguageServer): Promise<FileRow[]> {
  const files: FileRow[] = [];
  for (let total = 1; files.length < total; ) {
    const page = await server.ask(outline, { offset: files.length, limit: PAGE });
    if (page.rows.length === 0) break;
    files.push(...page.rows.map(({ file }) => file));
    total = page.total;
  }
  return files;
}
