import type { Hover } from 'vscode-languageserver/node';
import type { Change, Position, Range, RelatedPlace } from '../../protocol/messages.ts';
import type { CancellationToken } from '../../protocol/request.ts';
import type { Context, Feature } from '../context.ts';
import { levelOf } from '../diagnostics.ts';
import { evidencePlaces } from '../held/evidence-places.ts';
import { contains, type FileView, type Found, foundIn, type SessionInFile, turnAt, viewOf } from '../held/file-view.ts';
import { type TurnFacts, turnFactsOf } from '../held/turn-facts.ts';
import { sessionTitle } from '../wording/inline-text.ts';
import { escaped, linkTo } from '../wording/markdown.ts';
import { type Scored, scoreLines, scoresOf, unscoredLine } from './score-lines.ts';

/** What was found where the pointer is: on the line of a turn its scores, on what proves a failure the failure. */
export const hover: Feature = ({ connection, results, files }) => {
  connection.onHover(({ textDocument: { uri }, position }, token) => hoverAt(uri, position, { results, files, token }));
  return { hoverProvider: true };
};

/** More failures than these are read in the report. */
const MOST_FAILURES = 10;
/** Of one score. */
const MOST_EVIDENCE = 3;

/** What it is made from. */
interface Sources extends Pick<Context, 'results' | 'files'> {
  /** The pointer may have gone on before files were read. */
  readonly token?: CancellationToken;
}

export async function hoverAt(uri: string, position: Position, sources: Sources): Promise<Hover | null> {
  const { results } = sources;
  const view = uri.startsWith('file:') ? viewOf(uri, results) : null;
  if (!view) return null;
  const { found, range } = innermost(
    foundIn(uri, results, (place) => contains(place, position)).map((one) => one.found),
  );
  const turn = turnAt(view, position);
  const session = turn ? null : view.sessions.find((one) => one.range?.start.line === position.line);
  const parts = [
    ...limited(found.map(foundText)),
    ...(turn ? [await turnText(turn.session, turn.turn.facts, view, sources)] : []),
    ...(session ? [await sessionText(session, view, sources)] : []),
  ];
  if (parts.length === 0) return null;
  const shown = range ?? turn?.turn.lineEnd;
  return { contents: { kind: 'markdown', value: parts.join('\n\n---\n\n') }, ...(shown ? { range: shown } : {}) };
}

/** Of places within places, the innermost is meant. */
function innermost(all: readonly Found[]): { readonly found: readonly Found[]; readonly range: Range | null } {
  const smallest = all.toSorted((a, b) => size(a.place.range) - size(b.place.range))[0];
  if (!smallest) return { found: [], range: null };
  const { range } = smallest.place;
  return { found: all.filter(({ place }) => size(place.range) === size(range)), range };
}

/** Only compared: a line is longer than any number of characters. */
function size({ start, end }: Range): number {
  return (end.line - start.line) * 1e9 + (end.character - start.character);
}

function limited(parts: readonly string[]): readonly string[] {
  const more = parts.length - MOST_FAILURES;
  return more > 0 ? [...parts.slice(0, MOST_FAILURES), `and ${more} more`] : parts;
}

function foundText(found: Found): string {
  const head = 'label' in found ? `**${escaped(found.label)}** (${levelOf(found)})` : `**${escaped(found.title)}**`;
  return [`${head}: ${escaped(found.reason)}`, ...also(found.related)].join('\n\n');
}

function also(related: readonly RelatedPlace[]): string[] {
  return related.length === 0 ? [] : [`Also: ${related.map(({ note, ...place }) => linkTo(place, note)).join(', ')}`];
}

async function turnText(
  { row, held }: SessionInFile,
  { index, failures, metrics }: TurnFacts,
  view: FileView,
  sources: Sources,
): Promise<string> {
  const failed = failures.map((failure) => sources.results.now(failure));
  return [
    `**Turn ${index + 1}** of ${escaped(row.id, 120)}: ${sessionTitle({ ...row, state: 'fresh' })}`,
    ...staleNote(view),
    ...limited(
      failed.map(({ label, severity, reason, place }) => `✗ ${linkTo(place, label)} (${severity}): ${escaped(reason)}`),
    ),
    ...(await scoreParts(metrics, held.file, view, sources)),
  ].join('\n\n');
}

async function sessionText({ row, held }: SessionInFile, view: FileView, sources: Sources): Promise<string> {
  // Of a metric that turns have it has the mean, which says little beside them.
  const turns = turnFactsOf(held);
  const isOfTurns = (name: string) => turns.some(({ metrics }) => Object.hasOwn(metrics, name));
  const own = Object.entries(held.detail.report.metrics).filter(([name]) => !isOfTurns(name));
  return [
    `**Session** ${escaped(row.id, 120)}: ${sessionTitle({ ...row, state: 'fresh' })}`,
    ...staleNote(view),
    ...limited(row.why.map((reason) => escaped(reason))),
    ...(await scoreParts(Object.fromEntries(own), held.file, view, sources)),
  ].join('\n\n');
}

const CHANGED = {
  file: 'The file has changed since it was evaluated.',
  configuration: 'The configuration of the file has changed since it was evaluated.',
  sidecar: 'The sidecar of the file has changed since it was evaluated.',
  unknown: 'The file or its configuration has changed since it was evaluated.',
} as const satisfies Record<NonNullable<Change> | 'unknown', string>;

function staleNote({ state, changed }: FileView): string[] {
  return state === 'stale' ? [`*${CHANGED[changed ?? 'unknown']}*`] : [];
}

async function scoreParts(
  metrics: TurnFacts['metrics'],
  file: string,
  view: FileView,
  { files, token }: Sources,
): Promise<string[]> {
  const scores = scoresOf(metrics);
  const evidenceOf = ([, { evidence }]: Scored) => evidence.slice(0, MOST_EVIDENCE);
  // In a text that has changed, a pointer may lead to something else.
  const wanted = view.state === 'fresh' ? scores.flatMap(evidenceOf) : [];
  const placeOf = await evidencePlaces(files, file, wanted, token);
  const links = (scored: Scored) =>
    evidenceOf(scored).flatMap((evidence) => {
      const place = placeOf(evidence);
      return place ? [linkTo(place, evidence.note)] : [];
    });
  const silent = unscoredLine(metrics);
  return [...(scores.length > 0 ? [scoreLines(scores, links)] : []), ...(silent === null ? [] : [silent])];
}
