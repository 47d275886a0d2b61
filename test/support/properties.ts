import fc from 'fast-check';

/**
 * Property tests draw the same cases each time, so that what passes here passes everywhere. `PROPERTY_RUNS=3000` draws
 * that many from a seed of their own, to look for what these do not reach.
 */
const runs = Number(process.env.PROPERTY_RUNS ?? 0);
fc.configureGlobal(runs > 0 ? { numRuns: runs } : { seed: 20_251_103 });
