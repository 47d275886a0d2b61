import type { Session } from '../../core/session.ts';
import { type TextAddress, type TurnText, turnTexts } from './turn-texts.ts';

/** The first match, and the text of the transcript that it is in; null where it is in a finding. */
export interface FirstMatch {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly location: TextAddress | null;
}

/** The texts of a session, searched with every key press. */
export class SearchIndex {
  readonly #read: (turn: number) => Iterable<TurnText>;
  /** Texts by turn; each is read once. */
  readonly #texts: (readonly TurnText[] | undefined)[] = [];
  #last: { readonly text: string; readonly turns: ReadonlySet<number> } | undefined;

  /** @param read the texts of a turn, by its index. */
  constructor(read: (turn: number) => Iterable<TurnText>) {
    this.#read = read;
  }

  static of({ turns }: Session): SearchIndex {
    return new SearchIndex((index) => {
      const turn = turns[index];
      return turn ? turnTexts(turn) : [];
    });
  }

  /** The turns that can contain a text, if it extends the previous search text; undefined: any. */
  candidates(text: string): ReadonlySet<number> | undefined {
    return this.#last && text.includes(this.#last.text) ? this.#last.turns : undefined;
  }

  /** @param turns all turns that contain the text. */
  remember(text: string, turns: readonly number[]): void {
    this.#last = { text, turns: new Set(turns) };
  }

  /** @param pattern a global expression. @param most the maximum that is counted. */
  search(index: number, pattern: RegExp, most: number): { readonly count: number; readonly first?: FirstMatch } {
    let count = 0;
    let first: FirstMatch | undefined;
    for (const { text, step, field, item } of this.#textsOf(index)) {
      const address = { step, field, item };
      pattern.lastIndex = 0;
      for (let match = pattern.exec(text); match && count < most; match = pattern.exec(text)) {
        count += 1;
        first ??= { text, start: match.index, end: match.index + match[0].length, location: address };
      }
    }
    return first ? { count, first } : { count };
  }

  #textsOf(index: number): readonly TurnText[] {
    const known = this.#texts[index] ?? [...this.#read(index)];
    this.#texts[index] = known;
    return known;
  }
}
