import { listSome } from '../../core/text/lists.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { NOTHING_RECORDED, type Remedies, terminalRemedies } from '../../runs/remedies.ts';
import { shortRunId } from '../../runs/run-label.ts';
import type { RunListing, RunStore } from '../../runs/run-store.ts';

/** `last` is the newest run that is not being written, `last~1` the one before. */
const LAST = /^last(?:~(\d{1,6}))?$/;

/** Fewer characters are easily a name or a branch. */
const MIN_PREFIX = 4;

/** Names that mean something else. */
export function isReservedName(name: string): boolean {
  return LAST.test(name) || name === 'baseline' || looksLikePath(name);
}

/** That a reference means nothing. @param ofProject the runs of the project */
export function runNotFound(
  reference: string,
  ofProject: readonly RunListing[],
  { unknownRun }: Remedies = terminalRemedies,
): Error {
  const isShort =
    reference.length < MIN_PREFIX && ofProject.some((run) => shortRunId(run.manifest.id).startsWith(reference));
  const hint = isShort ? `The beginning of an id has at least ${MIN_PREFIX} characters.` : unknownRun(ofProject.length);
  return new Error(`There is no run "${reference}". ${hint}`);
}

/** Whether a reference can only be a path. */
export function looksLikePath(reference: string): boolean {
  return /^\.{1,2}$|^\.{0,2}[\\/]|^[A-Za-z]:[\\/]|\.(?:zip|jsonl|jsonl\.gz)$|[\\/]$/.test(reference);
}

/**
 * The run that a reference means.
 *
 * @param ofProject the newest first.
 * @param ofAll those of all projects, where only ids count.
 * @returns null where it means none.
 * @throws Error with a sentence where it means several, or where there are not so many.
 */
export function findRun(
  reference: string,
  ofProject: readonly RunListing[],
  ofAll: () => readonly RunListing[],
): RunListing | null {
  const back = LAST.exec(reference);
  if (back) return lastRun(Number(back[1] ?? 0), ofProject);
  if (reference === 'baseline') return newestBaseline(ofProject) ?? noBaseline();
  const byName = ofProject.find(({ manifest }) => manifest.name === reference);
  if (byName) return byName;
  const byId = runById(reference, ofProject);
  if (byId) return byId;
  const byBranch = ofProject.find(
    ({ manifest }) => manifest.state === 'complete' && !manifest.shard && manifest.git?.branch === reference,
  );
  return byBranch ?? runById(reference, ofAll());
}

function lastRun(back: number, runs: readonly RunListing[]): RunListing {
  const finished = runs.filter(({ isLive }) => !isLive);
  const found = finished[back];
  if (found) return found;
  const there =
    finished.length === 0 ? NOTHING_RECORDED : `This project has only ${pluralize(finished.length, 'finished run')}.`;
  throw new Error(there);
}

/** The ids of the runs that became the baseline last, of each project that has one among these runs. */
export function currentBaselines(runs: readonly RunListing[], store: Pick<RunStore, 'list'>): ReadonlySet<string> {
  const projects = new Set(runs.flatMap(({ isBaseline, manifest }) => (isBaseline ? [manifest.project] : [])));
  return new Set(Array.from(projects).flatMap((project) => newestBaseline(store.list({ project }))?.manifest.id ?? []));
}

/** The run that became the baseline last. */
function newestBaseline(runs: readonly RunListing[]): RunListing | undefined {
  const since = ({ baselineSince }: RunListing) => baselineSince ?? '';
  return runs.filter(({ isBaseline }) => isBaseline).sort((a, b) => (since(a) < since(b) ? 1 : -1))[0];
}

function noBaseline(): never {
  throw new Error('This project has no baseline. `turnwise baseline accept` makes a run the baseline.');
}

function runById(reference: string, runs: readonly RunListing[]): RunListing | null {
  const exact = runs.find(({ manifest }) => manifest.id === reference);
  if (exact || reference.length < MIN_PREFIX) return exact ?? null;
  const [first, ...others] = runs.filter(
    ({ manifest: { id } }) => id.startsWith(reference) || shortRunId(id).startsWith(reference),
  );
  if (others.length === 0) return first ?? null;
  const ids = [first, ...others].flatMap((run) => (run ? shortRunId(run.manifest.id) : []));
  throw new Error(`"${reference}" is the beginning of ${ids.length} runs: ${listSome(ids, 5)}.`);
}
