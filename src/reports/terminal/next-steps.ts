import type { Report } from '../../core/report.ts';
import type { Status } from '../../core/result.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import type { CountedResults } from '../../report-model/run-coverage.ts';
import { wrap } from '../terminal-text.ts';
import type { TableStyle } from './style.ts';

/** What to do next: what would score the metrics that were not scored, and where the rest is. */
export function* nextStepLines(report: Report, byMetric: CountedResults, style: TableStyle): Generator<string> {
  const steps = REQUIREMENTS.flatMap(({ status, step }) => {
    if (status === 'needs_judge' && report.run.judge) return [];
    const metrics = [...byMetric].filter(([, results]) => results.some((result) => result.status === status));
    return metrics.length === 0 ? [] : [step(metrics.map(([name]) => name))];
  });
  if (!style.verbose && style.terminal && report.sessions.length > 0) {
    steps.push('--verbose shows every turn, score and observation.');
  }
  for (const [index, step] of steps.entries()) {
    if (index === 0) yield '';
    for (const [row, line] of wrap(step, style.columns - 6).entries()) {
      yield `${index + row === 0 ? `${style.paint('Next:', 'strong')} ` : '      '}${line}`;
    }
  }
}

const REQUIREMENTS: readonly { readonly status: Status; readonly step: (metrics: readonly string[]) => string }[] = [
  {
    status: 'needs_judge',
    step: (metrics) => `--judge openai:MODEL or ollama:MODEL answers ${subject(metrics)} a judge.`,
  },
  {
    status: 'needs_embedder',
    step: (metrics) =>
      `--embedder static:FOLDER, openai:MODEL or ollama:MODEL answers ${subject(metrics)} an embedder.`,
  },
  {
    status: 'needs_reference',
    step: (metrics) => `An evaluation set or a sidecar beside the trace answers ${subject(metrics)} a reference.`,
  },
  {
    status: 'needs_attempts',
    step: (metrics) => `Several attempts of a task in one run answer ${subject(metrics)} other attempts.`,
  },
];

/** Limit of the metrics that are named. */
const NAMED = 2;

function subject(metrics: readonly string[]): string {
  const verb = metrics.length === 1 ? 'needs' : 'need';
  const names = metrics.length <= NAMED ? ` (${metrics.join(', ')})` : '';
  return `${pluralize(metrics.length, 'metric')}${names} that ${verb}`;
}
