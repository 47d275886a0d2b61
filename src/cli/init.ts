import { dirname, join, relative } from 'node:path';
import { findConfiguration } from '../config/discover.ts';
import { TEMPLATE } from '../config/template.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { describeSystemError } from '../input/system-error.ts';
import { writeFile } from '../output/write-file.ts';
import type { CommandHost } from './host.ts';
import { UsageError } from './usage-error.ts';

const CONFIGURATION_FILE = 'turnwise.config.yaml';

/** `turnwise init`. @returns the exit code. @throws UsageError */
export async function initCommand({ force }: { readonly force?: true }, host: CommandHost): Promise<number> {
  const existing = await findConfiguration(host.cwd);
  const here = existing && dirname(existing.file) === host.cwd ? relative(host.cwd, existing.file) : null;
  if (here !== null && here !== CONFIGURATION_FILE) {
    throw new UsageError(`${here} already exists. Edit it, or delete it first.`);
  }
  if (here === CONFIGURATION_FILE && !force)
    throw new UsageError(`${CONFIGURATION_FILE} already exists. --force replaces it.`);
  const path = join(host.cwd, CONFIGURATION_FILE);
  if (await nodeFileSystem.leadsOutside(path, host.cwd))
    throw new UsageError(`${CONFIGURATION_FILE} is a link that leads out of this folder. Delete it first.`);
  try {
    await writeFile(path, TEMPLATE, { isNew: !force });
  } catch (error) {
    throw new UsageError(`${CONFIGURATION_FILE} cannot be written: ${describeSystemError(error)}.`);
  }
  await host.stdout.write(`Created ${CONFIGURATION_FILE} with the defaults. Next: turnwise eval FILE\n`);
  return EXIT_CODES.passed;
}
