import fc from 'fast-check';

/**
 * Property tests generate the same cases on every run. `PROPERTY_RUNS=3000` generates that many from a random seed, to
 * find further cases.
 */
const runs = Number(process.env.PROPERTY_RUNS ?? 0);
fc.configureGlobal(runs > 0 ? { numRuns: runs } : { seed: 20_251_103 });
