import * as vscode from 'vscode';
import { isConfigurationFile } from '../core/trace-file-names.ts';
import { type ScenarioResult, type ScenarioRow, scenarioAgents, scenariosOf } from '../protocol/scenarios.ts';
import type { BoundCommands } from './bound-commands.ts';
import { hasConfiguration } from './configuration-files.ts';
import { escapeLabel } from './labels.ts';
import type { LanguageServer } from './language-server.ts';
import type { ScenarioTarget } from './scenario-commands.ts';
import { isCode, isScenarioDocument, mayHaveScenarios, POSSIBLE_SCENARIO_FILES } from './scenario-documents.ts';
import type { ScenarioResultsModel } from './scenario-results.ts';
import { currentSettings } from './settings.ts';

interface ScenarioLensesOptions {
  readonly server: Pick<LanguageServer, 'request'>;
  readonly results: ScenarioResultsModel;
  readonly commands: Pick<BoundCommands, 'bind'>;
}

interface ScenarioFileSettings {
  /** How often a scenario is tried that does not say it. */
  readonly attempts: number;
  readonly isScenarioFile: boolean;
}

const VERDICT_ICONS = { passed: '$(pass)', failed: '$(error)', undecided: '$(question)' } as const;
/** VS Code draws no other space after the icon of a lens. */
const NO_BREAK_SPACE = '\u00a0';
const DEFAULT_ATTEMPTS = 3;

/** Above each scenario: running it, and what came of it. */
export class ScenarioLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #options: ScenarioLensesOptions;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #disposables: vscode.Disposable;
  /** What the configuration says, by file: a configuration can be code, which takes a moment. */
  readonly #settings = new Map<string, Promise<ScenarioFileSettings>>();
  #hasConfiguration: Promise<boolean> | undefined;

  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(options: ScenarioLensesOptions) {
    this.#options = options;
    const forgetSettings = () => {
      this.#settings.clear();
      this.#hasConfiguration = undefined;
      this.#changed.fire();
    };
    this.#disposables = vscode.Disposable.from(
      this.#changed,
      vscode.languages.registerCodeLensProvider(POSSIBLE_SCENARIO_FILES, this),
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
    if (!isScenarioDocument(document) && !(await this.#isNamed(document))) return [];
    const { server, results } = this.#options;
    const text = document.isDirty ? { text: document.getText() } : {};
    const { scenarios } = await server.request(scenariosOf, { uri, ...text }, token);
    if (scenarios.length === 0) return [];
    const [known, { attempts }] = await Promise.all([results.of(uri, token), this.#settingsOf(uri)]);
    return scenarios.flatMap((scenario) => {
      const result = known.find(({ name }) => name === scenario.name);
      return this.#lenses(scenario, result, { uri, attempts, isDirty: document.isDirty });
    });
  }

  /** Whether a configuration names it: only the server knows. */
  async #isNamed(document: vscode.TextDocument): Promise<boolean> {
    if (!mayHaveScenarios(document)) return false;
    this.#hasConfiguration ??= hasConfiguration().catch(() => {
      this.#hasConfiguration = undefined;
      return false;
    });
    return (await this.#hasConfiguration) && (await this.#settingsOf(document.uri.toString())).isScenarioFile;
  }

  #settingsOf(uri: string): Promise<ScenarioFileSettings> {
    const known = this.#settings.get(uri);
    if (known) return known;
    const asked = this.#options.server
      .request(scenarioAgents, { uri })
      .then(({ attempts = DEFAULT_ATTEMPTS, isScenarioFile }) => ({ attempts, isScenarioFile }))
      .catch(() => ({ attempts: DEFAULT_ATTEMPTS, isScenarioFile: false }));
    this.#settings.set(uri, asked);
    return asked;
  }

  #lenses(
    { name, turns, range: { start } }: ScenarioRow,
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
      lens(vscode.l10n.t({ message: 'Run', comment: ['A verb'] }), 'turnwise.runScenario', target),
      ...(attempts === 1
        ? []
        : [lens(vscode.l10n.t('Run {0} Attempts', attempts), 'turnwise.runScenario', { ...target, attempts })]),
      // Of code, the prompt is unknown, and whether there are turns.
      ...(turns.length === 0 && !isCode(uri)
        ? [lens(vscode.l10n.t("User's Prompt"), 'turnwise.openUserPrompt', target)]
        : []),
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
  return `${VERDICT_ICONS[verdict]}${NO_BREAK_SPACE}${escapeLabel(summary)}${outdated}`;
}
