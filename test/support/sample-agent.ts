import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const SERVER = join(import.meta.dirname, '..', '..', 'samples', 'agent', 'server.mjs');

/** Starts the example agent of `samples/agent`, at a free port. */
export async function startSampleAgent(): Promise<AsyncDisposable & { readonly endpoint: string }> {
  const child = spawn(process.execPath, [SERVER], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const endpoint = /http:\S+/.exec(String(line))?.[0] ?? '';
  return {
    endpoint,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}
