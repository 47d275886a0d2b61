/** Only sends bodies that were sent before: `node bare-client.ts JSON` prints what that costs as JSON. */
import { readFileSync } from 'node:fs';
import { mapConcurrent } from '../../src/core/async/concurrency.ts';
import type { StubRequest } from '../support/stub-models.ts';

export interface BareClientOptions {
  /** Of the OpenAI-compatible server. */
  readonly baseUrl: string;
  /** A JSON file with a list of what is sent. */
  readonly bodies: string;
  readonly concurrency: number;
}

export interface BareClientFigures {
  readonly milliseconds: number;
  /** CPU time on the main thread. */
  readonly cpuMilliseconds: number;
}

const { baseUrl, bodies, concurrency }: BareClientOptions = JSON.parse(process.argv[2] ?? '');
const all: StubRequest['body'][] = JSON.parse(readFileSync(bodies, 'utf8'));

await send(all.slice(0, 1));
const started = performance.now();
const cpu = process.threadCpuUsage();
await send(all);
const { user, system } = process.threadCpuUsage(cpu);
const figures: BareClientFigures = {
  milliseconds: performance.now() - started,
  cpuMilliseconds: (user + system) / 1000,
};
console.log(JSON.stringify(figures));

async function send(list: readonly unknown[]): Promise<void> {
  await mapConcurrent(list, concurrency, async (body) => {
    const response = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`The server answered ${response.status}.`);
    await response.json();
  });
}
