import { EXIT_CODES } from '../core/verdict.ts';
import {
  ASSESSMENTS,
  type Estimator,
  type PassAtKEstimate,
  passAtK,
  validateQuery,
} from '../metrics/attempts/pass-at-k.ts';
import type { CommandHost } from './host.ts';
import { UsageError } from './usage-error.ts';

export interface PassAtKArguments {
  readonly n: number;
  readonly c: number;
  readonly k: number;
  readonly estimator?: Estimator;
  readonly ci: number;
  readonly format: 'table' | 'json';
}

/** `turnwise pass-at-k`. @returns the exit code. @throws UsageError */
export async function passAtKCommand({ format, ...query }: PassAtKArguments, host: CommandHost): Promise<number> {
  const problem = validateQuery(query);
  if (problem !== null) throw new UsageError(problem);
  const estimate = passAtK(query);
  const { credible: _credible, hints: _hints, ...contract } = estimate;
  await host.stdout.write(format === 'json' ? `${JSON.stringify(contract)}\n` : text(estimate, query.ci));
  return EXIT_CODES.passed;
}

type Credible = NonNullable<PassAtKEstimate['credible']>['passAtK'];

function text({ estimator, n, c, k, assessment, credible, hints, ...estimate }: PassAtKEstimate, ci: number): string {
  const level = `${Number((100 * ci).toPrecision(4))}%`;
  const line = (name: string, value: number, meaning: string, interval: Credible | undefined) =>
    `${name}  ${value.toFixed(4)}  ${interval ? `${level} ${interval[0].toFixed(4)} to ${interval[1].toFixed(4)}  ` : ''}${meaning}\n`;
  return [
    line(
      `pass@${k}`,
      estimate.passAtK,
      k === 1 ? 'the attempt is correct' : `at least one of ${k} attempts is correct`,
      credible?.passAtK,
    ),
    line(
      `pass^${k}`,
      estimate.passPowK,
      k === 1 ? 'the attempt is correct' : `all of ${k} attempts are correct`,
      credible?.passPowK,
    ),
    `${c} of ${n} correct, ${estimator} estimator${credible ? ', Bayesian interval' : ''}${assessment ? `. ${assessment}: ${ASSESSMENTS[assessment]}` : ''}.\n`,
    ...hints.map((hint) => `${hint}\n`),
  ].join('');
}
