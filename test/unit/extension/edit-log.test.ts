import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EditLog } from '../../../src/extension/edit-log.ts';
import { toTextDelta } from '../../../src/protocol/text-delta.ts';

const A = 'file:///a.json';
const B = 'file:///b.json';
const at = (line: number, text = 'x') => ({
  range: { start: { line, character: 1 }, end: { line, character: 3 } },
  text,
});

describe('EditLog', () => {
  it('records the range and length of an edit, never its text', () => {
    const log = new EditLog();
    log.add(A, [at(4, 'se\ncret')], true);
    expect(log.takeUnsent()).toEqual([
      {
        uri: A,
        edits: [{ range: at(4).range, lines: 1, lastLength: 4 }],
        isDirty: true,
      },
    ]);
  });

  it('counts lines as the Language Server Protocol does, for all line endings', () => {
    const text = fc.array(fc.constantFrom('\r', '\n', '\r\n', 'a', '🙂'), { maxLength: 12 });
    fc.assert(
      fc.property(text, (parts) => {
        const log = new EditLog();
        log.add(A, [at(0, parts.join(''))], true);
        const lines = parts.join('').split(/\r\n|\r|\n/);
        const expected = { range: at(0).range, lines: lines.length - 1, lastLength: lines.at(-1)?.length };
        expect(log.takeUnsent()[0]?.edits).toEqual([expected]);
      }),
    );
  });

  it('reports every edit once, in order and grouped by document', () => {
    const log = new EditLog();
    log.add(A, [at(1), at(2)], true);
    log.add(B, [at(7)], true);
    log.add(A, [at(3)], true);
    const lines = log.takeUnsent().map(({ uri, edits }) => [uri, ...edits.map(({ range }) => range.start.line)]);
    expect(lines).toEqual([
      [A, 1, 2, 3],
      [B, 7],
    ]);
    expect(log.takeUnsent()).toEqual([]);
    log.add(A, [at(4)], true);
    expect(log.takeUnsent()).toMatchObject([{ uri: A, edits: [{ range: at(4).range }] }]);
  });

  it('reports that a document is as on disk, even without edits', () => {
    const log = new EditLog();
    log.add(A, [at(1)], true);
    log.takeUnsent();
    log.add(A, [], false);
    expect(log.takeUnsent()).toEqual([{ uri: A, edits: [], isDirty: false }]);
    expect(log.takeUnsent()).toEqual([]);
  });

  it('takes a document that was closed for what is on disk, and says nothing of one that was not edited', () => {
    const log = new EditLog();
    log.add(A, [at(1)], true);
    log.takeUnsent();
    log.close(A);
    log.close(B);
    expect(log.takeUnsent()).toEqual([{ uri: A, edits: [], isDirty: false }]);
  });

  it('tells a new server all edits since a document was as on disk, and none for saved documents', () => {
    const log = new EditLog();
    log.add(A, [at(1)], true);
    log.takeUnsent();
    log.add(A, [at(2)], true);
    log.add(B, [at(3)], false);
    log.reset();
    expect(log.takeUnsent()).toMatchObject([{ uri: A, edits: [{ range: at(1).range }, { range: at(2).range }] }]);
  });

  it('drops edits from before a save', () => {
    const log = new EditLog();
    log.add(A, [at(1)], true);
    log.add(A, [], false);
    log.takeUnsent();
    log.add(A, [at(2)], true);
    log.reset();
    expect(log.takeUnsent()).toMatchObject([{ uri: A, edits: [{ range: at(2).range }] }]);
  });

  it('reports that a document with unseen edits differs from disk', () => {
    const log = new EditLog();
    log.addUnknown(A);
    const [documentEdits] = log.takeUnsent();
    expect(documentEdits).toMatchObject({ uri: A, isDirty: true });
    expect(documentEdits?.edits).toEqual([
      toTextDelta({ start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, ''),
    ]);
  });
});
