import { pathToFileURL } from 'node:url';
import { type Connection, type Diagnostic, DiagnosticSeverity } from 'vscode-languageserver/node';
import type { Severity } from '../core/severity.ts';
import type { FailureRow, RelatedPlace } from '../protocol/messages.ts';
import { viewOf } from './file-view.ts';
import type { Results } from './results.ts';

const SEVERITY = {
  low: DiagnosticSeverity.Information,
  medium: DiagnosticSeverity.Warning,
  high: DiagnosticSeverity.Error,
  critical: DiagnosticSeverity.Error,
} as const satisfies Record<Severity, DiagnosticSeverity>;

/** Shows failures on the JSON that proves them. */
export class Diagnostics {
  readonly #connection: Pick<Connection, 'sendDiagnostics'>;
  readonly #results: Results;
  #shown: ReadonlySet<string> = new Set();

  constructor(connection: Pick<Connection, 'sendDiagnostics'>, results: Results) {
    this.#connection = connection;
    this.#results = results;
  }

  /** Those of all files of which anything is held, and no others. */
  async show(): Promise<void> {
    const uris = new Set(this.#results.paths.map((path) => pathToFileURL(path).href));
    const gone = [...this.#shown].filter((uri) => !uris.has(uri));
    this.#shown = uris;
    await Promise.all([
      ...gone.map((uri) => this.#connection.sendDiagnostics({ uri, diagnostics: [] })),
      ...Array.from(uris, (uri) =>
        this.#connection.sendDiagnostics({ uri, diagnostics: diagnosticsOf(uri, this.#results) }),
      ),
    ]);
  }
}

function diagnosticsOf(uri: string, results: Results): Diagnostic[] {
  const sessions = viewOf(uri, results)?.sessions ?? [];
  return sessions.flatMap(({ failures }) => failures.map(diagnosticOf));
}

function diagnosticOf({ place, reason, severity, code, related }: FailureRow): Diagnostic {
  return {
    range: place.range,
    message: reason,
    severity: SEVERITY[severity],
    code,
    source: 'Turnwise',
    ...(related.length > 0 ? { relatedInformation: related.map(relatedOf) } : {}),
  };
}

function relatedOf({ uri, range, note }: RelatedPlace): NonNullable<Diagnostic['relatedInformation']>[number] {
  return { location: { uri, range }, message: note };
}
