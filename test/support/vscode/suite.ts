import { withTimeout } from './timeout.ts';

/** Marks the messages of a suite to its run, among all that a workbench logs. */
const MARK = '[turnwise test] ';

/** A test that reloads its window starts VS Code twice. */
const TIMEOUT_MS = 180_000;

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** A message of a suite: a line to show, a reply to type, or the counts at its end. */
export type Message = { readonly line: string } | { readonly reply: string | null } | { readonly counts: Counts };

/** Null for any other log entry. The desktop build puts its own prefix before the text. */
export function parseMessage(logged: string): Message | null {
  const at = logged.indexOf(MARK);
  return at < 0 ? null : JSON.parse(logged.slice(at + MARK.length));
}

/** Tests by name; they run in this order, one at a time. */
export type Tests = Readonly<Record<string, () => Promise<void>>>;

/** Runs tests and writes their results as TAP. A test that takes too long fails. */
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

/** The function that a suite exports as `run`, which the extension host calls. */
export function suite(tests: Tests): () => Promise<void> {
  return async () => send({ counts: await runTests(tests, (line) => send({ line })) });
}

/** Replies to the next input box or quick pick: types the text and presses Enter; null presses Escape. */
export function reply(text: string | null): void {
  send({ reply: text });
}

function send(message: Message): void {
  // biome-ignore lint/suspicious/noConsole: the console connects the extension host with the run.
  console.log(`${MARK}${JSON.stringify(message)}`);
}
