import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { CODE_SERVERS, type Engine, SetupError } from './install.ts';
import type { Counts } from './suite.ts';

/** The environment of tests in a real VS Code. */
export interface TestRun {
  /** A temporary folder of this run. */
  readonly scratch: string;
  /** Runs only files whose names contain it, or else tests whose names do; '': all. */
  readonly only: string;
  readonly engine: Engine;
  readonly log: (line: string) => void;
  add(counts: Counts): void;
  /** Counts tests that passed only when they were retried. They are among the passed ones. */
  addRetried(count: number): void;
}

/** A busy machine can disturb one test. More are a defect of the tests, or of the product. */
const MAX_RETRIED = 1;

/**
 * Runs tests in a real VS Code, and exits. `--only TEXT` runs a part of them, `--repeat N` runs them N times, `--engine oldest` runs
 * them in the oldest VS Code that is supported, `--results FILE` writes how many passed, failed, and passed only when they were retried. More than one retry in each time is a failure.
 */
export async function testRun(run: (run: TestRun) => Promise<void>): Promise<never> {
  const { values: options } = parseArgs({
    options: {
      results: { type: 'string' },
      only: { type: 'string' },
      repeat: { type: 'string', default: '1' },
      engine: { type: 'string', default: 'newest' },
    },
  });
  const times = Number(options.repeat);
  const { engine } = options;
  if (!isEngine(engine)) throw new Error(`--engine is ${Object.keys(CODE_SERVERS).join(' or ')}, not ${engine}.`);
  const log = (line: string): void => void process.stdout.write(`${line}\n`);
  const scratch = await mkdtemp(join(tmpdir(), 'turnwise-test-'));
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  // Unlike a signal, an exit also ends the processes that were started.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

  const total = { passed: 0, failed: 0, skipped: 0, retried: 0 };
  try {
    for (let time = 1; time <= times; time += 1) {
      await run({
        scratch: await mkdtemp(join(scratch, `${time}-`)),
        only: options.only ?? '',
        engine,
        log,
        add({ passed, failed, skipped }) {
          total.passed += passed;
          total.failed += failed;
          total.skipped += skipped;
        },
        addRetried(count) {
          total.retried += count;
        },
      });
    }
  } catch (error) {
    total.failed += 1;
    log(error instanceof SetupError ? error.message : inspect(error));
  }
  if (total.retried > MAX_RETRIED * times) {
    total.failed += 1;
    log(`not ok - ${total.retried} tests passed only when they were retried`);
  }
  const retried = total.retried === 0 ? '' : ` (${total.retried} passed when retried)`;
  log(`# ${total.passed} passed, ${total.failed} failed${retried}`);
  if (options.results !== undefined) await writeFile(options.results, JSON.stringify(total));
  process.exit(total.failed === 0 ? 0 : 1);
}

function isEngine(name: string): name is Engine {
  return Object.hasOwn(CODE_SERVERS, name);
}
