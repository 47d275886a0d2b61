/**
 * `npm run bench:until-decided`: how many attempts a scenario takes until its gate is decided, and how often the answer is wrong,
 * against a fixed number of attempts. Writes the figures into `docs/benchmarks.md`.
 */
import { join } from 'node:path';
import { replaceSection } from '../compare/document-section.ts';
import { percent, table } from '../validity/markdown.ts';
import { equallyExactNumber, type RateGate, simulateSequential, tellingRates } from './simulate.ts';

const LIMITS = [5, 10, 20, 30, 50, 100];
const SHARES = [0.5, 0.8, 0.9, 1];
const SCENARIOS = 20_000;

const rows = LIMITS.flatMap((limit) => SHARES.map((share) => measure({ limit, share })));
const text = [
  `${SCENARIOS.toLocaleString('en')} simulated scenarios per figure, with fixed seeds. "Low" and "high" are the rates of success at which`,
  'the fixed number of attempts errs in 5 % of cases. "As exact" is the smallest fixed number that errs as rarely at both rates as the',
  'sequential test does; the shares are of that number. "Any rate": agents whose rate is anything between 0 and 1, as likely.',
  '',
  table(
    [
      'attempts at most',
      'gate',
      'low – high',
      'passes at low, fails at high',
      'as exact',
      'attempts at low',
      'at high',
      'mean of both',
      'at the gate',
      'any rate',
      'rounds',
    ],
    ...rows,
  ),
].join('\n');
await replaceSection(join(import.meta.dirname, '../../../docs/benchmarks.md'), 'until-decided', text);
console.log(text);

function measure(gate: RateGate): string[] {
  const rates = tellingRates(gate);
  const [low, high, atGate] = [rates.low, rates.high, gate.share].map((rate, index) =>
    simulateSequential(gate, rate, SCENARIOS, index + 1),
  );
  if (!low || !high || !atGate) throw new Error('A rate is missing.');
  const errors = { passedAtLow: low.passed, failedAtHigh: 1 - high.passed };
  const fixed = equallyExactNumber(gate.limit, rates, errors);
  const anyRate = Array.from({ length: 100 }, (_, index) =>
    simulateSequential(gate, (index + 0.5) / 100, SCENARIOS / 100, 100 + index),
  );
  const mean = anyRate.reduce((sum, { attempts }) => sum + attempts, 0) / anyRate.length;
  return [
    String(gate.limit),
    percent(gate.share),
    `${percent(rates.low)} – ${percent(rates.high)}`,
    `${percent(errors.passedAtLow, 1)}, ${percent(errors.failedAtHigh, 1)}`,
    String(fixed),
    percent(low.attempts / fixed),
    percent(high.attempts / fixed),
    percent((low.attempts + high.attempts) / (2 * fixed)),
    percent(atGate.attempts / fixed),
    percent(mean / fixed),
    `${low.rounds.toFixed(1)}, ${high.rounds.toFixed(1)}`,
  ];
}
