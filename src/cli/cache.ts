import { resolve } from 'node:path';
import { pluralize } from '../core/text/pluralize.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';
import { dataFolder } from '../store/home.ts';
import { type CacheContents, openStore, type Store } from '../store/store.ts';
import type { CommandHost } from './host.ts';
import { UsageError } from './usage-error.ts';

export interface CacheArguments {
  readonly prune?: true;
  /** For example `30d`. */
  readonly olderThan?: string;
  readonly clear?: true;
}

/** `turnwise cache`. @returns the exit code. @throws UsageError */
export async function cacheCommand(args: CacheArguments, host: CommandHost): Promise<number> {
  const olderThanDays = parseDays(args);
  const warnings: string[] = [];
  using store = openStore(resolve(host.cwd, dataFolder(host.env)), { warn: (sentence) => warnings.push(sentence) });
  const output = runCacheCommand(store, args, olderThanDays);
  for (const sentence of warnings) await host.stderr.write(`turnwise: ${sanitizeLine(sentence)}\n`);
  if (output === null) return EXIT_CODES.input;
  await host.stdout.write(output);
  return EXIT_CODES.passed;
}

/** Null if it failed. */
function runCacheCommand(store: Store, args: CacheArguments, olderThanDays: number | undefined): string | null {
  if (args.prune || args.clear) {
    const forgotten = args.clear
      ? store.clear()
      : store.prune(olderThanDays === undefined ? undefined : { olderThanDays });
    return forgotten && `Deleted ${pluralize(forgotten.entries, 'answer')}.\n`;
  }
  const contents = store.contents();
  return contents && `${sanitizeLine(store.file)}\n${contentLines(contents).join('\n')}\n`;
}

function contentLines({ entries, bytesOnDisk, oldestUse, damaged }: CacheContents): string[] {
  const size = `${pluralize(entries, 'answer')}, ${megabytes(bytesOnDisk)} on disk`;
  const age = oldestUse === null ? '' : `, all used since ${new Date(oldestUse).toISOString().slice(0, 10)}`;
  return [
    `${size}${age}`,
    ...damaged.map((file) => `${sanitizeLine(file)}: damaged and moved aside; --clear deletes it`),
  ];
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** @throws UsageError */
function parseDays({ olderThan, prune, clear }: CacheArguments): number | undefined {
  if (prune && clear) throw new UsageError('--prune and --clear cannot be combined. --clear deletes all answers.');
  if (olderThan === undefined) return undefined;
  if (!prune) throw new UsageError('--older-than requires --prune.');
  const days = /^(\d{1,6})d?$/.exec(olderThan)?.[1];
  if (days === undefined) throw new UsageError(`--older-than ${olderThan} is not a number of days. Write it as 30d.`);
  return Number(days);
}
