import { writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { findConfiguration } from '../config/discover.ts';
import { TEMPLATE } from '../config/template.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import type { Host } from './host.ts';
import { UsageError } from './usage.ts';

const FILE = 'turnwise.config.yaml';

/** `turnwise init`. @returns the exit code. @throws UsageError */
export async function initCommand({ force }: { readonly force?: true }, host: Host): Promise<number> {
  const found = await findConfiguration(host.cwd);
  const here = found && dirname(found.file) === host.cwd ? relative(host.cwd, found.file) : null;
  if (here !== null && here !== FILE) {
    throw new UsageError(`${here} exists already, and a folder has one configuration: edit it, or delete it first.`);
  }
  if (here === FILE && !force) throw new UsageError(`${FILE} exists already; --force replaces it.`);
  try {
    await writeFile(join(host.cwd, FILE), TEMPLATE, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    throw new UsageError(`${FILE} cannot be written: ${error instanceof Error ? error.message : String(error)}.`);
  }
  await host.stdout.write(`Wrote ${FILE}. It changes nothing until you edit it; try: turnwise eval FILE\n`);
  return EXIT_CODES.passed;
}
