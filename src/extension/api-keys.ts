import type * as vscode from 'vscode';
import * as z from 'zod/mini';
import { createMutex } from '../core/async/mutex.ts';

/** All keys are stored under one name, since the storage cannot list its entries. */
const SECRET = 'turnwise.keys';

const entries = z.array(z.tuple([z.string(), z.string()]));

/** API keys by host, in the editor's secret storage. */
export class ApiKeys {
  readonly #secrets: Pick<vscode.SecretStorage, 'get' | 'store' | 'delete'>;
  /** Serializes changes: each one reads and then writes. */
  readonly #exclusively = createMutex();

  constructor(secrets: Pick<vscode.SecretStorage, 'get' | 'store' | 'delete'>) {
    this.#secrets = secrets;
  }

  /** Null when there is none. */
  async get(host: string): Promise<string | null> {
    return (await this.#read()).get(host) ?? null;
  }

  async hosts(): Promise<readonly string[]> {
    return [...(await this.#read()).keys()].sort();
  }

  async set(host: string, key: string): Promise<void> {
    await this.#change((keys) => keys.set(host, key));
  }

  async delete(hosts: readonly string[]): Promise<void> {
    await this.#change((keys) => {
      for (const host of hosts) keys.delete(host);
    });
  }

  #change(change: (keys: Map<string, string>) => unknown): Promise<void> {
    return this.#exclusively(async () => {
      const keys = await this.#read();
      change(keys);
      if (keys.size === 0) await this.#secrets.delete(SECRET);
      else await this.#secrets.store(SECRET, JSON.stringify([...keys]));
    });
  }

  async #read(): Promise<Map<string, string>> {
    const { success, data } = z.safeParse(entries, parseJson(await this.#secrets.get(SECRET)));
    return new Map(success ? data : []);
  }
}

/** Damaged entries count as empty; an error message could leak a key. */
function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '[]');
  } catch {
    return undefined;
  }
}
