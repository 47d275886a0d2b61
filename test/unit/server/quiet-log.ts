import type { Log } from '../../../src/server/evaluating/run-log.ts';

/** Nobody reads it. */
export const QUIET_LOG: Log = { info: () => {}, warn: () => {}, error: () => {} };
