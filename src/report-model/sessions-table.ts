import type { Headline, SessionReport } from '../core/report.ts';
import type { Severity } from '../core/severity.ts';
import { severityRank } from '../core/severity.ts';
import { HEADLINE_KINDS } from '../core/statuses.ts';

/** A session in a list of many: only what the list sorts by, filters by and shows. */
export interface SessionEntry {
  /** Unique in the list. */
  readonly key: string;
  readonly id: string;
  /** The base name of its file. */
  readonly fileName: string;
  readonly task: SessionReport['task'];
  readonly headline: Headline;
  /** The most severe problem; null without problems. */
  readonly worst: { readonly severity: Severity; readonly title: string } | null;
  readonly problems: number;
  /** The labels of its problems, and the rules that found them. */
  readonly labels: ReadonlySet<string>;
  readonly rules: ReadonlySet<string>;
  readonly turns: number;
  /** Null where the trace does not say. */
  readonly calls: number | null;
  readonly tokens: number | null;
  /** In US dollars. */
  readonly cost: number | null;
  readonly durationMs: number | null;
  readonly risk: number | null;
}

export type SessionColumn =
  | 'session'
  | 'task'
  | 'outcome'
  | 'problem'
  | 'turns'
  | 'calls'
  | 'tokens'
  | 'cost'
  | 'duration'
  | 'risk';

export interface SessionSort {
  readonly column: SessionColumn;
  /** Default: the worst first, the largest first, names from A to Z. */
  readonly isReversed: boolean;
}

/** All criteria must match. */
export interface SessionFilter {
  readonly kinds?: readonly Headline['kind'][] | undefined;
  readonly label?: string | undefined;
  readonly rule?: string | undefined;
  /** In the file name, the id, the task, the headline or the label of a problem, ignoring case. */
  readonly text?: string | undefined;
}

export function filterSessions<Entry extends SessionEntry>(
  entries: readonly Entry[],
  { kinds, label, rule, text }: SessionFilter,
): readonly Entry[] {
  const searched = text?.toLowerCase() ?? '';
  return entries.filter(
    (entry) =>
      (kinds === undefined || kinds.includes(entry.headline.kind)) &&
      (label === undefined || entry.labels.has(label)) &&
      (rule === undefined || entry.rules.has(rule)) &&
      (searched === '' || searchedTexts(entry).some((one) => one.toLowerCase().includes(searched))),
  );
}

function searchedTexts({ fileName, id, task, headline, labels }: SessionEntry): string[] {
  return [fileName, id, ...(task ? taskTexts(task) : []), headline.text, ...labels];
}

function taskTexts({ id, trial, dataset, agent }: NonNullable<SessionReport['task']>): string[] {
  return [id, trial, dataset, agent].flatMap((text) => text ?? []);
}

/** What a column compares: text from A to Z, or a number, the smallest first. Null comes last in both directions. */
type SortKey = (entry: SessionEntry) => string | number | null;

const KIND_ORDER = new Map(HEADLINE_KINDS.map((kind, index) => [kind, index]));

const SORT_KEYS = {
  session: ({ fileName, id }) => nameKey(`${fileName} ${id}`),
  task: ({ task }) =>
    task && nameKey([task.dataset, task.id, task.agent, task.trial].map((part) => part ?? '').join(' ')),
  outcome: ({ headline }) => KIND_ORDER.get(headline.kind) ?? null,
  problem: ({ worst, problems }) => worst && -(severityRank(worst.severity) * MANY + Math.min(problems, MANY - 1)),
  turns: ({ turns }) => -turns,
  calls: ({ calls }) => calls && -calls,
  tokens: ({ tokens }) => tokens && -tokens,
  cost: ({ cost }) => cost && -cost,
  duration: ({ durationMs }) => durationMs && -durationMs,
  risk: ({ risk }) => risk && -risk,
} as const satisfies Record<SessionColumn, SortKey>;

/** `Task 9` comes before `Task 10`. Such keys compare faster than names do in a collator. */
function nameKey(name: string): string {
  return name.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, '0'));
}

/** More than the problems of any session. */
const MANY = 1e6;

/** The worst first: by the kind of the headline, then by risk. */
export const WORST_FIRST: SessionSort = { column: 'outcome', isReversed: false };

/** Sessions that are equal in the column are sorted worst first, and else keep their order. */
export function sortSessions<Entry extends SessionEntry>(
  entries: readonly Entry[],
  { column, isReversed }: SessionSort,
): readonly Entry[] {
  const keyOf: SortKey = SORT_KEYS[column];
  const { outcome, risk } = SORT_KEYS;
  const keyed = entries.map((entry) => ({ entry, key: keyOf(entry), kind: outcome(entry), risk: risk(entry) }));
  const direction = isReversed ? -1 : 1;
  return keyed
    .sort(
      (a, b) =>
        compareKeys(a.key, b.key, direction) || compareKeys(a.kind, b.kind, 1) || compareKeys(a.risk, b.risk, 1),
    )
    .map(({ entry }) => entry);
}

function compareKeys(a: string | number | null, b: string | number | null, direction: 1 | -1): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a === b ? 0 : direction * (a < b ? -1 : 1);
}

/** The worst headline kind of sessions, at least one. */
export function worstKind(entries: readonly Pick<SessionEntry, 'headline'>[]): Headline['kind'] {
  const kinds = new Set(entries.map(({ headline }) => headline.kind));
  return HEADLINE_KINDS.find((kind) => kinds.has(kind)) ?? 'undecided';
}

/** How many sessions have each headline kind. */
export function countKinds(entries: readonly Pick<SessionEntry, 'headline'>[]): Record<Headline['kind'], number> {
  const counts = { failed: 0, undecided: 0, problems: 0, 'not-run': 0, clean: 0, succeeded: 0 };
  for (const { headline } of entries) counts[headline.kind] += 1;
  return counts;
}

/** The columns in which any session has a value. */
export function filledColumns(entries: readonly SessionEntry[]): SessionColumn[] {
  const columns: readonly SessionColumn[] = ['session', 'outcome', 'turns'];
  const optional = {
    task: ({ task }: SessionEntry) => task !== null,
    problem: ({ worst }: SessionEntry) => worst !== null,
    calls: ({ calls }: SessionEntry) => calls !== null && calls > 0,
    tokens: ({ tokens }: SessionEntry) => tokens !== null,
    cost: ({ cost }: SessionEntry) => cost !== null,
    duration: ({ durationMs }: SessionEntry) => durationMs !== null,
    risk: ({ risk }: SessionEntry) => risk !== null,
  } as const;
  return [...columns, ...OPTIONAL_COLUMNS.filter((column) => entries.some(optional[column]))];
}

const OPTIONAL_COLUMNS = ['task', 'problem', 'calls', 'tokens', 'cost', 'duration', 'risk'] as const;

/** Names with the number of sessions that have them, the most frequent first. */
export function countNames<Entry>(
  entries: readonly Entry[],
  namesOf: (entry: Entry) => Iterable<string>,
): { readonly name: string; readonly sessions: number }[] {
  const counts = new Map<string, number>();
  for (const entry of entries) for (const name of namesOf(entry)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Array.from(counts, ([name, sessions]) => ({ name, sessions })).sort(
    (a, b) => b.sessions - a.sessions || (a.name < b.name ? -1 : 1),
  );
}

/** A row of the table: a session, or a task with several attempts. */
export type TableRow<Entry, Task> =
  | { readonly type: 'session'; readonly entry: Entry; readonly isAttempt: boolean }
  | { readonly type: 'task'; readonly task: Task; readonly matching: readonly Entry[]; readonly isExpanded: boolean };

/** The attempts of a task. */
interface Attempts {
  readonly succeeded: number;
  /** Attempts of which it is known whether they succeeded. */
  readonly known: number;
}

/**
 * Sessions sorted by outcome, so that tasks come in the order of the share of their attempts that succeeded, the smallest first.
 *
 * @param taskOf the task of a session that has several attempts; any other session is its own only attempt.
 */
export function sortBySuccess<Entry extends SessionEntry>(
  sorted: readonly Entry[],
  taskOf: (entry: Entry) => Attempts | undefined,
  isReversed: boolean,
): readonly Entry[] {
  const shareOf = (entry: Entry): number => {
    const task = taskOf(entry);
    if (!task) return SHARES[entry.headline.kind] ?? UNKNOWN_SHARE;
    return task.known === 0 ? UNKNOWN_SHARE : task.succeeded / task.known;
  };
  const keyed = sorted.map((entry) => ({ entry, share: shareOf(entry) }));
  return keyed.sort((a, b) => (isReversed ? b.share - a.share : a.share - b.share)).map(({ entry }) => entry);
}

const UNKNOWN_SHARE = 0.5;

/** Unknown outcomes stand between failures and successes. */
const SHARES: Readonly<Partial<Record<Headline['kind'], number>>> = { failed: 0, succeeded: 1 };

/**
 * The rows of sorted sessions: a task stands where its first attempt would, and its attempts stand below it if it is expanded.
 *
 * @param taskOf the task of a session that has several attempts.
 */
export function tableRows<Entry, Task>(
  sorted: readonly Entry[],
  taskOf: (entry: Entry) => Task | undefined,
  isExpanded: (task: Task) => boolean,
): readonly TableRow<Entry, Task>[] {
  const matching = new Map<Task, Entry[]>();
  for (const entry of sorted) {
    const task = taskOf(entry);
    if (task === undefined) continue;
    const known = matching.get(task);
    if (known) known.push(entry);
    else matching.set(task, [entry]);
  }
  return sorted.flatMap((entry): readonly TableRow<Entry, Task>[] => {
    const task = taskOf(entry);
    if (task === undefined) return [{ type: 'session', entry, isAttempt: false }];
    const attempts = matching.get(task) ?? [];
    if (attempts[0] !== entry) return [];
    const row = { type: 'task', task, matching: attempts, isExpanded: isExpanded(task) } as const;
    if (!row.isExpanded) return [row];
    return [row, ...attempts.map((attempt) => ({ type: 'session', entry: attempt, isAttempt: true }) as const)];
  });
}
