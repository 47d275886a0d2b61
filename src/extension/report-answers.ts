import * as vscode from 'vscode';
import { find } from '../protocol/find.ts';
import type { Place } from '../protocol/messages.ts';
import {
  copy,
  evaluateAgain,
  giveOpinion,
  leave,
  markdown,
  openLink,
  openRule,
  type PanelAnswerer,
  prompt,
  reveal,
  selected,
  stopEvaluation,
  switchTo,
  uriOfSession,
} from '../protocol/panel.ts';
import { explanations, groups, locate, occurrences, report, siblings, signals } from '../protocol/report.ts';
import type { Target } from '../protocol/report-values.ts';
import { answer, type Request } from '../protocol/request.ts';
import { steps, text, turns } from '../protocol/turn-rows.ts';
import { Refusal, showError } from './errors.ts';
import { openFile, openPlace, rangeOf } from './open-file.ts';
import { openLink as openInBrowser } from './open-link.ts';
import type { Parts, Report } from './report-parts.ts';
import { fileName } from './words.ts';

/** Answers all that a panel asks: what was found by the server, and what is to be done by the editor. */
export function answerPanel(answerer: PanelAnswerer, open: Report, parts: Parts): void {
  passOn(answerer, open, parts);
  act(answerer, open, parts);
}

function passOn(answerer: PanelAnswerer, open: Report, { server, restoring }: Parts): void {
  const pass = <Params, Result>(request: Request<Params, Result>): void =>
    answer(answerer, request, (params, token) => server.ask(request, params, token));
  pass(siblings);
  pass(signals);
  pass(explanations);
  pass(groups);
  pass(occurrences);
  pass(turns);
  pass(steps);
  pass(text);
  pass(find);
  pass(prompt);
  answer(answerer, report, async (params, token) => {
    // To ask would start the server, which would know of nothing.
    if (!server.isRunning && !restoring.isExpected) return { header: null };
    const answered = await server.ask(report, params, token);
    // The panel hears of it when it has its answer.
    setImmediate(() => open.isShown(answered.header?.edition ?? 0));
    return answered;
  });
  answer(answerer, giveOpinion, async (given) => {
    const outcome = await server.ask(giveOpinion, given);
    if ('written' in outcome) open.tell({ event: 'changed', turns: given.turn === null ? [] : [given.turn] });
    return outcome;
  });
}

function act(answerer: PanelAnswerer, open: Report, parts: Parts): void {
  const { evaluation, log, follow } = parts;
  /** What goes wrong in the editor is said there. */
  const said = async (work: Promise<unknown>): Promise<Record<string, never>> => {
    await work.catch((error: unknown) => void showError(error, log));
    return {};
  };
  answer(answerer, reveal, ({ target, focus }) => said(showTarget(target, focus, parts)));
  answer(answerer, leave, ({ session }) => said(openFile(vscode.Uri.parse(uriOfSession(session)), { preview: true })));
  answer(answerer, evaluateAgain, ({ session }) =>
    said(evaluation.run([vscode.Uri.parse(uriOfSession(session))], 'here')),
  );
  answer(answerer, stopEvaluation, () => {
    evaluation.stop();
    return {};
  });
  answer(answerer, selected, (now) => {
    open.hasSelected(now);
    return said(follow.show(now));
  });
  answer(answerer, switchTo, ({ session }) => {
    if (uriOfSession(session) === open.uri) open.hasSelected({ session, turn: null });
    return {};
  });
  answer(answerer, openLink, async ({ url }) => ({ opened: await openInBrowser(url) }));
  answer(answerer, openRule, ({ rule }) =>
    said(Promise.resolve(vscode.commands.executeCommand('turnwise.openRulePage', { rule }))),
  );
  answer(answerer, copy, async ({ session, turn }) => {
    try {
      await copyMarkdown(session, turn, parts);
      return { copied: true };
    } catch (error) {
      void showError(error, log);
      return { copied: false };
    }
  });
}

/** Puts a turn, or a whole session, on the clipboard. */
export async function copyMarkdown(
  session: string,
  turn: number | null,
  { server }: Pick<Parts, 'server'>,
): Promise<void> {
  const answered = await server.ask(markdown, { session, turn });
  if (answered.text === null) {
    const name = fileName(uriOfSession(session));
    throw new Refusal(vscode.l10n.t('{0} has changed since it was evaluated: evaluate it again, then copy.', name));
  }
  await vscode.env.clipboard.writeText(answered.text);
}

async function showTarget(target: Target, focus: boolean, parts: Parts): Promise<void> {
  const uri = vscode.Uri.parse(target.uri);
  const { place } = await parts.server.ask(locate, target);
  if (!place) {
    throw new Refusal(
      vscode.l10n.t('{0} is no JSON any more, so this is nowhere in it. Mend it and evaluate it again.', fileName(uri)),
    );
  }
  await showPlace(place, focus, parts);
}

/** Shows a place in a file; with `focus` the keyboard goes there too. */
export async function showPlace(place: Place, focus: boolean, { follow }: Pick<Parts, 'follow'>): Promise<void> {
  // That the cursor goes there selects no other turn in the panel.
  follow.expect(vscode.Uri.parse(place.uri), rangeOf(place.range));
  await openPlace(place, { preview: true, preserveFocus: !focus });
}
