import type { Logger } from '../../../src/server/evaluation/run-log.ts';

/** Nobody reads it. */
export const QUIET_LOG: Logger = { info: () => {}, warn: () => {}, error: () => {} };
