import * as z from 'zod/mini';
import { LruCache } from '../../src/core/cache/lru-cache.ts';
import type { ValuePlace } from '../../src/protocol/report-page.ts';

/** Blocks that are kept unpacked. */
const CAPACITY = 40;

/** Reads the values in the page, each when it is first needed. */
export class PageData {
  readonly #blocks = new LruCache<number, Promise<readonly unknown[]>>(CAPACITY);
  readonly #ready = documentReady();

  /** @throws Error where the page is damaged */
  async value<Schema extends z.ZodMiniType>([block, at]: ValuePlace, schema: Schema): Promise<z.output<Schema>> {
    const known = this.#blocks.get(block) ?? this.#read(block);
    this.#blocks.set(block, known);
    return parse(schema, (await known)[at]);
  }

  /** The value of an element of its own. */
  async element<Schema extends z.ZodMiniType>(id: string, schema: Schema): Promise<z.output<Schema>> {
    return parse(schema, JSON.parse(await unpack(document.getElementById(id)?.textContent ?? '')));
  }

  async #read(block: number): Promise<readonly unknown[]> {
    const id = `block-${block}`;
    // A large page may not be loaded up to there.
    if (!document.getElementById(id)?.nextSibling) await this.#ready;
    return await this.element(id, z.array(z.unknown()));
  }
}

function documentReady(): Promise<void> {
  if (document.readyState !== 'loading') return Promise.resolve();
  return new Promise((resolve) => document.addEventListener('DOMContentLoaded', () => resolve(), { once: true }));
}

function parse<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> {
  const { success, data } = z.safeParse(schema, value);
  if (!success) throw new Error('This report is damaged. Write it again with turnwise report.');
  return data;
}

/** Reads what the report has as deflated text in base64. */
async function unpack(text: string): Promise<string> {
  const packed = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return await new Response(stream).text();
}
