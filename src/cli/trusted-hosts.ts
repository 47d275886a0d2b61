import { hostOf } from '../core/model-host.ts';
import type { Environment } from '../store/home.ts';
import { UsageError } from './usage-error.ts';

/** Hosts, separated by commas or spaces, that may get traces and keys. */
const VARIABLE = 'TURNWISE_TRUSTED_HOSTS';

/** The hosts that the environment trusts. @throws UsageError */
export function trustedInEnvironment(env: Environment): readonly string[] {
  const words = (env[VARIABLE] ?? '').split(/[\s,]+/).filter((word) => word !== '');
  return words.map((word) => parseHost(word, VARIABLE));
}

/** @param source of the text, for messages. @throws UsageError */
export function parseHost(text: string, source: string): string {
  const host = hostOf(text);
  if (host !== null) return host;
  throw new UsageError(
    `${source}: ${JSON.stringify(text)} is not a host. Write it as llm.example.com, localhost:8000 or http://10.0.0.5:8000.`,
  );
}
