import type { Session } from '../../core/session.ts';
import { type TurnText, textsOf } from './step-texts.ts';

/** Something that was found in a text, and where that text stands; null where it is what is said of the turn. */
export interface FirstFound {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly address: Omit<TurnText, 'text'> | null;
}

const KNOWN = new WeakMap<Session, Searchable>();

/** The texts of a session, as they are searched with every key that somebody presses. */
export class Searchable {
  readonly #session: Session;
  /** By turns: what has to be written out is written once. */
  readonly #texts: (readonly TurnText[] | undefined)[] = [];
  #last: { readonly text: string; readonly turns: ReadonlySet<number> } | undefined;

  /** Kept as long as the session is. */
  static of(session: Session): Searchable {
    const known = KNOWN.get(session) ?? new Searchable(session);
    KNOWN.set(session, known);
    return known;
  }

  private constructor(session: Session) {
    this.#session = session;
  }

  /** The turns in which a text can be, by what was sought before it; undefined: any. */
  among(text: string): ReadonlySet<number> | undefined {
    return this.#last && text.includes(this.#last.text) ? this.#last.turns : undefined;
  }

  /** @param turns all in which the text is. */
  remember(text: string, turns: readonly number[]): void {
    this.#last = { text, turns: new Set(turns) };
  }

  /** @param sought a global form. @param most so many are counted. */
  find(index: number, sought: RegExp, most: number): { readonly count: number; readonly first?: FirstFound } {
    let count = 0;
    let first: FirstFound | undefined;
    for (const { text, step, field, item } of this.#textsOf(index)) {
      const address = { step, field, item };
      sought.lastIndex = 0;
      for (let match = sought.exec(text); match && count < most; match = sought.exec(text)) {
        count += 1;
        first ??= { text, start: match.index, end: match.index + match[0].length, address };
      }
    }
    return first ? { count, first } : { count };
  }

  #textsOf(index: number): readonly TurnText[] {
    const turn = this.#session.turns[index];
    const known = this.#texts[index] ?? (turn ? [...textsOf(turn)] : []);
    this.#texts[index] = known;
    return known;
  }
}
