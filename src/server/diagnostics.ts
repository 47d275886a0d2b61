import { createHash } from 'node:crypto';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import { type Connection, type Diagnostic, DiagnosticSeverity } from 'vscode-languageserver/node';
import type { Problem } from '../core/problem.ts';
import { type FindingLevel, LEVELS, type Severity } from '../core/severity.ts';
import { visibleText } from '../panel/text/visible-text.ts';
import type { SessionProblemRow } from '../protocol/messages.ts';
import type { InitializationSettings } from '../protocol/settings.ts';
import type { EvaluationResults } from './results/evaluation-results.ts';
import { type FindingRow, problemsIn } from './results/file-view.ts';
import { safeName } from './text/inline-text.ts';
import { rulePageUrl } from './text/rule-pages.ts';

const SEVERITY = {
  low: DiagnosticSeverity.Information,
  medium: DiagnosticSeverity.Warning,
  high: DiagnosticSeverity.Error,
  critical: DiagnosticSeverity.Error,
} as const satisfies Record<Severity, DiagnosticSeverity>;

/** VS Code shows no more per file. */
const MAX_DIAGNOSTICS = 1000;

const MAX_LENGTH = { message: 1000, note: 200 } as const;

/** Publishes problems as diagnostics on the JSON that proves them. */
export class DiagnosticsPublisher {
  readonly #connection: Pick<Connection, 'sendDiagnostics'>;
  readonly #results: EvaluationResults;
  readonly #settings: () => Pick<InitializationSettings, 'rulePages'>;
  /** Warnings of configurations, by URI. */
  readonly #warnings = new Map<string, readonly Diagnostic[]>();
  /** A digest of what is published for a file; files without diagnostics are absent. */
  readonly #shown = new Map<string, string>();

  constructor(
    connection: Pick<Connection, 'sendDiagnostics'>,
    results: EvaluationResults,
    settings: () => Pick<InitializationSettings, 'rulePages'>,
  ) {
    this.#connection = connection;
    this.#results = results;
    this.#settings = settings;
  }

  /**
   * Publishes the diagnostics of all files with results, where they have changed.
   *
   * @param changed the only files that may have changed; without it, any may.
   */
  async publish(changed?: readonly string[]): Promise<void> {
    const evaluated = this.#results.paths.map((path) => pathToFileURL(path).href);
    const uris = changed ?? new Set([...this.#shown.keys(), ...evaluated]);
    await Promise.all(Array.from(uris, (uri) => this.#send(uri)));
  }

  /** Shows what a run over the whole folder of a configuration says of it. */
  setWarnings(configuration: string, problems: readonly Problem[]): void {
    const uri = pathToFileURL(configuration).href;
    if (problems.length === 0) this.#warnings.delete(uri);
    else this.#warnings.set(uri, problems.map(toWarning));
    void this.publish([uri]).catch(() => {});
  }

  clearWarnings(): void {
    const uris = [...this.#warnings.keys()];
    this.#warnings.clear();
    void this.publish(uris).catch(() => {});
  }

  async #send(uri: string): Promise<void> {
    const ofTraces = buildDiagnostics(uri, this.#results, this.#settings());
    const diagnostics = [...ofTraces, ...(this.#warnings.get(uri) ?? [])];
    const digest = diagnostics.length === 0 ? undefined : diagnosticsDigest(diagnostics);
    if (digest === this.#shown.get(uri)) return;
    if (digest === undefined) this.#shown.delete(uri);
    else this.#shown.set(uri, digest);
    await this.#connection.sendDiagnostics({ uri, diagnostics });
  }
}

function diagnosticsDigest(diagnostics: readonly Diagnostic[]): string {
  return createHash('sha256').update(JSON.stringify(diagnostics)).digest('base64');
}

/** The most severe where there are too many; none for a file that was deleted. */
export function buildDiagnostics(
  uri: string,
  results: EvaluationResults,
  settings: Pick<InitializationSettings, 'rulePages'>,
): Diagnostic[] {
  if (results.file(fileURLToPath(uri))?.state === 'gone') return [];
  const all = problemsIn(uri, results).map(({ problem }) => problem);
  const isMuch = all.length > MAX_DIAGNOSTICS;
  const published = isMuch ? all.toSorted((a, b) => levelRank(b) - levelRank(a)).slice(0, MAX_DIAGNOSTICS - 1) : all;
  const diagnostics = published.map((finding) => toDiagnostic(results.currentFinding(finding), settings));
  return isMuch ? [...diagnostics, omittedDiagnostic(all.length - published.length)] : diagnostics;
}

/** On its whole line, or the first one where it is not known. */
function toWarning({ line, code, message }: Problem): Diagnostic {
  const at = (line ?? 1) - 1;
  return {
    range: { start: { line: at, character: 0 }, end: { line: at, character: MAX_LENGTH.message } },
    message: visibleText(message, MAX_LENGTH.message),
    severity: DiagnosticSeverity.Warning,
    code,
    source: 'Turnwise',
  };
}

function toDiagnostic(finding: SessionProblemRow, settings: Pick<InitializationSettings, 'rulePages'>): Diagnostic {
  const { location, related, rule } = finding;
  const page = rule === null ? null : rulePageUrl(rule, settings);
  return {
    range: location.range,
    message: visibleText(diagnosticMessage(finding), MAX_LENGTH.message),
    severity: SEVERITY[finding.severity],
    code: findingCode(finding),
    ...(page === null ? {} : { codeDescription: { href: page } }),
    source: 'Turnwise',
    ...(related.length === 0
      ? {}
      : {
          relatedInformation: related.map(({ uri, range, note }) => ({
            location: { uri, range },
            message: visibleText(note, MAX_LENGTH.note) || l10n.t('here too'),
          })),
        }),
  };
}

/** Names the label first where the code is the metric that gave it. */
function diagnosticMessage(finding: SessionProblemRow): string {
  const { rule, reason } = finding;
  const isNamed = rule !== null || [finding.code, reason].includes(finding.label);
  return isNamed ? reason : `${finding.label}: ${reason}`;
}

/** The id of the rule that proved it, else the metric that names it. */
export function findingCode(finding: FindingRow): string {
  return 'code' in finding ? safeName(finding.code) : finding.rule;
}

export function findingLevel(finding: FindingRow): FindingLevel {
  return 'severity' in finding ? finding.severity : 'info';
}

function levelRank({ severity }: SessionProblemRow): number {
  return LEVELS.indexOf(severity);
}

function omittedDiagnostic(more: number): Diagnostic {
  const start = { line: 0, character: 0 };
  return {
    range: { start, end: start },
    message:
      more === 1
        ? l10n.t('1 more problem in this file. The report shows it.')
        : l10n.t('{0} more problems in this file. The report shows them.', more),
    severity: DiagnosticSeverity.Information,
    source: 'Turnwise',
  };
}
