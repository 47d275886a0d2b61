import type { Evidence as Cited } from '../../core/result.ts';
import type { Session } from '../../core/session.ts';
import type { Evidence } from '../../protocol/report-values.ts';
import { addressesOf } from './addresses.ts';
import { EVIDENCE } from './limits.ts';
import { Passages } from './passages.ts';
import { sentence, targetIn } from './values.ts';

export interface Citations {
  readonly evidence: readonly Evidence[];
  readonly evidenceOmitted: number;
}

/** Says where evidence stands: in the files of a session, and in its transcript as far as that could be read. */
export class Citing {
  readonly #file: string;
  readonly #session: Session | null;
  readonly #passages: Passages | null;

  /** @param file of the session: that of evidence which names none. */
  constructor(file: string, session: Session | null) {
    this.#file = file;
    this.#session = session;
    this.#passages = session && new Passages(session);
  }

  /** @param because the sentence that rests on it. */
  cited(evidence: readonly Cited[], because: string | null): Citations {
    const rows = evidence.slice(0, EVIDENCE).map(({ pointer, note, file = this.#file }): Evidence => {
      const address = this.#session && addressesOf(this.#session).find(pointer, file);
      const said = because === null ? [note] : [note, because];
      return {
        note: sentence(note),
        target: targetIn(file, pointer),
        passage: (address && this.#passages?.of(address, said)) ?? null,
      };
    });
    return { evidence: rows, evidenceOmitted: evidence.length - rows.length };
  }
}
