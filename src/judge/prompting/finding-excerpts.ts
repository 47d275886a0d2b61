import type { Finding } from '../../core/finding.ts';
import { isProblemLevel, severityRank } from '../../core/severity.ts';
import type { PromptExcerpt } from './excerpt.ts';
import type { PromptWriter } from './prompt-writer.ts';
import { turnId } from './turn-excerpts.ts';
import type { PromptBlock } from './turn-rendering.ts';

/** Limits of a finding's text in characters, and of the findings of a turn and of a session. */
const MAX_FINDING_LENGTH = 400;
const MAX_PER_TURN = 10;
const MAX_PER_SESSION = 20;

/** Characters of the marker, the label and the heading of a finding. */
const EXCERPT_OVERHEAD = 120;
export const FINDINGS_LENGTH = MAX_PER_SESSION * (MAX_FINDING_LENGTH + EXCERPT_OVERHEAD);

/** Findings as excerpts that an answer can cite: an id means the same in every prompt of the session. */
export interface FindingExcerpts {
  /** Empty if there is no finding. */
  renderTurn(index: number, writer: PromptWriter): PromptBlock;
  renderSession(writer: PromptWriter): PromptBlock;
  get(id: string): PromptExcerpt | undefined;
}

export function createFindingExcerpts(findings: readonly Finding[]): FindingExcerpts {
  const turns = Map.groupBy(findings, ({ turn }) => turn);
  const all = [...turns].flatMap(([turn, entries]) =>
    entries.map((finding, index) => ({ finding, excerpt: toExcerpt(finding, `${turnId(turn)}.finding${index + 1}`) })),
  );
  const byId = new Map(all.map(({ excerpt }) => [excerpt.id, excerpt]));
  const byTurn = Map.groupBy(all, ({ finding }) => finding.turn);
  const block = (
    entries: readonly FindingExcerpt[],
    limit: number,
    heading: string,
    writer: PromptWriter,
  ): PromptBlock => {
    if (entries.length === 0) return { text: '', ids: [] };
    const excerpts = entries
      .toSorted((a, b) => findingWeight(b.finding) - findingWeight(a.finding))
      .slice(0, limit)
      .map(({ excerpt }) => excerpt);
    const omitted = entries.length - excerpts.length;
    const title = omitted === 0 ? heading : `${heading} (${omitted} more are left out)`;
    return {
      text: writer.heading(title) + excerpts.map((excerpt) => writer.excerpt(excerpt)).join(''),
      ids: excerpts.map(({ id }) => id),
    };
  };
  return {
    renderTurn: (index, writer) =>
      block(byTurn.get(index) ?? [], MAX_PER_TURN, 'Proven of this turn by checks', writer),
    renderSession: (writer) => block(all, MAX_PER_SESSION, 'Proven of the session by checks', writer),
    get: (id) => byId.get(id),
  };
}

/** Rules about the course of a session. They say nothing of what a turn did, and would sway a judge of it. */
const ABOUT_SESSION: ReadonlySet<string> = new Set([
  'stopped-early',
  'failure-at-end',
  'many-failed-calls',
  'late-handover',
  'long-session',
]);

/** Whether prompts show a finding. */
export function isShownInPrompts({ rule }: Finding): boolean {
  return !ABOUT_SESSION.has(rule);
}

interface FindingExcerpt {
  readonly finding: Finding;
  readonly excerpt: PromptExcerpt;
}

function toExcerpt({ rule, severity, message, evidence, turn }: Finding, id: string): PromptExcerpt {
  const kind = isProblemLevel(severity) ? `${severity} severity` : 'an observation, and no failure';
  const [location] = evidence;
  return {
    id,
    label: `turn ${turn + 1}, proven by the check ${rule}, ${kind}`,
    maxLength: MAX_FINDING_LENGTH,
    text: () => message,
    evidence: location ?? { pointer: '', note: `the check ${rule} in turn ${turn + 1}` },
  };
}

function findingWeight({ severity }: Finding): number {
  return isProblemLevel(severity) ? severityRank(severity) + 1 : 0;
}
