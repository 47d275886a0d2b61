import { createHash } from 'node:crypto';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Connection, type Diagnostic, DiagnosticSeverity } from 'vscode-languageserver/node';
import { type FindingLevel, LEVELS } from '../core/severity.ts';
import type { Initialization } from '../protocol/settings.ts';
import { type Found, heldIn } from './held/file-view.ts';
import type { Results } from './held/results.ts';
import { counted, named } from './wording/inline-text.ts';
import { rulePage } from './wording/rule-pages.ts';
import { visible } from './wording/visible.ts';

const SEVERITY = {
  info: DiagnosticSeverity.Hint,
  low: DiagnosticSeverity.Information,
  medium: DiagnosticSeverity.Warning,
  high: DiagnosticSeverity.Error,
  critical: DiagnosticSeverity.Error,
} as const satisfies Record<FindingLevel, DiagnosticSeverity>;

/** Of more than these VS Code shows none either. */
const MOST = 1000;

const LONGEST = { message: 1000, note: 200 } as const;

/** Shows failures and observations on the JSON that proves them. */
export class Diagnostics {
  readonly #connection: Pick<Connection, 'sendDiagnostics'>;
  readonly #results: Results;
  readonly #settings: () => Pick<Initialization, 'rulePages'>;
  /** What is shown on a file, as a digest; those on which nothing is are absent. */
  readonly #shown = new Map<string, string>();

  constructor(
    connection: Pick<Connection, 'sendDiagnostics'>,
    results: Results,
    settings: () => Pick<Initialization, 'rulePages'>,
  ) {
    this.#connection = connection;
    this.#results = results;
    this.#settings = settings;
  }

  /**
   * Those of all files of which anything is held, and no others. Only what is other than before is sent.
   *
   * @param changed the only files of which anything may be other; without it, any.
   */
  async show(changed?: readonly string[]): Promise<void> {
    const held = this.#results.paths.map((path) => pathToFileURL(path).href);
    const uris = changed ?? new Set([...this.#shown.keys(), ...held]);
    await Promise.all(Array.from(uris, (uri) => this.#send(uri)));
  }

  async #send(uri: string): Promise<void> {
    const diagnostics = diagnosticsOf(uri, this.#results, this.#settings());
    const digest = diagnostics.length === 0 ? undefined : digestOf(diagnostics);
    if (digest === this.#shown.get(uri)) return;
    if (digest === undefined) this.#shown.delete(uri);
    else this.#shown.set(uri, digest);
    await this.#connection.sendDiagnostics({ uri, diagnostics });
  }
}

function digestOf(diagnostics: readonly Diagnostic[]): string {
  return createHash('sha256').update(JSON.stringify(diagnostics)).digest('base64');
}

/** The gravest, where there are too many; none where the file is not there any more: nobody could look at it. */
export function diagnosticsOf(
  uri: string,
  results: Results,
  settings: Pick<Initialization, 'rulePages'>,
): Diagnostic[] {
  if (results.file(fileURLToPath(uri))?.state === 'gone') return [];
  const all = heldIn(uri, results).map(({ found }) => found);
  const isMuch = all.length > MOST;
  const shown = isMuch ? all.toSorted((a, b) => rank(b) - rank(a)).slice(0, MOST - 1) : all;
  const diagnostics = shown.map((found) => diagnosticOf(results.now(found), settings));
  return isMuch ? [...diagnostics, omission(all.length - shown.length)] : diagnostics;
}

function diagnosticOf(found: Found, settings: Pick<Initialization, 'rulePages'>): Diagnostic {
  const { place, related, rule } = found;
  const page = rule === null ? null : rulePage(rule, settings);
  return {
    range: place.range,
    message: visible(messageOf(found), LONGEST.message),
    severity: SEVERITY[levelOf(found)],
    code: codeOf(found),
    ...(page === null ? {} : { codeDescription: { href: page } }),
    source: 'Turnwise',
    ...(related.length === 0
      ? {}
      : {
          relatedInformation: related.map(({ uri, range, note }) => ({
            location: { uri, range },
            message: visible(note, LONGEST.note) || 'here too',
          })),
        }),
  };
}

/** Where its code is the metric that names it, what was found is said first. */
function messageOf(found: Found): string {
  const { rule, reason } = found;
  const isNamed = !('label' in found) || rule !== null || [found.code, reason].includes(found.label);
  return isNamed ? reason : `${found.label}: ${reason}`;
}

/** The id of the rule that proved it, else the metric that names it. */
export function codeOf(found: Found): string {
  return 'code' in found ? named(found.code) : found.rule;
}

export function levelOf(found: Found): FindingLevel {
  return 'severity' in found ? found.severity : 'info';
}

function rank(found: Found): number {
  return LEVELS.indexOf(levelOf(found));
}

function omission(more: number): Diagnostic {
  const start = { line: 0, character: 0 };
  return {
    range: { start, end: start },
    message: `${counted(more, 'more finding')} of this file: its report shows all.`,
    severity: DiagnosticSeverity.Information,
    source: 'Turnwise',
  };
}
