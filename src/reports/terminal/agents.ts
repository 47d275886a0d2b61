import type { Report } from '../../core/report.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { type AgentComparison, type AgentMean, compareAgents } from '../../report-model/agent-means.ts';
import { formatDifference, formatInterval } from '../../runs/compare/figures.ts';
import { sanitizeLine } from '../terminal-text.ts';
import { quietLines, reasonLines } from './layout.ts';
import type { TableStyle } from './style.ts';

/** Compared without being asked for: how satisfied users of agents and of people were is one question. */
const METRICS = ['user_satisfaction_proxy'];

/** What several agents reached on the same tasks, side by side, with the distance to a person where one of them is. */
export function* agentLines(
  {
    sessions,
    metrics,
    agents,
    run: { namedMetrics: named = [] },
  }: Pick<Report, 'sessions' | 'metrics' | 'agents' | 'run'>,
  style: TableStyle,
): Generator<string> {
  const compared = compareAgents(sessions, [
    ...new Set([...METRICS, ...named, ...(style.verbose ? Object.keys(metrics) : [])]),
  ]);
  if (compared.length === 0) return;
  yield '';
  yield style.paint('Agents', 'strong');
  yield* quietLines('  ', 'means over the tasks that all of them did', style);
  for (const comparison of compared)
    yield* reasonLines('  ', comparisonText(comparison), Number.POSITIVE_INFINITY, style);
  if (agents) yield* differenceLines(agents, named, style);
}

/** What differs from the first agent: what is clear, and what was asked for. */
function* differenceLines(
  { base, others }: NonNullable<Report['agents']>,
  named: readonly string[],
  style: TableStyle,
): Generator<string> {
  const asked = new Set(['correct', ...named]);
  for (const { agent, metrics } of others) {
    yield* quietLines('  ', `${sanitizeLine(agent)} against ${sanitizeLine(base)}`, style);
    for (const [name, { conclusion, difference, ci95, unit }] of Object.entries(metrics)) {
      const isClear = conclusion === 'better' || conclusion === 'worse';
      if (difference === null || !(isClear || asked.has(name) || style.verbose)) continue;
      const range = ci95 ? `, 95%: ${formatInterval(ci95, unit, true)}` : '';
      const size = `${difference > 0 ? '+' : ''}${formatDifference(difference, unit)}`;
      yield* reasonLines(
        '  ',
        `${sanitizeLine(name)}: ${conclusion} (${size}${range})`,
        Number.POSITIVE_INFINITY,
        style,
      );
    }
  }
}

/** `user_satisfaction_proxy (12 tasks): human 0.91 · bot 0.80 (-0.11 from human, 95%: -0.20 to -0.02)`. */
function comparisonText({ metric, tasks, agents }: AgentComparison): string {
  const title = metric === null ? 'succeeded' : sanitizeLine(metric);
  return `${title} (${pluralize(tasks, 'task')}): ${agents.map(agentText).join(' · ')}`;
}

function agentText({ agent, mean, fromHuman }: AgentMean): string {
  const own = `${sanitizeLine(agent)} ${mean.toFixed(2)}`;
  if (fromHuman === null) return own;
  const { difference, interval } = fromHuman;
  const range = interval ? `, 95%: ${signed(interval[0])} to ${signed(interval[1])}` : '';
  return `${own} (${signed(difference)} from human${range})`;
}

function signed(value: number): string {
  const text = value.toFixed(2);
  return value > 0 && text !== '0.00' ? `+${text}` : text.replace(/^-(0\.00)$/, '$1');
}
