import * as l10n from '@vscode/l10n';
import type { Hover } from 'vscode-languageserver/node';
import { escapeMarkdown, locationLink } from '../../panel/text/markdown.ts';
import type { FilePosition, StaleCause } from '../../protocol/messages.ts';
import type { CancellationToken } from '../../protocol/rpc.ts';
import type { NamedResult } from '../../report-model/metric-results.ts';
import type { Feature, ServerContext } from '../context.ts';
import {
  buildFileView,
  type FileView,
  rangeContains,
  type SessionInFile,
  type TurnInFile,
  turnAt,
} from '../results/file-view.ts';
import type { LocatedTurnSummary } from '../results/turn-summary.ts';
import { headlineText } from '../text/inline-text.ts';
import { rankScores, scoreLines, unscoredLine } from './score-lines.ts';

/** The results of the turn or session that begins at the pointer. Problems on their evidence are diagnostics. */
export const hover: Feature = ({ connection, results, snapshots }) => {
  connection.onHover(({ textDocument: { uri }, position }, token) =>
    hoverAt(uri, position, { results, snapshots, token }),
  );
  return { hoverProvider: true };
};

/** The report shows the rest. */
const MAX_FAILURES = 10;
/** Per score. */
const MAX_EVIDENCE = 3;

/** What a hover is built from. */
interface HoverSources extends Pick<ServerContext, 'results' | 'snapshots'> {
  /** The pointer may move on before files are read. */
  readonly token?: CancellationToken;
}

export async function hoverAt(uri: string, position: FilePosition, sources: HoverSources): Promise<Hover | null> {
  const { results } = sources;
  const view = uri.startsWith('file:') ? buildFileView(uri, results) : null;
  if (!view) return null;
  const turn = turnAt(view, position);
  const session = turn ? null : view.sessions.find((session) => session.range?.start.line === position.line);
  const parts = [
    ...(turn ? [await turnText(turn, position, view, sources)] : []),
    ...(session ? [await sessionText(session, view, sources)] : []),
  ];
  if (parts.length === 0) return null;
  const range = turn?.turn.lineEnd;
  return { contents: { kind: 'markdown', value: parts.join('\n\n---\n\n') }, ...(range ? { range } : {}) };
}

function limitParts(parts: readonly string[]): readonly string[] {
  const more = parts.length - MAX_FAILURES;
  return more > 0 ? [...parts.slice(0, MAX_FAILURES), l10n.t('and {0} more', more)] : parts;
}

async function turnText(
  { session: { row, results: sessionView }, turn }: { readonly session: SessionInFile; readonly turn: TurnInFile },
  position: FilePosition,
  view: FileView,
  sources: HoverSources,
): Promise<string> {
  const { index, failures, metrics } = turn.summary;
  // The editor shows the diagnostics at the pointer above the hover.
  const failed = failures
    .map((failure) => sources.results.currentFinding(failure))
    .filter(({ location: { uri, range } }) => uri !== view.uri || !rangeContains(range, position));
  return [
    `${l10n.t('**Turn {0}** of {1}', index + 1, escapeMarkdown(row.id, 120))}: ${headlineMarkdown(row)}`,
    ...staleNote(view),
    ...limitParts(
      failed.map(
        ({ title, severity, reason, location }) =>
          `✗ ${locationLink(location, title)} (${severity}): ${escapeMarkdown(reason)}`,
      ),
    ),
    ...(await scoreTexts(metrics, sessionView.file, view, sources)),
  ].join('\n\n');
}

async function sessionText(
  { row, results: sessionView }: SessionInFile,
  view: FileView,
  sources: HoverSources,
): Promise<string> {
  // For a metric of turns, a session has only the mean, which says little beside the turns.
  const turns = sources.results.turnSummaries(sessionView);
  const isOfTurns = (name: string) => turns.some(({ metrics }) => Object.hasOwn(metrics, name));
  const own = Object.entries(sessionView.detail.report.metrics).filter(([name]) => !isOfTurns(name));
  return [
    `${l10n.t('**Session** {0}', escapeMarkdown(row.id, 120))}: ${headlineMarkdown(row)}`,
    ...staleNote(view),
    ...limitParts(row.why.map((reason) => escapeMarkdown(reason))),
    ...(await scoreTexts(Object.fromEntries(own), sessionView.file, view, sources)),
  ].join('\n\n');
}

/** A headline names metrics and reasons of the trace. */
function headlineMarkdown(row: SessionInFile['row']): string {
  return escapeMarkdown(headlineText({ ...row, state: 'fresh' }));
}

const STALE_NOTES = {
  file: l10n.t('The file has changed since it was evaluated.'),
  configuration: l10n.t('The configuration of this file has changed since it was evaluated.'),
  sidecar: l10n.t('The sidecar of this file has changed since it was evaluated.'),
  judge: l10n.t('Only the rules have evaluated the last change. Evaluate again to ask the judge.'),
  unknown: l10n.t('The file or its configuration has changed since it was evaluated.'),
} as const satisfies Record<NonNullable<StaleCause> | 'unknown', string>;

function staleNote({ state, outdatedBecause }: FileView): string[] {
  return state === 'stale' ? [`*${STALE_NOTES[outdatedBecause ?? 'unknown']}*`] : [];
}

async function scoreTexts(
  metrics: LocatedTurnSummary['metrics'],
  file: string,
  view: FileView,
  { snapshots, token }: HoverSources,
): Promise<string[]> {
  const scores = rankScores(metrics);
  const evidenceOf = ([, { evidence }]: NamedResult) => evidence.slice(0, MAX_EVIDENCE);
  // In a changed text a pointer may lead elsewhere.
  const cited = view.state === 'fresh' ? scores.flatMap(evidenceOf) : [];
  const locate = await snapshots.locateEvidence(file, cited, token);
  const links = (scored: NamedResult) =>
    evidenceOf(scored).flatMap((evidence) => {
      const location = locate(evidence);
      return location ? [locationLink(location, evidence.note)] : [];
    });
  const silent = unscoredLine(metrics);
  return [...(scores.length > 0 ? [scoreLines(scores, links)] : []), ...(silent === null ? [] : [silent])];
}
