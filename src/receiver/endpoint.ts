import { join } from 'node:path';
import { nodeFileSystem } from '../input/node-file-system.ts';

/** The variables for exporters, in a file beside the traces, so that other windows and shells find the port. */
export const ENDPOINT_FILE = 'endpoint.env';

export function endpointLine(port: number): string {
  return `OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${port}`;
}

/** Null while no process receives. */
export async function readEndpoint(folder: string): Promise<string | null> {
  const bytes = await nodeFileSystem.read(join(folder, ENDPOINT_FILE)).catch(() => null);
  const text = bytes ? new TextDecoder().decode(bytes) : '';
  return /^OTEL_EXPORTER_OTLP_ENDPOINT=http:\/\/127\.0\.0\.1:\d{1,5}(?=\n)/.exec(text)?.[0] ?? null;
}
