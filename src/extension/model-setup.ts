import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { ApiKeys } from './api-keys.ts';
import { UserError } from './errors.ts';
import { escapeLabel, fileName } from './labels.ts';
import { openTrace } from './open-trace.ts';
import type { ReportPanels } from './report-panels.ts';
import { targetResource } from './target-resource.ts';

/** A file or folder whose configuration gets a model, and the open trace, which is evaluated with it then. */
export interface SetupTarget {
  readonly uri: vscode.Uri;
  readonly trace: vscode.Uri | undefined;
}

/** @throws UserError where no model can be saved. */
export function setupTarget({ reports }: { readonly reports: Pick<ReportPanels, 'active'> }): SetupTarget {
  if (!vscode.workspace.isTrusted) {
    throw new UserError(vscode.l10n.t('This folder is not trusted. Trust it to choose a model.'), {
      title: vscode.l10n.t('Manage Trust'),
      command: 'workbench.trust.manage',
    });
  }
  const trace = openTrace(reports);
  const uri = trace ?? targetResource();
  if (!uri)
    throw new UserError(vscode.l10n.t('Open a folder or a trace first. The model is saved to its configuration.'));
  return { uri, trace };
}

/** How a model answered its test; null: it did not, and is to be saved anyway. */
export type TestedModel = { readonly answered: string | null };

/** What a test says: a message where the model answered, else what is wrong. */
export type ModelTestOutcome = { readonly answered: string } | { readonly problem: string };

/** Tests a model until it answers or the user decides otherwise. Undefined: the user cancelled. */
export async function testUntilDecided(
  test: () => Promise<ModelTestOutcome>,
): Promise<TestedModel | 'change' | undefined> {
  const [retry, change, saveAnyway] = [
    vscode.l10n.t('Retry'),
    vscode.l10n.t('Change…'),
    vscode.l10n.t('Save Anyway'),
  ] as const;
  for (;;) {
    const outcome = await test();
    if ('answered' in outcome) return outcome;
    const chosen = await vscode.window.showErrorMessage(outcome.problem, retry, change, saveAnyway);
    if (chosen === saveAnyway) return { answered: null };
    if (chosen === change) return 'change';
    if (chosen !== retry) return undefined;
  }
}

/** A key that the user entered for a host. */
export interface EnteredKey {
  readonly host: string;
  readonly key: string;
}

/** Stores the key and writes the configuration, or does neither. @param save rejects, or returns why nothing was written. */
export async function saveWithKey<Saved extends object>(
  entered: EnteredKey | null,
  keys: Pick<ApiKeys, 'get' | 'set' | 'delete'>,
  save: () => Promise<Saved | { error: string }>,
): Promise<Saved> {
  const restoreKey = entered ? await storeKey(entered, keys) : async () => {};
  try {
    const outcome = await save();
    if ('error' in outcome) throw new UserError(outcome.error);
    return outcome;
  } catch (error) {
    await restoreKey();
    throw error;
  }
}

/** @returns a function that puts the former key back. */
async function storeKey(
  { host, key }: EnteredKey,
  keys: Pick<ApiKeys, 'get' | 'set' | 'delete'>,
): Promise<() => Promise<void>> {
  const former = await keys.get(host);
  await keys.set(host, key);
  return () => (former === null ? keys.delete([host]) : keys.set(host, former));
}

interface SavedMessage {
  readonly answered: string | null;
  /** The path of the configuration. */
  readonly written: string;
  /** The trace that is evaluated now. */
  readonly evaluated: vscode.Uri | undefined;
  /** What else there is to say. */
  readonly note?: string | null;
}

/** Says how the model answered and where it was saved, with a button that opens the configuration. */
export function showSaved(
  { answered, written, evaluated, note = null }: SavedMessage,
  log: Pick<vscode.LogOutputChannel, 'error'>,
): void {
  const open = vscode.l10n.t('Open');
  const saved = evaluated
    ? vscode.l10n.t('Saved to {0}. Evaluating {1}.', basename(written), fileName(evaluated))
    : vscode.l10n.t('Saved to {0}. Applies to the next evaluation.', basename(written));
  const message = [answered, saved, note].filter((part) => part !== null).join(' ');
  // Not awaited: the message stays open until the user closes it.
  vscode.window.showInformationMessage(escapeLabel(message), open).then(async (chosen) => {
    if (chosen === open) await vscode.window.showTextDocument(vscode.Uri.file(written));
  }, log.error);
}
