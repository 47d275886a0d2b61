import { describe, expect, it } from 'vitest';
import { round } from '../../src/core/scale.ts';
import { consistency } from '../../src/metrics/session/agent-consistency.ts';
import { reliability } from '../../src/metrics/session/agent-reliability.ts';
import { DEFAULT_WEIGHTS, type TurnSignals } from '../../src/metrics/session/signals.ts';
import { jaccard, STOP_WORDS, wordSet } from '../../src/metrics/shared/text.ts';
import cases from './data/pandaprobe.json' with { type: 'json' };

// Source: chirpz-ai/pandaprobe b8e6b24; the cases were obtained by running the reference.

describe.each(cases.session)('session: $name', ({ signals, weights, ...expected }) => {
  const turns: readonly TurnSignals[] = signals;
  const weighing = { ...DEFAULT_WEIGHTS, ...weights };

  it('agent_reliability', () => {
    const { score, reason, details } = reliability(turns, weighing);
    const actual = {
      score: round(score),
      reason,
      raw_risk: details && round(details.rawRisk),
      flagged: details?.flagged ?? [],
      aggregation: details && {
        method: 'max_compose_top_k',
        top_k_percentile: 0.15,
        ensemble_weight: 0.1,
        mean_top_k_risk: round(details.meanTopRisk),
        max_risk: round(details.maxRisk),
      },
      traces_evaluated: details?.risks.length ?? null,
    };
    expect(actual).toMatchObject(expected.agent_reliability);
  });

  it('agent_consistency', () => {
    const { score, reason, details } = consistency(turns, weighing);
    const actual = {
      score: round(score),
      reason,
      raw_instability: details && round(details.rawInstability),
      traces_evaluated: details?.uncertainties.length ?? null,
    };
    expect(actual).toMatchObject(expected.agent_consistency);
  });
});

it.each(cases.tokenize)('tokenize: $text', ({ text, tokens }) => {
  expect([...wordSet(text)].sort()).toEqual(tokens);
});

it.each(cases.jaccard)('jaccard: $a | $b', ({ a, b, jaccard: expected }) => {
  expect(round(jaccard(wordSet(a), wordSet(b)))).toBe(expected);
});

it('stop words', () => {
  expect([...STOP_WORDS].sort()).toEqual([...cases.stop_words].sort());
});
