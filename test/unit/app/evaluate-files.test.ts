import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { evaluateFileStream, evaluateFiles } from '../../../src/app/evaluate-files.ts';
import type { Session } from '../../../src/core/session.ts';
import { memoryFileSystem } from '../input/memory-file-system.ts';

const FILES = 12;

const files = memoryFileSystem(
  Object.fromEntries(
    Array.from({ length: FILES }, (_, index) => [
      `/traces/${String(index).padStart(2, '0')}.json`,
      JSON.stringify([
        { role: 'user', content: `Hello ${index}` },
        { role: 'assistant', content: 'Hi! '.repeat(1000) },
      ]),
    ]),
  ),
);

describe('a stream of files', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');

  it('is evaluated file by file, and its sessions are released meanwhile', async () => {
    const seen: WeakRef<Session>[] = [];
    const live: number[] = [];
    const { report } = await evaluateFileStream(
      ['/traces'],
      {},
      {
        files,
        onSession(session) {
          collectGarbage();
          live.push(seen.filter((reference) => reference.deref()).length);
          seen.push(new WeakRef(session));
        },
      },
    );
    expect(report.sessions).toHaveLength(FILES);
    // The file before is evaluated when the next one is read; one more may be on its way.
    expect(Math.max(...live)).toBeLessThanOrEqual(3);
  });

  it('has the same report as sessions that are read at once', async () => {
    const plain = ({ run: _, ...report }: Awaited<ReturnType<typeof evaluateFiles>>['report']) => report;
    const streamed = await evaluateFileStream(['/traces'], {}, { files });
    const loaded = await evaluateFiles(['/traces'], {}, { files });
    expect(plain(streamed.report)).toEqual(plain(loaded.report));
    expect(streamed.files).toEqual(loaded.files);
  });

  it.each([
    [{ sample: 3 }, ['00', '04', '08']],
    [{ session: 'missing' }, []],
  ])('is selected by %j', async (selection, names) => {
    const { report } = await evaluateFileStream(['/traces'], {}, { files, ...selection });
    expect(report.sessions.map(({ source }) => source.file)).toEqual(names.map((name) => `/traces/${name}.json`));
  });

  it('says which files an abort leaves unread', async () => {
    const stop = new AbortController();
    const { report } = await evaluateFileStream(
      ['/traces'],
      {},
      {
        files,
        signal: stop.signal,
        onResult: (event) => {
          if (event.type === 'session') stop.abort();
        },
      },
    );
    expect(report).toMatchObject({ verdict: 'undecided', run: { complete: false } });
    expect(report.sessions).toHaveLength(1);
    expect(report.undecided).toMatchObject([
      {
        code: 'interrupted',
        reason: 'The run was stopped: 1 of 2 sessions were not evaluated, and 10 files were not read.',
      },
    ]);
  });
});
