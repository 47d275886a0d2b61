import { isLoopback } from '../core/loopback.ts';
import { MODEL_PROVIDERS } from '../core/model-providers.ts';
import type { ModelRole } from '../core/model-role.ts';
import { MODEL_SERVERS, type ModelServer } from '../core/model-servers.ts';

/** A server on this machine answers at once, or does not run. */
const PROBE_MS = 1_000;
/** Of a list of models. */
const MAX_BYTES = 1_000_000;

/** A server with a name, and its models for one use if it runs on this machine. */
export interface OfferedServer {
  readonly server: ModelServer;
  /** Null: it does not run on this machine, or was not asked. */
  readonly models: readonly string[] | null;
}

/** All servers with names. Those of this machine are asked for their models, at the same time; no other host is contacted. */
export function findServers(use: ModelRole): Promise<readonly OfferedServer[]> {
  return Promise.all(
    Object.values(MODEL_SERVERS).map(async (server) => ({
      server,
      models: isLocal(server) ? await fetchLocalModels(server, use).catch(() => null) : null,
    })),
  );
}

export function isLocal({ baseUrl }: Pick<ModelServer, 'baseUrl'>): boolean {
  return isLoopback(URL.parse(baseUrl)?.hostname ?? '');
}

async function fetchLocalModels({ provider, baseUrl }: ModelServer, use: ModelRole): Promise<readonly string[] | null> {
  const { path, parse } = MODEL_PROVIDERS[provider].modelList;
  const signal = AbortSignal.timeout(PROBE_MS);
  const response = await fetch(`${baseUrl}/${path}`, { signal, redirect: 'error' });
  return response.ok ? parse(await readJson(response), use) : null;
}

/** @throws Error where the response is too long, or is not JSON. */
async function readJson({ body }: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error('The response is too long.');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
