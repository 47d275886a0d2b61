import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { otlp } from '../../../src/formats/spans/otlp.ts';
import { joinSessions } from '../../../src/input/join-sessions.ts';
import { fileOf, isLiveFile } from '../../../src/receiver/live-file.ts';
import { FolderFull, type LineFolder, LiveTraces } from '../../../src/receiver/live-traces.ts';
import { readTraceParts } from '../../../src/receiver/trace-parts.ts';
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

function started(folder = new MemoryFolder(), known?: ReadonlyMap<string, string>) {
  let time = 0;
  const traces = new LiveTraces({ folder, quietMs: QUIET_MS, now: () => time, ...(known && { known }) });
  return {
    folder,
    traces,
    wait: (ms: number) => {
      time += ms;
    },
    send: (...spans: readonly GeneratedSpan[]) => traces.add(readTraceParts('traces', exportOf(spans))?.parts ?? []),
  };
}

describe('live traces', () => {
  it('give the session of the file for spans in any order, in any batches, some of them twice', async () => {
    const turns = fc.array(
      fc.record({
        conversation: fc.constantFrom('a', 'b', null),
        steps: fc.integer({ min: 0, max: 2 }),
        named: fc.constantFrom('all', 'root', 'leaf'),
        requests: fc.integer({ min: 0, max: 2 }),
      }),
      { minLength: 1, maxLength: 3 },
    );
    const scenario = turns.chain((list) => {
      const spans = list.flatMap((turn, number) => turnSpans(number, turn));
      const arrival = fc.record({
        order: fc.shuffledSubarray(spans, { minLength: spans.length }),
        repeated: fc.subarray(spans),
        size: fc.integer({ min: 1, max: 5 }),
      });
      return fc.record({ spans: fc.constant(spans), arrivals: fc.array(arrival, { minLength: 10, maxLength: 10 }) });
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ spans, arrivals }) => {
        const expected = sessionsOf(new Map([['file', JSON.stringify(exportOf(spans))]]));
        for (const { order, repeated, size } of arrivals) {
          const { folder, send } = started();
          const sent = [...order, ...repeated];
          for (let at = 0; at < sent.length; at += size) await send(...sent.slice(at, at + size));
          expect(folder.sessions()).toEqual(expected);
          expect([...folder.files.keys()].toSorted()).toEqual([...new Set(spans.map(({ file }) => file))].toSorted());
        }
      }),
      { numRuns: 1000 },
    );
  }, 300_000);

  it('finish a turn when no span above another is missing', async () => {
    const { send } = started();
    const [root, ...below] = turnSpans(1, { conversation: 'a', steps: 1, named: 'all', requests: 0 });
    expect((await send(...below)).turns).toEqual([]);
    expect((await send(root)).turns).toEqual([fileOf('a')]);
  });

  it('finish a turn whose first span has a parent in another process', async () => {
    const { send } = started();
    const [root, ...below] = turnSpans(1, { conversation: 'a', steps: 1, named: 'all', requests: 0 });
    const remote = { ...root, span: { ...root.span, parentSpanId: 'f'.repeat(16), flags: 0x301 } };
    expect((await send(...below, remote)).turns).toEqual([fileOf('a')]);
  });

  it('are complete after a quiet time or when the program says so, and not when a root ended', async () => {
    const { traces, send, wait } = started();
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
    const { folder, send } = started();
    await send(...turnSpans(1, { conversation: 'a', steps: 0, named: 'all', requests: 0 }));
    const [root, ...below] = turnSpans(2, { conversation: 'a', steps: 1, named: 'root', requests: 0 });
    await send(...below);
    const own = fileOf(root.span.traceId);
    expect([...folder.files.keys()]).toEqual([fileOf('a'), own]);
    expect(await send(root)).toMatchObject({ gone: [own], turns: [fileOf('a')] });
    expect([...folder.files.keys()]).toEqual([fileOf('a')]);
  });

  it('keep nothing of programs without an agent', async () => {
    const { folder, traces, send } = started();
    await send(programSpan(1), programSpan(2));
    expect(folder.files.size).toBe(0);
    expect(traces.pendingSpans).toBe(2);
  });

  it('add late spans to the file that an earlier process has written', async () => {
    const first = started();
    const [root, ...below] = turnSpans(1, { conversation: 'a', steps: 1, named: 'root', requests: 0 });
    await first.send(root);
    const second = started(first.folder, new Map([[root.span.traceId, fileOf('a')]]));
    await second.send(...below);
    expect([...first.folder.files.keys()]).toEqual([fileOf('a')]);
  });

  it('lose nothing when a write fails and the exporter sends again', async () => {
    const { folder, send } = started();
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
    const { folder, send } = started();
    folder.isFull = true;
    const spans = turnSpans(1, { conversation: 'a', steps: 2, named: 'all', requests: 2 });
    await expect(send(...spans)).rejects.toThrow(FolderFull);
  });
});

describe('a complete session', () => {
  it('is not deleted for its own next turn', async () => {
    const { folder, traces, send } = started();
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
