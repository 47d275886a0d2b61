import { describe, expect, it } from 'vitest';
import { meetsThreshold } from '../../src/core/scoring.ts';
import type { ToolStep } from '../../src/core/session.ts';
import { passAtK } from '../../src/metrics/attempts/pass-at-k.ts';
import { agenticTools } from '../../src/metrics/reference/agentic-tools.ts';
import { evaluateTurn, toolCall } from '../unit/metrics/calls.ts';
// Facts about alquimia-ai/fair-forge 1b33a99 (v3.0.0, MIT), obtained by running it.
import cases from './data/fair-forge.json';

interface Tool {
  readonly tool_name: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly step?: number;
}

const callOf = ({ tool_name, parameters = {}, step }: Tool): ToolStep => toolCall(tool_name, parameters, { step });

describe('Fair Forge: tool correctness in compat mode', () => {
  it.each(cases.tool_correctness)(
    '$name',
    ({ agentic, ground_truth_agentic, tool_weights, tool_threshold, expected }) => {
      const used: readonly Tool[] = agentic.tools_used;
      const expectedTools: readonly Tool[] = ground_truth_agentic.expected_tools;
      const { is_correct, ...figures } = expected;
      const { metadata, status, score } = evaluateTurn(
        { ...agenticTools, threshold: tool_threshold },
        {
          steps: used.map(callOf),
          reference: {
            toolCalls: expectedTools.map(({ tool_name: name, parameters, step }) => ({
              name,
              arguments: parameters,
              step,
            })),
            orderMatters: ground_truth_agentic.tool_sequence_matters,
            usesToolResults: agentic.final_answer_uses_tools,
          },
        },
        { compat: 'fair-forge', weights: tool_weights },
      );
      for (const [name, figure] of Object.entries(figures)) expect(metadata[name], name).toBeCloseTo(figure, 6);

      // Without tools, both scores are null.
      expect(status).toBe(used.length === 0 ? 'not_applicable' : 'scored');
      if (status === 'not_applicable') {
        expect(meetsThreshold(Number(metadata.overall_correctness), tool_threshold)).toBe(is_correct);
      } else {
        expect(metadata.is_correct).toBe(is_correct);
        expect(score).toBeCloseTo(expected.overall_correctness, 6);
      }
    },
  );
});

describe('Fair Forge: pass@k and pass^k', () => {
  it.each(cases.pass_k)('plug-in, $c of $n, k = $k', ({ n, c, k, pass_at_k, pass_pow_k }) => {
    const estimate = passAtK({ n, c, k, estimator: 'plug-in' });
    expect(estimate.passAtK).toBeCloseTo(pass_at_k, 10);
    expect(estimate.passPowK).toBeCloseTo(pass_pow_k, 10);
    expect([estimate.passAtKCi, estimate.passPowKCi]).toEqual([null, null]);
  });

  it.each(cases.bayesian)('bayesian, $c of $n, k = $k', ({ n, c, k, ci, closed_form }) => {
    const estimate = passAtK({ n, c, k, ci, estimator: 'bayesian' });
    const expected = [
      closed_form.pass_at_k,
      ...closed_form.pass_at_k_ci,
      closed_form.pass_pow_k,
      ...closed_form.pass_pow_k_ci,
    ];
    const actual = [estimate.passAtK, ...(estimate.passAtKCi ?? []), estimate.passPowK, ...(estimate.passPowKCi ?? [])];
    expect(actual).toEqual(expected.map((figure) => expect.closeTo(figure, 9)));
  });
});
