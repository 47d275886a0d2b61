import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { type SessionRow, sessions } from '../protocol/messages.ts';
import { idOfSession } from '../protocol/panel.ts';
import type { Context } from './context.ts';
import { Refusal } from './errors.ts';
import { VERDICT } from './result-items.ts';
import { targetsOf } from './targets.ts';
import { isTrace } from './trace.ts';
import { fileName, riskWords, shown } from './words.ts';

/** Nobody reads a longer list. */
const MOST = 1000;

/** What a lens gives. */
const lens = z.object({ session: z.string(), turn: z.nullable(z.int().check(z.nonnegative())) });

type Session = Pick<SessionRow, 'key' | 'id'>;

interface Report {
  readonly session: Session;
  /** Zero-based; null: the session as a whole. */
  readonly turn: number | null;
}

/**
 * The report that is wanted. A lens, and a row of the results, say which; an editor's tab gives its file, the palette gives
 * nothing: then it is the file in the active editor, else all that was evaluated. A file that was not evaluated yet is
 * evaluated now. Of the sessions of a file it is the riskiest, from which its report leads to the others; of all that was
 * evaluated the user chooses.
 */
export async function reportOf(context: Context, clicked: unknown): Promise<Report | undefined> {
  const { success, data } = z.safeParse(lens, clicked);
  if (success) return { session: sessionOf(data.session), turn: data.turn };
  if (context.results.isNode(clicked)) {
    if (clicked.type === 'session') return { session: clicked.row, turn: null };
    if (clicked.type === 'failure') return { session: sessionOf(clicked.session), turn: clicked.row.turn };
  }
  const session = await chosenSession(context, targetsOf([clicked], (value) => context.results.isNode(value))[0]);
  return session && { session, turn: null };
}

async function chosenSession(context: Context, clicked: vscode.Uri | undefined): Promise<Session | undefined> {
  const active = vscode.window.activeTextEditor?.document;
  const uri = clicked ?? (active && isTrace(active) ? active.uri : undefined);
  const known = await held(context, uri);
  if (!uri) return choose(known);
  if (known.length > 0) return known[0];

  const { complete, problems } = await context.evaluation.run([uri]);
  if (!complete || problems.some(({ severity }) => severity === 'error')) return undefined;
  const [found] = await held(context, uri);
  if (found) return found;
  throw new Refusal(vscode.l10n.t('{0} has no session to report on.', fileName(uri)));
}

function sessionOf(key: string): Session {
  return { key, id: idOfSession(key) };
}

/** The riskiest first. */
async function held({ server, reports }: Context, uri: vscode.Uri | undefined): Promise<readonly SessionRow[]> {
  if (!reports.canAsk || (uri && uri.scheme !== 'file')) return [];
  const { rows } = await server.ask(sessions, { uri: uri?.toString(), offset: 0, limit: MOST });
  return rows;
}

async function choose(rows: readonly SessionRow[]): Promise<Session | undefined> {
  const [only, ...others] = rows;
  if (!only) throw new Refusal(vscode.l10n.t('There is no report yet. Open a trace and evaluate it first.'));
  if (others.length === 0) return only;
  const items = rows.map((row) => ({ label: shown(row.id).slice(0, 100), description: factsOf(row), row }));
  const options = { title: vscode.l10n.t('Open Report'), placeHolder: vscode.l10n.t('Which session?') };
  return (await vscode.window.showQuickPick(items, options))?.row;
}

function factsOf(row: SessionRow): string {
  const { word } = VERDICT[row.verdict];
  return [word, ...riskWords(row), ...(row.headline === null ? [] : [shown(row.headline)])].join(' · ');
}
