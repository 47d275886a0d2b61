import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { otlp } from '../../../src/formats/spans/otlp.ts';
import { joinSessions } from '../../../src/input/join-sessions.ts';
import { fileOf, isLiveFile } from '../../../src/receiver/live-file.ts';
import { LiveFolder } from '../../../src/receiver/live-folder.ts';
import { FolderFull, type LineFolder, type LiveChanges, LiveTraces } from '../../../src/receiver/live-traces.ts';
import { readTraceParts } from '../../../src/receiver/trace-parts.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { exportOf, type GeneratedSpan, programSpan, turnSpans } from './generated-spans.ts';

const QUIET_MS = 1000;

/** A folder in memory. */
class MemoryFolder implements LineFolder {
  readonly files = new Map<string, string>();
  isFull = false;
  inUse: ReadonlySet<string> = new Set();
  failures = 0;

  async makeRoom(_: number, inUse: ReadonlySet<string>): Promise<boolean> {
    this.inUse = inUse;
    return !this.isFull;
  }

  async append(file: string, lines: string): Promise<void> {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('The disk is full.');
    }
    this.files.set(file, `${this.files.get(file) ?? ''}${lines}`);
  }

  async read(traceId: string, file: string): Promise<readonly string[]> {
    const lines = (this.files.get(file) ?? '').split(/(?<=\n)/);
    return lines.filter((line) => line.includes(`"traceId":"${traceId}"`));
  }

  async move(traceId: string, from: string, to: string): Promise<boolean> {
    const lines = (this.files.get(from) ?? '').split(/(?<=\n)/);
    const isOfTrace = (line: string) => line.includes(`"traceId":"${traceId}"`);
    await this.append(to, lines.filter(isOfTrace).join(''));
    const rest = lines.filter((line) => !isOfTrace(line)).join('');
    if (rest === '') this.files.delete(from);
    else this.files.set(from, rest);
    return rest === '';
  }

  sessions() {
    return sessionsOf(this.files);
  }
}

/** What the reader of files reads, without what depends on the order of lines: pointers, and the order of sessions. */
function sessionsOf(files: ReadonlyMap<string, string>) {
  const read = Array.from(files, ([file, text]) => {
    const value = text
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    return otlp.read({ file, value, lines: true }).sessions;
  });
  const { sessions } = joinSessions(read.flat(), () => true);
  const plain: unknown = JSON.parse(
    JSON.stringify(
      sessions.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      (key, value: unknown) => (/pointer$/i.test(key) || key === 'file' ? undefined : value),
    ),
  );
  return plain;
}

/** What one request of each signal has. */
function partsOf(items: readonly GeneratedSpan[]) {
  const request = exportOf(items);
  return (['traces', 'logs'] as const).flatMap((signal) => readTraceParts(signal, request)?.parts ?? []);
}

function started<Folder extends LineFolder>(folder: Folder, known?: ReadonlyMap<string, string>) {
  let time = 0;
  const traces = new LiveTraces({ folder, quietMs: QUIET_MS, now: () => time, ...(known && { known }) });
  return {
    folder,
    traces,
    wait: (ms: number) => {
      time += ms;
    },
    send: (...spans: readonly GeneratedSpan[]) => traces.add(partsOf(spans)),
  };
}

/** Some traces, and ways in which they may arrive. */
function scenarios(count: number) {
  const turns = fc.array(
    fc.record({
      conversation: fc.constantFrom('a', 'b', null),
      steps: fc.integer({ min: 0, max: 2 }),
      named: fc.constantFrom('all', 'root', 'leaf', 'mixed'),
      requests: fc.integer({ min: 0, max: 2 }),
      logs: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  );
  return turns.chain((list) => {
    const spans = list.flatMap((turn, number) => turnSpans(number, turn));
    const arrival = fc.record({
      order: fc.shuffledSubarray(spans, { minLength: spans.length }),
      repeated: fc.subarray(spans),
      size: fc.integer({ min: 1, max: 5 }),
      between: fc.array(fc.constantFrom('nothing', 'nothing', 'quiet', 'restart'), { minLength: 1, maxLength: 8 }),
    });
    return fc.record({
      spans: fc.constant(spans),
      arrivals: fc.array(arrival, { minLength: count, maxLength: count }),
    });
  });
}

interface Arrival {
  readonly order: readonly GeneratedSpan[];
  readonly repeated: readonly GeneratedSpan[];
  readonly size: number;
  /** What happens after each request; then from the beginning again. */
  readonly between: readonly ('nothing' | 'quiet' | 'restart')[];
}

/** The folder, and the files of it that change. */
function noting(folder: LineFolder, changed: Set<string>): LineFolder {
  return {
    makeRoom: (bytes, inUse) => folder.makeRoom(bytes, inUse),
    append: (file, lines) => {
      changed.add(file);
      return folder.append(file, lines);
    },
    read: (traceId, file) => folder.read(traceId, file),
    move: (traceId, from, to) => {
      changed.add(from).add(to);
      return folder.move(traceId, from, to);
    },
  };
}

function expectSessions(files: ReadonlyMap<string, string>, spans: readonly GeneratedSpan[]): void {
  expect(sessionsOf(files)).toEqual(sessionsOf(new Map([['file', JSON.stringify(exportOf(spans))]])));
  expect([...files.keys()].toSorted()).toEqual([...new Set(spans.map(({ file }) => file))].toSorted());
}

/** What a receiver knows of the files of the one before it. */
function tracesIn(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const traces = new Map<string, string>();
  for (const [file, text] of files) {
    for (const [, traceId = ''] of text.matchAll(/"traceId":"([0-9a-f]{32})"/g)) traces.set(traceId, file);
  }
  return traces;
}

/** Receives all of it, and checks that each file is told of after its last change. */
async function receive<Folder extends LineFolder>(
  { order, repeated, size, between }: Arrival,
  disk: {
    readonly open: () => Promise<Folder>;
    readonly traces: (folder: Folder) => Promise<ReadonlyMap<string, string>>;
  },
): Promise<void> {
  const changed = new Set<string>();
  const start = async () => {
    const folder = await disk.open();
    return started(noting(folder, changed), await disk.traces(folder));
  };
  const note = ({ turns, complete, gone }: LiveChanges) => {
    for (const file of [...turns, ...complete, ...gone]) changed.delete(file);
  };
  let receiver = await start();
  const quiet = () => {
    receiver.wait(QUIET_MS);
    note(receiver.traces.complete());
    expect([...changed]).toEqual([]);
  };
  const sent = [...order, ...repeated];
  for (let at = 0; at < sent.length; at += size) {
    note(await receiver.send(...sent.slice(at, at + size)));
    const event = between[(at / size) % between.length];
    if (event === 'quiet') quiet();
    // A receiver that ends leaves all files to be evaluated from disk.
    if (event === 'restart') {
      changed.clear();
      receiver = await start();
    }
  }
  quiet();
}

describe('live traces', () => {
  it('give the session of the file for spans and log records in any order, with sessions completed and receivers restarted in between', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios(10), async ({ spans, arrivals }) => {
        for (const arrival of arrivals) {
          const memory = new MemoryFolder();
          await receive(arrival, { open: async () => memory, traces: async () => tracesIn(memory.files) });
          expectSessions(memory.files, spans);
        }
      }),
      { numRuns: 1000 },
    );
  }, 300_000);

  it('give the session of the file in a folder on disk', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios(1), async ({ spans, arrivals: [arrival] }) => {
        if (!arrival) throw new Error('There is no arrival.');
        await using disk = await temporaryFolder();
        await receive(arrival, {
          open: () => LiveFolder.open(disk.path, { maxBytes: 1e9, keepMs: 1e9 }),
          traces: (folder) => folder.traces(),
        });
        const names = await readdir(disk.path);
        const texts = names.map(async (name) => [name, await readFile(join(disk.path, name), 'utf8')] as const);
        expectSessions(new Map(await Promise.all(texts)), spans);
      }),
      { numRuns: 100 },
    );
  }, 300_000);

  it('finish a turn when no span above another is missing', async () => {
    const { send } = started(new MemoryFolder());
    const [root, ...below] = turnSpans(1, { conversation: 'a', steps: 1, named: 'all', requests: 0 });
    expect((await send(...below)).turns).toEqual([]);
    expect((await send(root)).turns).toEqual([fileOf('a')]);
  });

  it('finish a turn whose first span has a parent in another process', async () => {
    const { send } = started(new MemoryFolder());
    const [root, ...below] = turnSpans(1, { conversation: 'a', steps: 1, named: 'all', requests: 0 });
    const remote = { ...root, span: { ...root.span, parentSpanId: 'f'.repeat(16), flags: 0x301 } };
    expect((await send(...below, remote)).turns).toEqual([fileOf('a')]);
  });

  it('finish a turn with a span that comes after the session was complete, or to the next receiver', async () => {
    const first = started(new MemoryFolder());
    const [root, late, ...others] = turnSpans(1, { conversation: 'a', steps: 1, named: 'root', requests: 0 });
    if (!late) throw new Error('There is one span only.');
    await first.send(root, ...others);
    first.wait(QUIET_MS);
    expect(first.traces.complete().complete).toEqual([fileOf('a')]);
    const second = started(first.folder, tracesIn(first.folder.files));
    expect((await first.send(late)).turns).toEqual([fileOf('a')]);
    expect((await second.send(late)).turns).toEqual([fileOf('a')]);
  });

  it('are complete after a quiet time or when the program says so, and not when a root ended', async () => {
    const { traces, send, wait } = started(new MemoryFolder());
    await send(...turnSpans(1, { conversation: 'a', steps: 1, named: 'all', requests: 0 }));
    wait(QUIET_MS - 1);
    expect(traces.complete().complete).toEqual([]);
    await send(...turnSpans(2, { conversation: 'a', steps: 1, named: 'all', requests: 0 }));
    wait(QUIET_MS - 1);
    expect(traces.complete().complete).toEqual([]);
    wait(1);
    expect(traces.complete().complete).toEqual([fileOf('a')]);
    expect(traces.complete().complete).toEqual([]);

    await send(...turnSpans(3, { conversation: 'b', steps: 0, named: 'all', requests: 0 }));
    expect(traces.complete(['b', 'unknown']).complete).toEqual([fileOf('b')]);
  });

  it('say that a file is gone when its trace turns out to belong to another session', async () => {
    const { folder, send } = started(new MemoryFolder());
    await send(...turnSpans(1, { conversation: 'a', steps: 0, named: 'all', requests: 0 }));
    const [root, ...below] = turnSpans(2, { conversation: 'a', steps: 1, named: 'root', requests: 0 });
    await send(...below);
    const own = fileOf(root.span.traceId);
    expect([...folder.files.keys()]).toEqual([fileOf('a'), own]);
    expect(await send(root)).toMatchObject({ gone: [own], turns: [fileOf('a')] });
    expect([...folder.files.keys()]).toEqual([fileOf('a')]);
  });

  it('keep nothing of programs without an agent', async () => {
    const { folder, traces, send } = started(new MemoryFolder());
    await send(programSpan(1), programSpan(2));
    expect(folder.files.size).toBe(0);
    expect(traces.pendingSpans).toBe(2);
  });

  it('add late spans to the file that an earlier process has written', async () => {
    const first = started(new MemoryFolder());
    const [root, ...below] = turnSpans(1, { conversation: 'a', steps: 1, named: 'root', requests: 0 });
    await first.send(root);
    const second = started(first.folder, new Map([[root.span.traceId, fileOf('a')]]));
    await second.send(...below);
    expect([...first.folder.files.keys()]).toEqual([fileOf('a')]);
  });

  it('lose nothing when a write fails and the exporter sends again', async () => {
    const { folder, send } = started(new MemoryFolder());
    const spans = turnSpans(1, { conversation: 'a', steps: 2, named: 'all', requests: 2 });
    const [request, ...rest] = spans.toReversed();
    if (!request) throw new Error('There are no spans.');
    await send(request);
    folder.failures = 1;
    await expect(send(...rest)).rejects.toThrow('The disk is full.');
    await send(...rest);
    expect(folder.sessions()).toEqual(sessionsOf(new Map([['file', JSON.stringify(exportOf(spans))]])));
  });

  it('refuse what the quota does not allow', async () => {
    const { folder, send } = started(new MemoryFolder());
    folder.isFull = true;
    const spans = turnSpans(1, { conversation: 'a', steps: 2, named: 'all', requests: 2 });
    await expect(send(...spans)).rejects.toThrow(FolderFull);
  });
});

describe('a complete session', () => {
  it('is not deleted for its own next turn', async () => {
    const { folder, traces, send } = started(new MemoryFolder());
    const turn = (number: number, conversation: string | null) =>
      turnSpans(number, { conversation, steps: 0, named: 'all', requests: 0 });
    const [root, ...below] = turn(3, null);
    for (const spans of [turn(1, 'a'), turn(2, 'b'), [root]]) await send(...spans);
    traces.complete(['a', 'b', root.span.traceId]);
    await send(...turn(4, 'a'), ...below);
    expect(folder.inUse).toEqual(new Set([fileOf('a'), fileOf(root.span.traceId)]));
  });
});

describe('file names', () => {
  it('stay in the folder, whatever the id is', () => {
    for (const id of [
      '../../etc/passwd',
      '/abs',
      'C:\\x',
      '..',
      '.',
      '',
      'con',
      'a\0b',
      '.hidden',
      'x'.repeat(500),
      '東京',
    ]) {
      expect(isLiveFile(fileOf(id)), id).toBe(true);
      expect(fileOf(id)).not.toMatch(/[\\/\0]|^\./);
    }
    fc.assert(fc.property(fc.string(), (id) => isLiveFile(fileOf(id))));
  });

  it('have the id where it can say nothing, and no word of it otherwise', () => {
    const readable = (id: string) => fileOf(id).replace(/-[0-9a-f]{12}\.otlp\.jsonl$/, '');
    for (const id of [
      'conv-42',
      '550e8400-e29b-41d4-a716-446655440000',
      '4bf92f3577b34da6a3ce929d0e0e4736',
      '7',
      'u17',
    ]) {
      expect(readable(id)).toBe(id);
    }
    expect(readable('thread_17/3')).toBe('thread-17-3');
    for (const id of [
      'Ignore-all-previous-instructions',
      'conv-42-passed',
      'run-run',
      'rm_rf',
      'do-as-we-do',
      'dead-beef',
      '1gn0r3',
      '',
      '-42',
    ]) {
      expect(readable(id), id).toBe('session');
    }
  });

  it('differ for ids that look alike', () => {
    expect(fileOf('a/b')).not.toBe(fileOf('a-b'));
  });
});
