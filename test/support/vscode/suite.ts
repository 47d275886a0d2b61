import { withTimeout } from './timeout.ts';

/** Starts what a suite tells the run that it is part of, among all that a workbench logs. */
const MARK = '[turnwise test] ';

/** A test tells a whole story, and one that reloads its window starts VS Code twice. */
const TIMEOUT_MS = 180_000;

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** What a suite tells: a line to show, what the person at the keyboard does, and in the end how many tests passed. */
export type Message = { readonly line: string } | { readonly reply: string | null } | { readonly counts: Counts };

/** Null when it is something else that was logged. */
export function messageOf(logged: string): Message | null {
  return logged.startsWith(MARK) ? JSON.parse(logged.slice(MARK.length)) : null;
}

/** Tests by name; they run in this order, one after the other. */
export type Tests = Readonly<Record<string, () => Promise<void>>>;

/** Runs tests and says how each ended, as TAP does. One that takes too long has failed. */
export async function runTests(tests: Tests, write: (line: string) => void): Promise<Counts> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const only = process.env.TURNWISE_TEST_ONLY ?? '';
  for (const [name, test] of Object.entries(tests)) {
    if (!name.includes(only)) continue;
    const started = performance.now();
    try {
      await withTimeout(TIMEOUT_MS, 'the test to end', test());
      counts.passed += 1;
      write(`ok - ${name} (${Math.round(performance.now() - started)} ms)`);
    } catch (error) {
      counts.failed += 1;
      write(`not ok - ${name}`);
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      for (const line of text.split('\n')) write(`  ${line}`);
    }
  }
  return counts;
}

/** What a test file exports as `run`, for the extension host to call. */
export function suite(tests: Tests): () => Promise<void> {
  return async () => tell({ counts: await runTests(tests, (line) => tell({ line })) });
}

/**
 * Lets the person at the keyboard reply to the next field or list that the editor opens: text and Enter, which takes the
 * first of a list that fits; null is Escape.
 */
export function reply(text: string | null): void {
  tell({ reply: text });
}

function tell(message: Message): void {
  // biome-ignore lint/suspicious/noConsole: the console is what leads from the extension host to the run.
  console.log(`${MARK}${JSON.stringify(message)}`);
}
