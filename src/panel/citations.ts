import type { Evidence as Cited } from '../core/result.ts';
import type { ReportEvidence } from '../protocol/report-values.ts';
import { CitationFinder } from '../report-model/transcript/citation-finder.ts';
import { MAX_EVIDENCE } from './limits.ts';
import { toTarget } from './targets.ts';
import type { Transcript } from './transcript.ts';
import { limitSentence } from './values.ts';

export interface Citations {
  readonly evidence: readonly ReportEvidence[];
  readonly evidenceOmitted: number;
}

/** Resolves evidence to locations: in the session's files, and in its transcript where that could be read. */
export class CitationResolver {
  readonly #file: string;
  readonly #transcript: Transcript | null;
  readonly #passages: CitationFinder | null;

  /** @param file the session's file, for evidence that names none. */
  constructor(file: string, transcript: Transcript | null) {
    this.#file = file;
    this.#transcript = transcript;
    this.#passages = transcript && new CitationFinder(transcript.session);
  }

  /** @param because the sentence that the evidence supports. */
  cite(evidence: readonly Cited[], because: string | null): Citations {
    const rows = evidence.slice(0, MAX_EVIDENCE).map(({ pointer, note, file = this.#file }): ReportEvidence => {
      const location = this.#transcript?.locations().find(pointer, file) ?? null;
      const sentences = because === null ? [note] : [note, because];
      return {
        note: limitSentence(note),
        target: toTarget(file, pointer),
        citation: (location && this.#passages?.find(location, sentences)) ?? null,
      };
    });
    return { evidence: rows, evidenceOmitted: evidence.length - rows.length };
  }
}
