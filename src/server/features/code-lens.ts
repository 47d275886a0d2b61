import { createHash } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import type { CodeLens, Command } from 'vscode-languageserver/node';
import * as z from 'zod/mini';
import { assertNever } from '../../core/assert-never.ts';
import { LruCache } from '../../core/cache/lru-cache.ts';
import { severityRank } from '../../core/severity.ts';
import type { FilePosition, SessionRow } from '../../protocol/messages.ts';
import type { InitializationSettings } from '../../protocol/settings.ts';
import { headlineRank } from '../../report-model/session-order.ts';
import type { Feature, ServerContext } from '../context.ts';
import { uriToPath } from '../disk/paths.ts';
import { isTraceByName } from '../disk/trace-globs.ts';
import { buildFileView, type FileView } from '../results/file-view.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';
import type { LocatedTurnSummary } from '../results/turn-summary.ts';
import { hasProblem, headlineText, turnTitle } from '../text/inline-text.ts';

/**
 * A lens above each session with its headline, and above each turn that has problems. While an evaluation runs, results
 * change only the titles: a turn keeps its lens until its new results are complete.
 */
export const codeLens: Feature = ({ connection, ...context }) => {
  const lenses = new CodeLensProvider(context);
  connection.onCodeLens(({ textDocument: { uri } }) => lenses.provide(uri));
  context.onLensCheck((uris) => lenses.haveChanged(uris));
  connection.onCodeLensResolve((lens) => lenses.resolve(lens));
  return { codeLensProvider: { resolveProvider: true } };
};

/** Lenses in the form that the editor gets. */
export class CodeLensProvider {
  readonly #context: Pick<ServerContext, 'results' | 'settings' | 'folders'>;
  readonly #keys = new KeyNumbers();
  /** What was last provided for each file, in short. */
  readonly #provided = new LruCache<string, string>(MAX_REMEMBERED);

  constructor(context: Pick<ServerContext, 'results' | 'settings' | 'folders'>) {
    this.#context = context;
  }

  provide(uri: string): CodeLens[] {
    const { client } = this.#context.settings();
    const lenses = this.#build(uri);
    this.#provided.set(uri, this.#digest(uri, lenses));
    const isMany = client === 'vscode' && lenses.length > MAX_RESOLVED_AT_ONCE;
    return lenses.map((lens) => (isMany ? unresolvedLens(lens, uri, this.#keys) : toCodeLens(lens, uri, client)));
  }

  /** Whether lenses that were provided are no longer the current ones. @param uris of these files; undefined: of any. */
  haveChanged(uris: readonly string[] | undefined): boolean {
    return [...(uris ?? this.#provided.keys())].some((uri) => {
      const before = this.#provided.get(uri);
      return before !== undefined && before !== this.#digest(uri, this.#build(uri));
    });
  }

  /**
   * What is seen of lenses, and the text that they were made for. Their lines are left out: they move with edits, after
   * which editors request lenses by themselves.
   */
  #digest(uri: string, lenses: readonly Lens[]): string {
    const hash = createHash('sha1');
    const path = uriToPath(uri);
    hash.update(`${path && this.#context.results.file(path)?.stamp?.hash}\n`);
    for (const lens of lenses) hash.update(`${describeLens(lens)}\n`);
    return hash.digest('base64');
  }

  #build(uri: string): Lens[] {
    const { results, settings, folders } = this.#context;
    return buildLenses(uri, results, { ...settings(), folders });
  }

  /** Adds the command to a lens. */
  resolve(lens: CodeLens): CodeLens {
    const { success, data } = z.safeParse(unresolvedData, lens.data);
    if (!success) return lens;
    const [number, turn, more] = data;
    const key = this.#keys.keyOf(number) ?? '';
    return { ...lens, command: openReportCommand(this.#titleOf(key, turn), more, 'vscode', key, turn) };
  }

  #titleOf(key: string, turn: number | null): string {
    const { results } = this.#context;
    const session = results.session(key);
    if (!session) return l10n.t('no longer evaluated');
    const facts = results.turnSummaries(session).find(({ index }) => index === turn);
    return facts ? turnTitle(facts) : sessionLensTitle(results.sessionRow(session), 'vscode');
  }
}

/**
 * Above this number, lenses are resolved when they are shown: commands are more than half of the response. Only VS
 * Code is known to resolve just the visible ones.
 */
const MAX_RESOLVED_AT_ONCE = 1000;

/** Files beyond this number have no visible lenses. */
const MAX_REMEMBERED = 100;

function describeLens(lens: Lens): string {
  switch (lens.kind) {
    case 'session':
      return `${lens.row.key} ${lens.more} ${headlineText(lens.row)}`;
    case 'turn':
      return `${lens.session} ${lens.facts.index} ${lens.more} ${turnTitle(lens.facts)}`;
    case 'evaluate':
      return lens.title;
    case 'format':
      return lens.kind;
    default:
      return assertNever(lens);
  }
}

/** A lens above a line. `more`: how many others of its kind begin on the same line. */
type Lens = { readonly at: FilePosition } & (
  | { readonly kind: 'session'; readonly row: SessionRow; readonly more: number }
  | { readonly kind: 'turn'; readonly session: string; readonly facts: LocatedTurnSummary; readonly more: number }
  | { readonly kind: 'evaluate'; readonly title: string }
  | { readonly kind: 'format' }
);

const TOP: FilePosition = { line: 0, character: 0 };

function buildLenses(
  uri: string,
  results: ServerContext['results'],
  {
    lenses,
    traces,
    client,
    folders,
  }: Pick<InitializationSettings, 'lenses' | 'traces' | 'client'> & Pick<ServerContext, 'folders'>,
): Lens[] {
  if (!lenses || !uri.startsWith('file:')) return [];
  const view = buildFileView(uri, results);
  if (!view) {
    const isTrace = isTraceByName(uri, traces, folders);
    return isTrace ? [{ at: TOP, kind: 'evaluate', title: l10n.t('Evaluate with Turnwise') }] : [];
  }
  const oneLine = isOneLine(view);
  const merged = mergePerLine(view, oneLine);
  const first = merged.find(({ kind }) => kind === 'session')?.at ?? TOP;
  return [
    ...merged,
    ...(oneLine && client === 'vscode' ? [{ at: TOP, kind: 'format' } as const] : []),
    // Beside another lens, so that lines do not move when it comes and goes.
    ...(view.state === 'stale' || merged.length === 0
      ? [{ at: first, kind: 'evaluate', title: l10n.t('Evaluate Again') } as const]
      : []),
  ];
}

type ResultLens = Extract<Lens, { kind: 'session' | 'turn' }>;

/**
 * Where several begin on one line, only the most severe of each kind is shown, and sessions take precedence over
 * turns.
 */
function mergePerLine({ sessions }: FileView, isOneLine: boolean): ResultLens[] {
  const all = sessions.flatMap(({ results: sessionView, row, range, turns }): ResultLens[] => [
    ...(range ? [{ at: range.start, kind: 'session', row, more: 0 } as const] : []),
    ...(hasAllTurns(sessionView, row) ? turns.filter(({ summary }) => hasProblem(summary)) : []).map(
      ({ summary: facts, range: { start } }): ResultLens => {
        return { at: start, kind: 'turn', session: row.key, facts, more: 0 };
      },
    ),
  ]);
  const lines = Array.from(Map.groupBy(all, ({ at }) => at.line).values());
  return lines.flatMap((onLine) => mergeLine(onLine, isOneLine)).sort((a, b) => a.at.line - b.at.line);
}

function mergeLine(onLine: readonly ResultLens[], isOneLine: boolean): ResultLens[] {
  const sessions = onLine.filter(({ kind }) => kind === 'session');
  const turns = onLine.filter(({ kind }) => kind === 'turn');
  const givesWay = sessions.length > 0 && (turns.length > 1 || isOneLine);
  return [...mostSevere(sessions), ...(givesWay ? [] : mostSevere(turns))];
}

/** While turns arrive for the first time, a new lens for each would push the text down again and again. */
function hasAllTurns(sessionView: SessionResultsView, { turns }: SessionRow): boolean {
  return sessionView.detail.report.turns.length >= turns;
}

function mostSevere(kin: readonly ResultLens[]): ResultLens[] {
  const [worst] = kin.toSorted((a, b) => lensWeight(b) - lensWeight(a));
  return worst && kin[0] ? [{ ...worst, at: kin[0].at, more: kin.length - 1 }] : [];
}

/** Only compared with others of its kind; risks are from 0 to 1. */
function lensWeight(lens: ResultLens): number {
  if (lens.kind === 'session') return (lens.row.risk ?? 0) - 2 * headlineRank(lens.row.headline.kind);
  const { failures, missed, risk } = lens.facts;
  return (failures[0] ? 4 + 2 * severityRank(failures[0].severity) : 0) + (missed ? 2 : 0) + (risk ?? 0);
}

/** A file on one line can only be read in a formatted copy. */
function isOneLine({ sessions }: FileView): boolean {
  const ends = sessions.flatMap(({ turns }) => turns.map(({ range }) => range.end.line));
  return ends.length > 0 && ends.every((line) => line === 0);
}

function toCodeLens(lens: Lens, uri: string, client: InitializationSettings['client']): CodeLens {
  return { range: lensRange(lens), command: lensCommand(lens, uri, client) };
}

function lensRange({ at }: Lens): CodeLens['range'] {
  return { start: at, end: at };
}

function lensCommand(lens: Lens, uri: string, client: InitializationSettings['client']): Command {
  switch (lens.kind) {
    case 'session':
      return openReportCommand(sessionLensTitle(lens.row, client), lens.more, client, lens.row.key, null);
    case 'turn':
      return openReportCommand(turnTitle(lens.facts), lens.more, client, lens.session, lens.facts.index);
    case 'evaluate':
      return { title: lens.title, command: 'turnwise.evaluate', arguments: [uri] };
    case 'format':
      return { title: l10n.t('Format Copy'), command: 'turnwise.openFormattedCopy', arguments: [uri] };
    default:
      return assertNever(lens);
  }
}

/** Only an editor with the extension has reports. */
function sessionLensTitle(row: SessionRow, client: InitializationSettings['client']): string {
  return client === 'vscode' ? l10n.t('{0} · Report', headlineText(row)) : headlineText(row);
}

/** Only an editor with the extension can open reports. */
function openReportCommand(
  words: string,
  more: number,
  client: InitializationSettings['client'],
  session: string,
  turn: number | null,
): Command {
  const title = more === 0 ? words : l10n.t('{0} · {1} more on this line', words, more);
  if (client === 'other') return { title, command: '' };
  return { title, command: 'turnwise.openReport', arguments: [{ session, turn }] };
}

/** The title of a session's or turn's lens is made when the lens is shown. */
function unresolvedLens(lens: Lens, uri: string, keys: KeyNumbers): CodeLens {
  if (lens.kind !== 'session' && lens.kind !== 'turn') return toCodeLens(lens, uri, 'vscode');
  const [session, turn] = lens.kind === 'session' ? [lens.row.key, null] : [lens.session, lens.facts.index];
  const data: z.infer<typeof unresolvedData> = [keys.numberOf(session), turn, lens.more];
  return { range: lensRange(lens), data };
}

/** The number of a session, its turn, and how many more are on the line: short, since there are many. */
const unresolvedData = z.tuple([z.int(), z.nullable(z.int()), z.int()]);

/** Short numbers for long keys. */
class KeyNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #keys: string[] = [];

  numberOf(key: string): number {
    const known = this.#numbers.get(key) ?? this.#keys.push(key) - 1;
    this.#numbers.set(key, known);
    return known;
  }

  keyOf(number: number): string | undefined {
    return this.#keys[number];
  }
}
