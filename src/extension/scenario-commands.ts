import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { fileUri } from '../protocol/messages.ts';
import { type AttemptRow, scenarioAgents, scenarioResults } from '../protocol/scenarios.ts';
import type { CommandContext } from './command-context.ts';
import { UserError } from './errors.ts';
import { escapeLabel } from './labels.ts';
import { isScenarioDocument, mayHaveScenarios } from './scenario-documents.ts';
import { resolveReport } from './session-picker.ts';

/** The argument of a lens: a scenario, or all of a file. */
const scenarioTarget = z.object({
  uri: fileUri,
  name: z.optional(z.string()),
  attempts: z.optional(z.int().check(z.positive(), z.maximum(1000))),
});
export type ScenarioTarget = z.infer<typeof scenarioTarget>;

/** Runs the scenario of a lens. */
export async function runScenario({ scenarioRunner }: CommandContext, clicked: unknown): Promise<void> {
  const { success, data } = z.safeParse(scenarioTarget, clicked);
  if (!success) return;
  const { uri, name, attempts } = data;
  await scenarioRunner.run({ files: [{ uri, ...(name === undefined ? {} : { names: [name] }) }], attempts });
}

/** Runs all scenarios of the active editor. */
export async function runScenariosInFile({ server, scenarioRunner }: CommandContext): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const isNamed = async (other: vscode.TextDocument) =>
    mayHaveScenarios(other) && (await server.request(scenarioAgents, { uri: other.uri.toString() })).isScenarioFile;
  if (!document || !(isScenarioDocument(document) || (await isNamed(document)))) {
    throw new UserError(
      vscode.l10n.t(
        'Open a scenario file first. It is named like refund.sim.ts or refund.scenario.yaml, or the configuration names it.',
      ),
    );
  }
  await scenarioRunner.run({ files: [{ uri: document.uri.toString() }] });
}

/** Opens the report of an attempt at the scenario of a lens; of several, the user picks one. */
export async function openScenarioReport(context: CommandContext, clicked: unknown): Promise<void> {
  const result = await resultOf(context, clicked);
  const attempts = (result?.attempts ?? []).filter(({ uri }) => uri !== null).toSorted(byVerdict);
  const attempt = attempts.length > 1 ? await pickAttempt(attempts) : attempts[0];
  if (!attempt?.uri) return;
  const report = await resolveReport(context, vscode.Uri.parse(attempt.uri));
  if (report) context.reports.open(report.session, report.turn, { toSide: false });
}

/** Compares the last two runs of the scenario of a lens. */
export async function compareScenario(context: CommandContext, clicked: unknown): Promise<void> {
  const { run, previousRun } = (await resultOf(context, clicked)) ?? {};
  if (!run || previousRun === undefined) {
    throw new UserError(vscode.l10n.t('The scenario has no two recorded runs to compare. Run it again.'));
  }
  context.runPages.open({ show: 'comparison', runs: [previousRun, run] });
}

async function resultOf({ server }: CommandContext, clicked: unknown) {
  const { success, data } = z.safeParse(scenarioTarget, clicked);
  if (!success) return undefined;
  const { results } = await server.request(scenarioResults, { uris: [data.uri] });
  return results.find(({ name }) => name === data.name);
}

const WORST_FIRST = ['failed', 'undecided', 'passed'] as const;

function byVerdict(a: AttemptRow, b: AttemptRow): number {
  return WORST_FIRST.indexOf(a.verdict) - WORST_FIRST.indexOf(b.verdict) || a.trial - b.trial;
}

async function pickAttempt(attempts: readonly AttemptRow[]): Promise<AttemptRow | undefined> {
  const items = attempts.map((attempt) => ({
    label: vscode.l10n.t('Attempt {0}', attempt.trial),
    description: escapeLabel(`${attempt.agent} · ${attempt.headline.text}`),
    attempt,
  }));
  const options = { title: vscode.l10n.t('Open Report'), placeHolder: vscode.l10n.t('Select an attempt') };
  return (await vscode.window.showQuickPick(items, options))?.attempt;
}
