import * as vscode from 'vscode';
import { isConfigurationFile } from '../core/trace-file-names.ts';
import { type ScenarioResult, type ScenarioRow, scenarioAgents, scenariosOf } from '../protocol/scenarios.ts';
import type { BoundCommands } from './bound-commands.ts';
import { escapeLabel } from './labels.ts';
import type { LanguageServer } from './language-server.ts';
import { SCENARIO_FILES, type ScenarioTarget } from './scenario-commands.ts';
import type { ScenarioResultsModel } from './scenario-results.ts';
import { currentSettings } from './settings.ts';

interface ScenarioLensesOptions {
  readonly server: Pick<LanguageServer, 'request'>;
  readonly results: ScenarioResultsModel;
  readonly commands: Pick<BoundCommands, 'bind'>;
}

const VERDICT_ICONS = { passed: '$(pass)', failed: '$(error)', undecided: '$(question)' } as const;
const DEFAULT_ATTEMPTS = 3;

/** Above each scenario: running it, and what came of it. */
export class ScenarioLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #options: ScenarioLensesOptions;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #disposables: vscode.Disposable;
  /** How often scenarios are tried, by file: a configuration can be code, which takes a moment. */
  readonly #attempts = new Map<string, Promise<number>>();

  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(options: ScenarioLensesOptions) {
    this.#options = options;
    const forgetSettings = () => {
      this.#attempts.clear();
      this.#changed.fire();
    };
    this.#disposables = vscode.Disposable.from(
      this.#changed,
      vscode.languages.registerCodeLensProvider([...SCENARIO_FILES], this),
      options.results.onDidChange(() => this.#changed.fire()),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (isConfigurationFile(uri.path)) forgetSettings();
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('turnwise.lenses')) this.#changed.fire();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(forgetSettings),
    );
  }

  async provideCodeLenses(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<vscode.CodeLens[]> {
    if (!currentSettings().lenses) return [];
    const uri = document.uri.toString();
    const { server, results } = this.#options;
    const text = document.isDirty ? { text: document.getText() } : {};
    const { scenarios } = await server.request(scenariosOf, { uri, ...text }, token);
    if (scenarios.length === 0) return [];
    const [known, attempts] = await Promise.all([results.of(uri, token), this.#attemptsAt(uri)]);
    return scenarios.flatMap((scenario) => {
      const result = known.find(({ name }) => name === scenario.name);
      return this.#lenses(scenario, result, { uri, attempts, isDirty: document.isDirty });
    });
  }

  #attemptsAt(uri: string): Promise<number> {
    const known = this.#attempts.get(uri);
    if (known) return known;
    const asked = this.#options.server
      .request(scenarioAgents, { uri })
      .then(({ attempts = DEFAULT_ATTEMPTS }) => attempts)
      .catch(() => DEFAULT_ATTEMPTS);
    this.#attempts.set(uri, asked);
    return asked;
  }

  #lenses(
    { name, range: { start } }: ScenarioRow,
    result: ScenarioResult | undefined,
    { uri, attempts, isDirty }: { readonly uri: string; readonly attempts: number; readonly isDirty: boolean },
  ): vscode.CodeLens[] {
    const at = new vscode.Range(start.line, start.character, start.line, start.character);
    const lens = (title: string, command: string, target: ScenarioTarget) =>
      this.#options.commands.bind(new vscode.CodeLens(at, { title, command, arguments: [target] }));
    // Only a run tells which scenarios have a name that is no literal.
    if (name === null) return [lens(vscode.l10n.t('Run File'), 'turnwise.runScenario', { uri })];
    const target = { uri, name };
    return [
      lens(vscode.l10n.t('Run'), 'turnwise.runScenario', target),
      ...(attempts === 1
        ? []
        : [lens(vscode.l10n.t('Run {0} Attempts', attempts), 'turnwise.runScenario', { ...target, attempts })]),
      ...(result ? [new vscode.CodeLens(at, { title: resultTitle(result, isDirty), command: '' })] : []),
      ...(result?.attempts.some((attempt) => attempt.uri !== null)
        ? [lens(vscode.l10n.t('Report'), 'turnwise.openScenarioReport', target)]
        : []),
      ...(result?.run && result.previousRun !== undefined
        ? [lens(vscode.l10n.t('Compare'), 'turnwise.compareScenario', target)]
        : []),
    ];
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

function resultTitle({ verdict, summary, isStale }: ScenarioResult, isDirty: boolean): string {
  const outdated = isStale || isDirty ? ` · ${vscode.l10n.t('outdated')}` : '';
  return `${VERDICT_ICONS[verdict]} ${escapeLabel(summary)}${outdated}`;
}
