import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ValuePlace } from '../../../../src/protocol/report-page.ts';
import { PageBlocks } from '../../../../src/reports/html/page-blocks.ts';

/** Texts that compression does not make smaller. */
function noise(seed: number, length = 60_000): string {
  let state = seed + 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(33 + (state % 90));
  }).join('');
}

function fill(limit: number, sessions: readonly (readonly [key: string, isOptional: boolean])[]) {
  const blocks = new PageBlocks(limit);
  const places = new Map<string, ValuePlace>();
  for (const [at, [key, isOptional]] of sessions.entries()) {
    places.set(
      key,
      blocks.session(key, isOptional, (store) => store({ key, text: noise(at) })),
    );
  }
  const written = new Map(blocks.finish().map(({ number, text }) => [number, text]));
  const read = (key: string): unknown => {
    const [block, at] = places.get(key) ?? [-1, -1];
    const text = written.get(block);
    return text && JSON.parse(inflateRawSync(Buffer.from(text, 'base64')).toString())[at];
  };
  return { dropped: blocks.dropped, read };
}

/** In parts, so that no scanner takes it for a secret of ours. */
const TOKEN = ['ghp_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ', '0mLq17'].join('');

const SESSIONS = Array.from({ length: 40 }, (_, at) => [`session ${at}`, at % 4 !== 0] as const);

describe('PageBlocks', () => {
  it('has every value where it says, as long as there is room', () => {
    const { dropped, read } = fill(40_000_000, SESSIONS);
    expect(dropped.size).toBe(0);
    for (const [key] of SESSIONS) expect(read(key)).toMatchObject({ key });
  });

  it('drops sessions that it may drop where there is too much, the same ones each time', () => {
    const { dropped, read } = fill(1_500_000, SESSIONS);
    expect(dropped.size).toBeGreaterThan(0);
    for (const [key, isOptional] of SESSIONS) {
      if (!isOptional) expect(dropped.has(key)).toBe(false);
      if (dropped.has(key)) expect(read(key)).toBeUndefined();
      else expect(read(key)).toMatchObject({ key });
    }
    expect(dropped.size).toBeLessThan(SESSIONS.filter(([, isOptional]) => isOptional).length);
    expect([...fill(1_500_000, SESSIONS).dropped]).toEqual([...dropped]);
  });

  it('keeps all that it must keep, even if that is too much', () => {
    const { dropped, read } = fill(1000, SESSIONS);
    expect(dropped.size).toBe(30);
    for (const [key, isOptional] of SESSIONS) if (!isOptional) expect(read(key)).toMatchObject({ key });
  });

  it('has no secrets', () => {
    const blocks = new PageBlocks(1e6);
    blocks.session('a', false, (store) => store({ text: `key ${TOKEN}` }));
    const [block] = blocks.finish();
    expect(inflateRawSync(Buffer.from(block?.text ?? '', 'base64')).toString()).not.toContain(TOKEN);
  });
});
