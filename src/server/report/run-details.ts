import type { Session } from '../../core/session.ts';
import { baseName } from '../../input/paths.ts';
import type { ReportRunDetails } from '../../protocol/report.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';
import { MAX_ROWS } from './limits.ts';
import { limitName, limitSentence, toTarget } from './values.ts';

/** What a session was evaluated with, and what was reported about its files. */
export function buildRunDetails(
  view: SessionResultsView,
  results: Pick<EvaluationResults, 'versionsOf' | 'problems'>,
  tools: readonly string[] | null,
): ReportRunDetails {
  const { run, report } = view.detail;
  const inputs = [...results.versionsOf(view).values()].map((version) => version.inputs);
  const own = new Set(view.files);
  const warnings = results.problems.filter(({ file }) => own.has(file));
  const { status, source, reason, disagrees } = report.outcome;
  return {
    configurations: fileRows(inputs.flatMap(({ above }) => [...above.keys()])),
    companions: fileRows([...inputs.flatMap(({ beside }) => [...beside.keys()]), ...(report.expectations ?? [])]),
    embedder: run.embedder && limitName([run.embedder.provider, run.embedder.model ?? []].flat().join('/')),
    questionsPerCall: run.questionsPerCall,
    agentVersion: run.agentVersion === null ? null : limitName(run.agentVersion),
    tools: tools?.slice(0, MAX_ROWS).map(limitName) ?? null,
    toolsOmitted: Math.max(0, (tools?.length ?? 0) - MAX_ROWS),
    outcome: { status, source, reason: limitSentence(reason), disagrees: [...disagrees] },
    warnings: warnings.slice(0, MAX_ROWS).map(({ row: { severity, message, location } }) => ({
      severity,
      message: limitSentence(message),
      line: location.range.start.line + 1,
    })),
    warningsOmitted: Math.max(0, warnings.length - MAX_ROWS),
  };
}

function fileRows(paths: readonly string[]): ReportRunDetails['configurations'] {
  return [...new Set(paths)]
    .slice(0, MAX_ROWS)
    .map((path) => ({ name: limitName(baseName(path)), target: toTarget(path, '') }));
}

/** The tools of all turns; null where none says which there were. */
export function toolNames({ tools, turns }: Session): readonly string[] | null {
  const catalogues = [tools, ...turns.map((turn) => turn.tools)].filter((known) => known !== undefined);
  return catalogues.length === 0 ? null : [...new Set(catalogues.flat().map(({ name }) => name))];
}
