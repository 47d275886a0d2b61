import * as vscode from 'vscode';
import { scenarioAgents } from '../../protocol/scenarios.ts';
import { UserError } from '../errors.ts';
import { escapeLabel } from '../labels.ts';
import type { LanguageServer } from '../language-server.ts';
import type { OverviewPanels } from '../overview-panels.ts';
import type { RequestedRuns } from './requested-runs.ts';
import { selectScenarios } from './test-selection.ts';
import type { TestTree } from './test-tree.ts';

interface CompareAgentsOptions {
  readonly server: Pick<LanguageServer, 'request'>;
  readonly runs: Pick<RequestedRuns, 'start'>;
  readonly tree: TestTree;
  readonly overviews: Pick<OverviewPanels, 'open'>;
}

/** Lets several agents that the user picks try the same scenarios, and opens the overview of their sessions. */
export async function compareAgents(
  request: vscode.TestRunRequest,
  { server, runs, tree, overviews }: CompareAgentsOptions,
): Promise<void> {
  const [file] = selectScenarios(tree, request);
  if (!file) return;
  const { agents } = await server.request(scenarioAgents, { uri: file.uri });
  if (agents.length < 2) {
    throw new UserError(
      vscode.l10n.t('There are no two agents to compare. Add them to simulation.agents in the configuration.'),
    );
  }
  const picked = await pickAgents(agents);
  if (picked.length < 2) return;
  const answers = await runs.start(request, { agents: picked });
  const [session] = answers.flatMap(({ results }) =>
    results.flatMap(({ attempts }) => attempts.flatMap(({ uri }) => uri ?? [])),
  );
  if (session !== undefined) overviews.open(vscode.Uri.joinPath(vscode.Uri.parse(session), '..').toString());
}

async function pickAgents(agents: readonly string[]): Promise<readonly string[]> {
  const items = agents.map((agent) => ({ label: escapeLabel(agent), agent, picked: true }));
  const options = {
    title: vscode.l10n.t('Compare Agents'),
    placeHolder: vscode.l10n.t('Select two or more agents that try the same scenarios'),
    canPickMany: true,
  } as const;
  return ((await vscode.window.showQuickPick(items, options)) ?? []).map(({ agent }) => agent);
}
