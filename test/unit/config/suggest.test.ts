import { describe, expect, it } from 'vitest';
import { didYouMean } from '../../../src/config/suggest.ts';

const NAMES = ['coherence', 'conversation_coherence', 'loop_detection', 'k', 'json'];

describe('didYouMean', () => {
  it.each([
    ['cohrence', 'coherence'],
    ['Coherence', 'coherence'],
    ['loop-detection', 'loop_detection'],
    ['jsno', 'json'],
    ['conversation_coherense', 'conversation_coherence'],
  ])('%s: %s', (word, meant) => expect(didYouMean(word, NAMES)).toBe(` Did you mean "${meant}"?`));

  it.each(['nonsense', '', 'xyz', 'x'.repeat(1_000_000)])('suggests nothing for unrelated words: %#', (word) => {
    expect(didYouMean(word, ['coherence', 'loop_detection'])).toBe('');
  });
});
