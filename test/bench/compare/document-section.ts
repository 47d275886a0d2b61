import { readFile, writeFile } from 'node:fs/promises';

/** Replaces what is between `<!-- bench:NAME -->` and `<!-- /bench:NAME -->` in a page. */
export async function replaceSection(path: string, name: string, text: string): Promise<void> {
  const page = await readFile(path, 'utf8');
  const [start, end] = [`<!-- bench:${name} -->\n`, `<!-- /bench:${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${path} has no section ${start.trim()}.`);
  await writeFile(path, `${page.slice(0, from + start.length)}\n${text}\n\n${page.slice(to)}`);
}
