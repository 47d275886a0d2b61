import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { chromium, SetupError, vscodeServer } from './install.ts';
import type { Counts } from './suite.ts';
import { launch } from './workbench.ts';

/** What tests in a real VS Code are run with. */
export interface TestRun {
  /** A folder of this run alone, which goes with it. */
  readonly scratch: string;
  /** Of the VS Code server's files. */
  readonly vscode: string;
  readonly browser: Browser;
  /** The part of the tests that is wanted: files whose names have it, or else tests; '': all. */
  readonly only: string;
  readonly log: (line: string) => void;
}

/**
 * A program that runs tests in a real VS Code, and exits. `--only TEXT` runs a part of them, `--results FILE` writes how
 * many passed.
 */
export async function testRun(run: (run: TestRun, add: (counts: Counts) => void) => Promise<void>): Promise<never> {
  const { values: options } = parseArgs({ options: { results: { type: 'string' }, only: { type: 'string' } } });
  const log = (line: string): void => void process.stdout.write(`${line}\n`);
  const scratch = await mkdtemp(join(tmpdir(), 'turnwise-test-'));
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  // An exit, unlike a signal, lets all that was started end too.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

  const total = { passed: 0, failed: 0, skipped: 0 };
  try {
    const vscode = await vscodeServer(log);
    await using browser = await launch(await chromium(log));
    await run({ scratch, vscode, browser, only: options.only ?? '', log }, ({ passed, failed, skipped }) => {
      total.passed += passed;
      total.failed += failed;
      total.skipped += skipped;
    });
  } catch (error) {
    total.failed += 1;
    log(error instanceof SetupError ? error.message : inspect(error));
  }
  log(`# ${total.passed} passed, ${total.failed} failed`);
  if (options.results !== undefined) await writeFile(options.results, JSON.stringify(total));
  process.exit(total.failed === 0 ? 0 : 1);
}
