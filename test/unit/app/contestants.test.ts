import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openContestant } from '../../../src/app/contestants.ts';
import { sessionHashes } from '../../../src/core/session-hashes.ts';
import { load } from '../../../src/input/load.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import type { RunRecord } from '../../../src/runs/run-store.ts';
import { recordedRun, sessionRow } from '../../support/recorded-runs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { agent, chat, user } from '../../support/traces.ts';
import { configuration } from '../engine/support.ts';
import { NEVER } from '../judge/support.ts';

/** A folder with two traces, and a run that was recorded from them. */
async function recorded({ hasTranscripts }: { readonly hasTranscripts: boolean }) {
  const folder = await temporaryFolder({
    '.git': '',
    'traces/a.json': chat(user('Where is A?'), agent('Here.')),
    'traces/b.json': chat(user('Where is B?'), agent('There.')),
  });
  const { sessions } = await load([`${folder.path}/traces`], nodeFileSystem, { signal: NEVER });
  const rows = sessions.map((session, i) =>
    sessionRow({ id: session.id, file: `traces/${i === 0 ? 'a' : 'b'}.json`, ...sessionHashes(session) }),
  );
  const record: RunRecord = {
    ...recordedRun(rows, { project: folder.path }),
    path: `${folder.path}/record`,
    attempts: async () => [],
    transcripts: async function* () {},
    rows: async () => rows,
    async *sessions() {},
    async *transcribedSessions() {},
    planned: async () => null,
    report: async () => null,
    transcript: async (id) => (hasTranscripts ? (sessions.find((session) => session.id === id) ?? null) : null),
  };
  const open = (reference: string) =>
    openContestant(reference, configuration({}), {
      store: {
        async find(name) {
          if (name === 'last') return record;
          throw new Error(`There is no run "${name}".`);
        },
      },
      cwd: folder.path,
      signal: NEVER,
    });
  return { ...folder, open, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

function answers({ contestant }: Awaited<ReturnType<typeof openContestant>>) {
  return contestant.sessions.map(({ turns }) => turns[0]?.output);
}

describe('openContestant', () => {
  it('reads trace files and folders', async () => {
    await using run = await recorded({ hasTranscripts: false });
    expect(answers(await run.open(`${run.path}/traces`))).toEqual(['Here.', 'There.']);
    expect(answers(await run.open(`${run.path}/traces/*b.json`))).toEqual(['There.']);
  });

  it('reads the transcripts of a record, also after the traces have gone', async () => {
    await using run = await recorded({ hasTranscripts: true });
    await rm(`${run.path}/traces`, { recursive: true });
    expect(answers(await run.open('last'))).toEqual(['Here.', 'There.']);
  });

  it('reads the traces of a record without transcripts', async () => {
    await using run = await recorded({ hasTranscripts: false });
    expect(answers(await run.open('last'))).toEqual(['Here.', 'There.']);
  });

  it('refuses a record without transcripts whose traces have changed', async () => {
    await using run = await recorded({ hasTranscripts: false });
    await writeFile(`${run.path}/traces/b.json`, chat(user('Where is B?'), agent('Gone.')));
    await expect(run.open('last')).rejects.toThrow(/1 session of it cannot be read any more.*--with-transcripts/);
  });

  it('says that there is no such run', async () => {
    await using run = await recorded({ hasTranscripts: false });
    await expect(run.open('nothing')).rejects.toThrow('There is no run "nothing".');
  });
});
