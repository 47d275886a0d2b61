import type { Finding } from '../../core/finding.ts';
import { isProblemLevel, severityRank } from '../../core/severity.ts';
import type { Page } from './page.ts';
import type { Passage } from './passage.ts';
import { turnId } from './turn-passages.ts';
import type { Block } from './turn-rendering.ts';

/** At most so many characters are shown of what a rule says, and so many findings of a turn and of a session. */
const LONGEST_FINDING = 400;
const MOST_OF_TURN = 10;
const MOST_OF_SESSION = 20;

/** With the marker, the label and the heading, in characters: what they take of a prompt at most. */
const AROUND = 120;
export const ROOM_FOR_FINDINGS = MOST_OF_SESSION * (LONGEST_FINDING + AROUND);

/** What rules proved, as passages that an answer can cite: an id means the same in every prompt of the session. */
export interface FindingPassages {
  /** Empty where nothing was found. */
  ofTurn(index: number, page: Page): Block;
  ofSession(page: Page): Block;
  get(id: string): Passage | undefined;
}

export function findingPassages(findings: readonly Finding[]): FindingPassages {
  const turns = Map.groupBy(findings, ({ turn }) => turn);
  const all = [...turns].flatMap(([turn, found]) =>
    found.map((finding, at) => ({ finding, passage: passageOf(finding, `${turnId(turn)}.finding${at + 1}`) })),
  );
  const byId = new Map(all.map(({ passage }) => [passage.id, passage]));
  const ofTurns = Map.groupBy(all, ({ finding }) => finding.turn);
  const block = (found: readonly Entry[], most: number, heading: string, page: Page): Block => {
    if (found.length === 0) return { text: '', ids: [] };
    const shown = found
      .toSorted((a, b) => weight(b.finding) - weight(a.finding))
      .slice(0, most)
      .map(({ passage }) => passage);
    const left = found.length - shown.length;
    const title = left === 0 ? heading : `${heading} (${left} more are left out)`;
    return {
      text: page.heading(title) + shown.map((passage) => page.passage(passage)).join(''),
      ids: shown.map(({ id }) => id),
    };
  };
  return {
    ofTurn: (index, page) => block(ofTurns.get(index) ?? [], MOST_OF_TURN, 'Proven of this turn by checks', page),
    ofSession: (page) => block(all, MOST_OF_SESSION, 'Proven of the session by checks', page),
    get: (id) => byId.get(id),
  };
}

interface Entry {
  readonly finding: Finding;
  readonly passage: Passage;
}

function passageOf({ rule, severity, message, evidence, turn }: Finding, id: string): Passage {
  const what = isProblemLevel(severity) ? `${severity} severity` : 'an observation, and no failure';
  const [place] = evidence;
  return {
    id,
    label: `turn ${turn + 1}, proven by the check ${rule}, ${what}`,
    longest: LONGEST_FINDING,
    text: () => message,
    evidence: place ?? { pointer: '', note: `the check ${rule} in turn ${turn + 1}` },
  };
}

function weight({ severity }: Finding): number {
  return isProblemLevel(severity) ? severityRank(severity) + 1 : 0;
}
