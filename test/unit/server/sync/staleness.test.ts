import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../../../src/core/report.ts';
import type { FilePosition } from '../../../../src/protocol/messages.ts';
import { type TextDelta, toTextDelta } from '../../../../src/protocol/text-delta.ts';
import { FileStamps } from '../../../../src/server/disk/file-stamps.ts';
import { type EvaluateFiles, Evaluator } from '../../../../src/server/evaluation/evaluator.ts';
import { createGroupEvaluation } from '../../../../src/server/evaluation/group-evaluation.ts';
import { DirtyDocuments } from '../../../../src/server/results/dirty-documents.ts';
import { EvaluationResults } from '../../../../src/server/results/evaluation-results.ts';
import { StalenessTracker } from '../../../../src/server/sync/staleness.ts';
import { QUIET_LOG } from '../quiet-log.ts';
import { FakeLocator, report, session } from '../report-fixture.ts';
import { ChangingFiles } from './changing-files.ts';

const FILE = '/traces/a.trace.json';
const URI = 'file:///traces/a.trace.json';
const MARK = '[HERE]';

const QUIET = { begin: () => {}, report: () => {}, done: () => {} };
const NEVER = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => {} }) };

function positionIn(text: string, offset: number): FilePosition {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}

/** Finds one session with one turn, which is the mark. */
const evaluateFiles: EvaluateFiles = async ([path = ''], _configuration, { files }) => {
  if (!(await files?.stat(path))) return { report: report(), sessions: [], locator: new FakeLocator() };
  const text = new TextDecoder().decode(await files?.read(path));
  const { line, character } = positionIn(text, text.indexOf(MARK));
  const place = [line + 1, character + 1, line + 1, character + 1 + MARK.length] as const;
  const turns = [{ id: 't', index: 0, pointer: '/here', line: line + 1, metrics: {} }];
  const result: Partial<Report> = { sessions: [session('s', FILE, { turns })] };
  return { report: report(result), sessions: [], locator: new FakeLocator({ '/here': place }) };
};

/** A file on disk, an editor that shows it, and the server that knows of both what it is told. */
class World {
  readonly files = new ChangingFiles({ [FILE]: `one\n${MARK}\ntwo\n` });
  readonly results = new EvaluationResults();
  readonly #documents = new DirtyDocuments();
  readonly #disk = new FileStamps(this.files, () => Number.MAX_SAFE_INTEGER);
  readonly #staleness = new StalenessTracker({
    results: this.results,
    documents: this.#documents,
    disk: this.#disk,
    refreshSoon: () => {},
  });
  readonly #evaluator = new Evaluator({
    evaluateGroup: createGroupEvaluation(evaluateFiles, this.files),
    results: this.results,
    documents: this.#documents,
    disk: this.#disk,
    files: this.files,
    refresh: () => {},
    onResults: () => {},
    onComplete: () => {},
    onReport: () => {},
    log: QUIET_LOG,
  });
  /** What the editor shows; null where it shows nothing. */
  buffer: string | null = null;
  /** The text on disk that was typed in. */
  #base: string | null = null;
  #undo: (() => TextDelta)[] = [];
  evaluated: string | null = null;
  /** Whether every change since then was seen. */
  isFollowed = true;

  get disk(): string | null {
    return this.files.text(FILE);
  }

  /** As editors have it: until what was typed is undone or saved, whatever it comes to. */
  get isDirty(): boolean {
    return this.#undo.length > 0;
  }

  async evaluate(): Promise<void> {
    await this.#evaluator.evaluate([URI], QUIET, NEVER);
    this.evaluated = this.disk;
    // What was typed in another text than the one on disk leads from that one nowhere.
    this.isFollowed = !this.isDirty || this.#base === this.disk;
  }

  #put(from: number, to: number, text: string): TextDelta {
    const before = this.buffer ?? '';
    const edit = toTextDelta({ start: positionIn(before, from), end: positionIn(before, to) }, text);
    this.buffer = before.slice(0, from) + text + before.slice(to);
    return edit;
  }

  /** Never within the mark. */
  async type(at: number, length: number, text: string): Promise<void> {
    if (!this.isDirty) this.#base = this.disk;
    this.buffer ??= this.disk;
    if (this.buffer === null) return;
    const mark = this.buffer.indexOf(MARK);
    const from = Math.min(at, this.buffer.length);
    const start = from > mark && from < mark + MARK.length ? mark : from;
    const end = start <= mark ? Math.min(start + length, mark) : Math.min(start + length, this.buffer.length);
    const gone = this.buffer.slice(start, end);
    const edit = this.#put(start, end, text);
    this.#undo.push(() => this.#put(start, start + text.length, gone));
    this.#staleness.addEdits(FILE, [edit]);
  }

  async undo(): Promise<void> {
    if (this.#undo.length === 0) return;
    const edits = this.#undo
      .splice(0)
      .reverse()
      .map((undo) => undo());
    this.#staleness.addEdits(FILE, edits);
    // What another program has written meanwhile is shown now.
    if (this.#base !== this.disk) await this.close();
    else await this.#staleness.markClean(FILE);
  }

  async save(): Promise<void> {
    if (this.buffer === null) return;
    this.files.write(FILE, this.buffer);
    this.#undo = [];
    await this.#staleness.markClean(FILE);
    await this.#staleness.check(FILE);
  }

  async close(): Promise<void> {
    if (this.buffer === null) return;
    // What was typed and not saved is gone, and with it what was known of where things stand.
    if (this.buffer !== this.disk) this.isFollowed = this.disk === this.evaluated;
    this.buffer = null;
    this.#undo = [];
    await this.#staleness.markClean(FILE);
  }

  /** Another program writes, or deletes, the file. */
  async change(text: string | null): Promise<void> {
    if (!this.isDirty) await this.close();
    if (text === null) this.files.delete(FILE);
    else this.files.write(FILE, text);
    this.isFollowed = text === this.evaluated && this.buffer === null;
    await this.#staleness.check(FILE);
  }

  get state(): string {
    if (this.disk === null) return 'gone';
    return this.disk !== this.evaluated || this.isDirty ? 'stale' : 'fresh';
  }

  /** Where the mark stands in what is shown, else on disk. */
  get mark(): FilePosition | null {
    const text = this.buffer ?? this.disk;
    return text === null ? null : positionIn(text, text.indexOf(MARK));
  }
}

const text = fc.array(fc.constantFrom('a', 'b', '\n', '\n\n'), { maxLength: 4 }).map((parts) => parts.join(''));
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('type' as const), at: fc.nat(40), length: fc.nat(5), text }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('undo', 'save', 'close', 'evaluate', 'touch', 'delete' as const) }),
  },
  fc.record({ do: fc.constant('write' as const), text }),
  fc.record({ do: fc.constant('revert' as const) }),
);

async function take(world: World, item: typeof step extends fc.Arbitrary<infer One> ? One : never): Promise<void> {
  switch (item.do) {
    case 'type':
      return world.type(item.at, item.length, item.text);
    case 'write':
      return world.change(`${item.text}${MARK}${item.text}`);
    case 'revert':
      return world.change(world.evaluated);
    case 'touch':
      return world.change(world.disk);
    case 'delete':
      return world.change(null);
    case 'evaluate':
      // A file that is gone has no results any more.
      return world.disk === null ? undefined : world.evaluate();
    default:
      return world[item.do]();
  }
}

describe('results of a file that is edited, saved, written by others and deleted', () => {
  it('are fresh exactly when the evaluated content is on disk and shown, and follow the text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const world = new World();
        await world.evaluate();
        for (const step of steps) {
          await take(world, step);
          const file = world.results.file(FILE);
          expect(file?.state, JSON.stringify(step)).toBe(world.state);
          expect(world.results.files(0, 1).rows[0]?.state).toBe(world.state);
          const place = world.results.sessionsIn(FILE)[0]?.turnPlaces[0];
          if (world.isFollowed && world.mark && place) {
            expect(world.results.currentLocation(place).range.start, JSON.stringify(step)).toEqual(world.mark);
          }
        }
      }),
    );
  });
});
