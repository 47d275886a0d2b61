import * as vscode from 'vscode';
import type { FileRange } from '../protocol/messages.ts';
import {
  type AttemptMessage,
  type ScenarioResult,
  scenarioResults,
  scenarioResultsChanged,
} from '../protocol/scenarios.ts';
import type { LanguageServer } from './language-server.ts';

type Server = Pick<LanguageServer, 'request' | 'onNotification'>;

/** The results of the scenarios that are shown in editors, with a diagnostic for each expectation that was not met. */
export class ScenarioResultsModel implements vscode.Disposable {
  readonly #server: Server;
  readonly #log: Pick<vscode.LogOutputChannel, 'error'>;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #diagnostics = vscode.languages.createDiagnosticCollection('turnwise scenarios');

  /** Results of some files are others now. */
  readonly onDidChange = this.#changed.event;

  constructor(server: Server, log: Pick<vscode.LogOutputChannel, 'error'>) {
    this.#server = server;
    this.#log = log;
    server.onNotification(scenarioResultsChanged, ({ uris }) => {
      Promise.all(uris.map((uri) => this.of(uri)))
        .then(() => this.#changed.fire())
        .catch((error: unknown) => this.#log.error(String(error)));
    });
  }

  /** The results of a file, whose diagnostics are shown from now on. */
  async of(uri: string, token?: vscode.CancellationToken): Promise<readonly ScenarioResult[]> {
    const { results } = await this.#server.request(scenarioResults, { uris: [uri] }, token);
    this.#diagnostics.set(vscode.Uri.parse(uri), results.flatMap(diagnosticsOf));
    return results;
  }

  dispose(): void {
    this.#changed.dispose();
    this.#diagnostics.dispose();
  }
}

/** One for all attempts that missed the same. */
function diagnosticsOf({ attempts }: ScenarioResult): vscode.Diagnostic[] {
  const all = attempts.flatMap(({ messages, verdict, trial }) =>
    messages.map((message) => ({ message, verdict, trial })),
  );
  const byPlace = Map.groupBy(all, ({ message: { location, expected, actual, text } }) =>
    JSON.stringify([location.range, expected, actual, expected === null ? text : '']),
  );
  return [...byPlace.values()].flatMap((same) => {
    const [first] = same;
    if (!first) return [];
    const { message, verdict } = first;
    const severity = verdict === 'failed' ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning;
    const which =
      attempts.length === 1 ? '' : ` (${vscode.l10n.t('{0} of {1} attempts', same.length, attempts.length)})`;
    const diagnostic = new vscode.Diagnostic(firstLine(message.location.range), `${message.text}${which}`, severity);
    diagnostic.source = 'Turnwise';
    diagnostic.relatedInformation = same.flatMap(({ message: { trace }, trial }) => traceInformation(trace, trial));
    return [diagnostic];
  });
}

function traceInformation(trace: AttemptMessage['trace'], trial: number): vscode.DiagnosticRelatedInformation[] {
  if (!trace) return [];
  const { line, character } = trace.range.start;
  const location = new vscode.Location(vscode.Uri.parse(trace.uri), new vscode.Position(line, character));
  return [new vscode.DiagnosticRelatedInformation(location, vscode.l10n.t('Attempt {0}', trial))];
}

/** More characters than a line has. */
const LINE_END = 10_000;

/** A scenario is many lines. */
function firstLine({ start, end }: FileRange): vscode.Range {
  const last = start.line === end.line ? end.character : LINE_END;
  return new vscode.Range(start.line, start.character, start.line, last);
}
