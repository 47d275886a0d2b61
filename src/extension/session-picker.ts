import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { type SessionRow, sessions } from '../protocol/messages.ts';
import { sessionId } from '../protocol/panel.ts';
import type { CommandContext } from './command-context.ts';
import { resolveTargets } from './command-targets.ts';
import { UserError } from './errors.ts';
import { escapeLabel, fileName, riskLabel } from './labels.ts';
import { isTrace } from './trace-selector.ts';

/** The longest list of sessions. */
const MAX_SESSIONS = 1000;

/** The argument of a lens. */
const lensArgument = z.object({ session: z.string(), turn: z.nullable(z.int().check(z.nonnegative())) });

type SessionRef = Pick<SessionRow, 'key' | 'id'>;

interface ReportTarget {
  readonly session: SessionRef;
  /** Zero-based; null: the session as a whole. */
  readonly turn: number | null;
}

/**
 * Resolves which report to open. A lens or a row names the session. A tab gives its file; the palette uses the file in the
 * active editor, else all results. A file that was not evaluated yet is evaluated first. Of the sessions of a file the worst
 * is opened; of all results the user picks one.
 */
export async function resolveReport(context: CommandContext, clicked: unknown): Promise<ReportTarget | undefined> {
  const { success, data } = z.safeParse(lensArgument, clicked);
  if (success) return { session: sessionRef(data.session), turn: data.turn };
  if (context.results.isNode(clicked)) {
    if (clicked.type === 'session') return { session: clicked.row, turn: null };
    if (clicked.type === 'failure') return { session: sessionRef(clicked.session), turn: clicked.row.turn };
  }
  const session = await resolveSession(context, resolveTargets([clicked], (value) => context.results.isNode(value))[0]);
  return session && { session, turn: null };
}

async function resolveSession(
  context: CommandContext,
  clicked: vscode.Uri | undefined,
): Promise<SessionRef | undefined> {
  const active = vscode.window.activeTextEditor?.document;
  const uri = clicked ?? (active && isTrace(active) ? active.uri : undefined);
  const known = await evaluatedSessions(context, uri);
  if (!uri) return pickSession(known);
  if (known.length > 0) return known[0];

  const { complete, problems } = await context.evaluation.run([uri]);
  if (!complete || problems.some(({ severity }) => severity === 'error')) return undefined;
  const [session] = await evaluatedSessions(context, uri);
  if (session) return session;
  throw new UserError(vscode.l10n.t('{0} contains no session.', fileName(uri)));
}

function sessionRef(key: string): SessionRef {
  return { key, id: sessionId(key) };
}

/** The worst session first. */
async function evaluatedSessions(
  { server, reports }: CommandContext,
  uri: vscode.Uri | undefined,
): Promise<readonly SessionRow[]> {
  if (!reports.canAsk || (uri && uri.scheme !== 'file')) return [];
  const { rows } = await server.request(sessions, { uri: uri?.toString(), offset: 0, limit: MAX_SESSIONS });
  return rows;
}

async function pickSession(rows: readonly SessionRow[]): Promise<SessionRef | undefined> {
  const [only, ...others] = rows;
  if (!only) throw new UserError(vscode.l10n.t('No reports yet. Open a trace and evaluate it first.'));
  if (others.length === 0) return only;
  const items = rows.map((row) => ({
    label: escapeLabel(row.title).slice(0, 100),
    detail: escapeLabel(row.id).slice(0, 100),
    description: describeSession(row),
    row,
  }));
  const options = { title: vscode.l10n.t('Open Report'), placeHolder: vscode.l10n.t('Select a session') };
  return (await vscode.window.showQuickPick(items, options))?.row;
}

function describeSession(row: SessionRow): string {
  return [escapeLabel(row.headline.text), ...riskLabel(row)].join(' · ');
}
