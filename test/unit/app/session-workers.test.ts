import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluateFileStream } from '../../../src/app/evaluate-files.ts';
import { ThreadedSessions } from '../../../src/app/session-workers.ts';
import type { RunEvent } from '../../../src/engine/events.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { agent, chat, UNKNOWN_TOOL, user } from '../../support/traces.ts';

const DYING = new URL('./dying-session-worker.ts', import.meta.url);
const LONG = { timeout: 120_000 };
const saying = (text: string) => chat(user('Hello.'), agent(text));

/** Evaluates files in threads, one file after the other. */
async function evaluate(files: Readonly<Record<string, string>>, entry = DYING, startAfterMs = 0) {
  await using folder = await temporaryFolder(files);
  const events: RunEvent[] = [];
  const { report } = await evaluateFileStream(
    Object.keys(files).map((name) => join(folder.path, name)),
    {},
    {
      openWorkers: (configuration, addsHashes) =>
        new ThreadedSessions(configuration, addsHashes, { entry, threads: 2, startAfterMs, memoryMb: 200 }),
      onResult: (event) => events.push(event),
    },
  );
  const name = (file: string) => file.slice(folder.path.length + 1);
  return {
    report,
    evaluated: report.sessions.map(({ source }) => name(source.file)),
    errors: report.problems
      .filter(({ severity }) => severity === 'error')
      .map(({ file, line, message }) => [name(file), line, message]),
    events,
  };
}

describe('a thread that evaluates sessions', () => {
  it.each([
    ['ends', 'end this thread', 'it ended unexpectedly'],
    ['throws', 'throw in a callback', 'Turnwise failed on it (no luck)'],
    ['needs too much memory', 'eat all memory', 'it needs more memory than there is'],
  ])('and %s leaves an error at its file, and all other sessions', LONG, async (_, text, clause) => {
    const { report, evaluated, errors } = await evaluate({
      'a.json': UNKNOWN_TOOL,
      'b.json': saying(text),
      'c.json': UNKNOWN_TOOL,
      'd.json': saying('Good morning.'),
    });
    expect(evaluated).toEqual(['a.json', 'c.json', 'd.json']);
    expect(errors).toEqual([['b.json', 1, `This session was not evaluated: ${clause}.`]]);
    expect([report.run.complete, report.verdict]).toEqual([false, 'failed']);
    expect(report.undecided.map(({ reason }) => reason)).toEqual(['1 of 4 sessions could not be evaluated.']);
  });

  it('is replaced by this thread where it cannot be started', LONG, async () => {
    const nowhere = new URL('./there-is-no-such-worker.ts', import.meta.url);
    const { evaluated, errors } = await evaluate({ 'a.json': UNKNOWN_TOOL, 'b.json': UNKNOWN_TOOL }, nowhere);
    expect([evaluated, errors]).toEqual([['a.json', 'b.json'], []]);
  });

  it('is not started for a short run', async () => {
    const { evaluated, errors, events } = await evaluate(
      { 'a.json': UNKNOWN_TOOL, 'b.json': saying('end this thread') },
      DYING,
      60_000,
    );
    expect([evaluated, errors]).toEqual([['a.json', 'b.json'], []]);
    expect(events.filter(({ type }) => type === 'turn')).toHaveLength(2);
  });

  it('reports how many turns are done, session by session', LONG, async () => {
    const { events } = await evaluate({ 'a.json': UNKNOWN_TOOL, 'b.json': saying('Good morning.') });
    const progress = events.map((event) => (event.type === 'started' ? event.type : [event.done, event.of]));
    expect(progress).toEqual(['started', [1, 2], [2, 2]]);
  });
});
