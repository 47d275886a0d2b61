import { compareRuns } from './compare-runs.ts';
import { evaluateTrace } from './evaluate-trace.ts';
import { explainScore } from './explain-score.ts';
import { findFailures } from './find-failures.ts';
import { getTurn } from './get-turn.ts';
import { listRuns } from './list-runs.ts';
import type { AgentTool } from './tool.ts';

/** In the order in which an agent uses them. */
export const AGENT_TOOLS: readonly AgentTool[] = [
  listRuns,
  evaluateTrace,
  findFailures,
  getTurn,
  explainScore,
  compareRuns,
];
