import { fileURLToPath } from 'node:url';
import { stopWatching, watchAgent } from '../../protocol/live.ts';
import { onRequest } from '../../protocol/rpc.ts';
import type { Feature } from '../context.ts';

/** Starts and stops to receive traces. */
export const liveRequests: Feature = ({ connection, live }) => {
  onRequest(connection, watchAgent, ({ project }) => live.start(fileURLToPath(project)));
  onRequest(connection, stopWatching, async () => {
    await live.stop();
    return {};
  });
  return {};
};
