import type { Session } from '../core/session.ts';
import { baseName } from '../input/paths.ts';
import type { ReportRunDetails } from '../protocol/report.ts';
import { MAX_ROWS } from './limits.ts';
import type { PanelSession } from './panel-session.ts';
import { toTarget } from './targets.ts';
import { limitName, limitSentence } from './values.ts';

/** What a session was evaluated with, besides what its results say. */
export interface RunSources {
  /** Files. */
  readonly configurations: readonly string[];
  readonly companions: readonly string[];
  /** About the files of the session. */
  readonly warnings: readonly Pick<ReportRunDetails['warnings'][number], 'severity' | 'message' | 'line'>[];
  /** The names of the tools that the agent had; null where they are not known. */
  readonly tools: readonly string[] | null;
}

/** What a session was evaluated with, and what was reported about its files. */
export function buildRunDetails(
  { detail: { run, report } }: Pick<PanelSession, 'detail'>,
  { configurations, companions, warnings, tools }: RunSources,
): ReportRunDetails {
  const { status, source, reason, disagrees } = report.outcome;
  return {
    configurations: fileRows(configurations),
    companions: fileRows([...companions, ...(report.expectations ?? [])]),
    embedder: run.embedder && limitName([run.embedder.provider, run.embedder.model ?? []].flat().join('/')),
    questionsPerCall: run.questionsPerCall,
    turnsPerCall: run.turnsPerCall ?? 1,
    agentVersion: run.agentVersion === null ? null : limitName(run.agentVersion),
    tools: tools?.slice(0, MAX_ROWS).map(limitName) ?? null,
    toolsOmitted: Math.max(0, (tools?.length ?? 0) - MAX_ROWS),
    outcome: { status, source, reason: limitSentence(reason), disagrees: [...disagrees] },
    warnings: warnings
      .slice(0, MAX_ROWS)
      .map(({ severity, message, line }) => ({ severity, message: limitSentence(message), line })),
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
