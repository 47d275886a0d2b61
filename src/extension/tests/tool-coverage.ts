import * as vscode from 'vscode';
import { sanitizeText } from '../../core/sanitize.ts';
import { type CoveredTools, scenarioCoverage } from '../../protocol/scenarios.ts';
import type { LanguageServer } from '../language-server.ts';
import { toRange } from '../locations.ts';
import { appendOutput } from './report-result.ts';
import type { SelectedFile } from './test-selection.ts';

const MAX_LABEL = 500;

/** What runs exercised of the agent's tools, shown where the tools are defined. */
export class CoverageOfRuns {
  readonly #server: Pick<LanguageServer, 'request'>;
  readonly #details = new WeakMap<vscode.FileCoverage, vscode.FileCoverageDetail[]>();

  constructor(server: Pick<LanguageServer, 'request'>) {
    this.#server = server;
  }

  /** Adds the coverage of the scenarios that have just run. */
  async add(run: vscode.TestRun, selected: readonly SelectedFile[]): Promise<void> {
    const { files, notMeasured } = await this.#server.request(scenarioCoverage, { files: selected }, run.token);
    for (const { uri, tools } of files) {
      const details = tools.flatMap(toolDetails);
      const coverage = vscode.FileCoverage.fromDetails(vscode.Uri.parse(uri), details);
      this.#details.set(coverage, details);
      run.addCoverage(coverage);
    }
    for (const sentence of notMeasured) appendOutput(run, sanitizeText(sentence, MAX_LABEL));
  }

  /** For `TestRunProfile.loadDetailedCoverage`. */
  async load(coverage: vscode.FileCoverage): Promise<vscode.FileCoverageDetail[]> {
    return this.#details.get(coverage) ?? [];
  }
}

/** A tool is a declaration; what its calls can have are branches. */
function toolDetails({ name, range, calls, parts }: CoveredTools['tools'][number]): vscode.FileCoverageDetail[] {
  const at = toRange(range);
  const branches = parts.map(
    ({ label, times }) => new vscode.BranchCoverage(times, at, sanitizeText(label, MAX_LABEL)),
  );
  return [
    new vscode.DeclarationCoverage(sanitizeText(name, MAX_LABEL), calls, at),
    new vscode.StatementCoverage(calls, at, branches),
  ];
}
