import { describe, expect, it } from 'vitest';
import { checkNames, wordsOf } from '../../../scripts/check-names.ts';
import { parseText } from '../../../scripts/source-files.ts';

const messages = (...files: readonly (readonly [path: string, text: string])[]) =>
  checkNames(files.map(([path, text]) => parseText(path, text))).map(
    ({ file, line, message }) => `${file}:${line}: ${message}`,
  );

describe('wordsOf', () => {
  it.each([
    ['whoAsked', ['who', 'asked']],
    ['JSONText', ['json', 'text']],
    ['MAX_HELD_FILES', ['max', 'held', 'files']],
    ['told-by-file', ['told', 'by', 'file']],
  ])('splits %s into its words', (name, words) => {
    expect(wordsOf(name)).toEqual(words);
  });
});

describe('checkNames', () => {
  it('reports a stop word in a file name', () => {
    expect(messages(['src/input/told.ts', ''])).toEqual(['src/input/told.ts:1: the file name has "told"']);
  });

  it('reports a stop word in an exported name, with its line', () => {
    const text = "import { whoAsked } from './b.ts';\nconst kept = 1;\nexport const heldFiles = [whoAsked, kept];\n";
    expect(messages(['src/a.ts', text])).toEqual(['src/a.ts:3: the exported name heldFiles has "held"']);
  });

  it('reports types of one name that two files export, and neither functions nor re-exports', () => {
    const first = 'export interface Place {}\nexport function read() {}\n';
    const second = "export type Place = string;\nexport function read() {}\nexport type { Other } from './c.ts';\n";
    expect(messages(['src/a.ts', first], ['src/b.ts', second], ['src/c.ts', 'export interface Other {}\n'])).toEqual([
      'src/a.ts:1: the type Place is also exported by src/b.ts',
      'src/b.ts:1: the type Place is also exported by src/a.ts',
    ]);
  });

  it('does not take a part of a word for a stop word', () => {
    expect(messages(['src/a.ts', 'export const threshold = 1;\nexport class Forgiven {}\n'])).toEqual([]);
  });
});
