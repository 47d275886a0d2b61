import type { FileRow } from '../protocol/messages.ts';
import { resultsOutline } from '../protocol/results-outline.ts';
import type { LanguageServer } from './language-server.ts';

/** The server's maximum page size. */
const PAGE_SIZE = 10_000;

/** All files that the server lists. */
export async function fetchAllFiles(server: LanguageServer): Promise<FileRow[]> {
  const files: FileRow[] = [];
  for (let total = 1; files.length < total; ) {
    const page = await server.request(resultsOutline, { offset: files.length, limit: PAGE_SIZE });
    if (page.rows.length === 0) break;
    files.push(...page.rows.map(({ file }) => file));
    total = page.total;
  }
  return files;
}
