import { describe, expect, it } from 'vitest';
import { contentHash, EMPTY_SIDECAR_HASH } from '../../../../src/server/disk/content-hash.ts';
import { EvaluatedFile } from '../../../../src/server/results/evaluated-file.ts';

const hash = (value: unknown, path = '/t/a.turnwise.json') =>
  contentHash(path, new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)));

const feedback = [{ value: 'up' }];

describe('the hash of a sidecar', () => {
  it('does not depend on feedback', () => {
    const plain = { goal: 'g', turns: [{ index: 1, labels: { a: 1 } }], sessions: [{ id: 's', goal: 'h' }] };
    const with_ = {
      ...plain,
      feedback,
      turns: [...plain.turns, { index: 2, feedback }],
      sessions: [{ id: 's', goal: 'h', feedback, turns: [{ id: 't', feedback }] }],
    };
    expect(hash(with_)).toBe(hash(plain));
    expect(hash({ ...with_, goal: 'other' })).not.toBe(hash(plain));
    expect(hash({ ...plain, turns: [{ index: 1, labels: { a: 0 } }] })).not.toBe(hash(plain));
  });

  it('is that of no sidecar where it has nothing else', () => {
    expect(hash({ turns: [{ index: 1, feedback }] })).toBe(EMPTY_SIDECAR_HASH);
    expect(hash({})).toBe(EMPTY_SIDECAR_HASH);
    const file = new EvaluatedFile('/t/a.json', { hash: 'h', size: 1, modified: null, at: 0 });
    expect(file.updateInputHash('/t/a.turnwise.json', EMPTY_SIDECAR_HASH)).toBe(false);
    expect(file.state).toBe('fresh');
    expect(file.updateInputHash('/t/a.turnwise.json', hash({ goal: 'g' }))).toBe(true);
    expect(file.state).toBe('stale');
  });

  it('is that of all bytes where it is broken or not a sidecar', () => {
    expect(hash('{ "turns": [')).not.toBe(hash('{ "turns": [ '));
    expect(hash({ feedback }, '/t/a.json')).not.toBe(hash({}, '/t/a.json'));
    expect(hash({ turnwise: 1, feedback })).not.toBe(hash({ turnwise: 1 }));
  });
});
