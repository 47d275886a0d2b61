import type { Finding } from '../../core/finding.ts';
import { isProblemLevel, severityRank } from '../../core/severity.ts';
import type { PromptExcerpt } from './excerpt.ts';
import type { PromptWriter } from './prompt-writer.ts';
import { turnId } from './turn-excerpts.ts';
import type { PromptBlock } from './turn-rendering.ts';

/** At most so many characters are shown of what a rule says, and so many findings of a turn and of a session. */
const MAX_FINDING_LENGTH = 400;
const MAX_PER_TURN = 10;
const MAX_PER_SESSION = 20;

/** With the marker, the label and the heading, in characters: what they take of a prompt at most. */
const EXCERPT_OVERHEAD = 120;
export const FINDINGS_LENGTH = MAX_PER_SESSION * (MAX_FINDING_LENGTH + EXCERPT_OVERHEAD);

/** What rules proved, as passages that an answer can cite: an id means the same in every prompt of the session. */
export interface FindingExcerpts {
  /** Empty where nothing was found. */
  renderTurn(index: number, page: PromptWriter): PromptBlock;
  renderSession(page: PromptWriter): PromptBlock;
  get(id: string): PromptExcerpt | undefined;
}

export function createFindingExcerpts(findings: readonly Finding[]): FindingExcerpts {
  const turns = Map.groupBy(findings, ({ turn }) => turn);
  const all = [...turns].flatMap(([turn, found]) =>
    found.map((finding, at) => ({ finding, excerpt: toExcerpt(finding, `${turnId(turn)}.finding${at + 1}`) })),
  );
  const byId = new Map(all.map(({ excerpt: passage }) => [passage.id, passage]));
  const ofTurns = Map.groupBy(all, ({ finding }) => finding.turn);
  const block = (found: readonly FindingExcerpt[], most: number, heading: string, page: PromptWriter): PromptBlock => {
    if (found.length === 0) return { text: '', ids: [] };
    const shown = found
      .toSorted((a, b) => findingWeight(b.finding) - findingWeight(a.finding))
      .slice(0, most)
      .map(({ excerpt: passage }) => passage);
    const left = found.length - shown.length;
    const title = left === 0 ? heading : `${heading} (${left} more are left out)`;
    return {
      text: page.heading(title) + shown.map((passage) => page.excerpt(passage)).join(''),
      ids: shown.map(({ id }) => id),
    };
  };
  return {
    renderTurn: (index, page) => block(ofTurns.get(index) ?? [], MAX_PER_TURN, 'Proven of this turn by checks', page),
    renderSession: (page) => block(all, MAX_PER_SESSION, 'Proven of the session by checks', page),
    get: (id) => byId.get(id),
  };
}

/**
 * Rules that prompts still name by their former ids: a prompt that changed would not be answered from the answer cache of
 * an earlier version.
 */
const PROMPT_IDS: ReadonlyMap<string, string> = new Map([
  ['selection-from-search', 'chosen-change'],
  ['amount-stated', 'stated-amount'],
]);

interface FindingExcerpt {
  readonly finding: Finding;
  readonly excerpt: PromptExcerpt;
}

function toExcerpt({ rule, severity, message, evidence, turn }: Finding, id: string): PromptExcerpt {
  const what = isProblemLevel(severity) ? `${severity} severity` : 'an observation, and no failure';
  const [place] = evidence;
  return {
    id,
    label: `turn ${turn + 1}, proven by the check ${PROMPT_IDS.get(rule) ?? rule}, ${what}`,
    maxLength: MAX_FINDING_LENGTH,
    text: () => message,
    evidence: place ?? { pointer: '', note: `the check ${rule} in turn ${turn + 1}` },
  };
}

function findingWeight({ severity }: Finding): number {
  return isProblemLevel(severity) ? severityRank(severity) + 1 : 0;
}
