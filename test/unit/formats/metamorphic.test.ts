import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluateFiles } from '../../../src/app/evaluate-files.ts';
import { agentToolCalls, type Session } from '../../../src/core/session.ts';

/**
 * One conversation, recorded by real SDKs: an order is refunded after a wrong amount, a repeated look-up and a tool that
 * does not exist. `fixtures/sdk-generated/GROUND_TRUTH.md` says what happened, and what each serialisation cannot show.
 */
const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures', 'sdk-generated');

interface Shown {
  readonly turns: readonly (readonly [input: string | null, output: string | null])[];
  /** Tool and outcome of the calls of the first turn. */
  readonly calls: readonly string[];
  readonly findings: readonly string[];
}

const ASKED = 'Please refund order A-1001.';
const REFUNDED = 'Your refund of $42.50 for order A-1001 was issued.';
const SECOND = ['Thanks. When will I see the money?', 'Usually within 5 business days.'] as const;

const WHOLE: Shown = {
  turns: [[ASKED, REFUNDED], SECOND],
  calls: ['get_order ok', 'refund_order error', 'get_order ok', 'cancel_order error', 'refund_order ok'],
  findings: ['repeated-call', 'ungrounded-argument'],
};

/** The tool that does not exist has no span: it was requested, and nothing executed it. */
const UNEXECUTED = WHOLE.calls.map((call) => (call === 'cancel_order error' ? 'cancel_order missing' : call));
/** Where the tools that were available are recorded too, the trace proves that it does not exist. */
const PROVEN = ['repeated-call', 'unknown-tool'];

const SERIALISATIONS: readonly (readonly [files: readonly string[], format: string, shown: Shown])[] = [
  [['langchain_stored_messages.json'], 'langchain', WHOLE],
  [['langgraph_js_lc_constructor.json'], 'langchain', WHOLE],
  [['langgraph_thread_state_plain.json'], 'langchain', WHOLE],
  [['vercel_ai_v5_modelmessages.json'], 'ai-sdk', WHOLE],
  [['vercel_ai_v5_uimessages.json'], 'ai-sdk', WHOLE],
  // No span or run shows the tool that does not exist; the next model was told what came of calling it.
  [
    ['vercel_ai_v5_otlp.json'],
    'otlp',
    { ...WHOLE, findings: ['repeated-call', 'ungrounded-argument', 'unknown-tool'] },
  ],
  [['openinference_langgraph_otlp.json'], 'otlp', WHOLE],
  [['langsmith_run_tree_turn1.json', 'langsmith_run_tree_turn2.json'], 'langsmith', WHOLE],
  // The first turn only.
  [['langsmith_runs_flat.json'], 'langsmith', { ...WHOLE, turns: [[ASKED, REFUNDED]] }],
  // An earlier recording of one turn, without the tool that does not exist.
  [
    ['openai_agents_js_history_items.json'],
    'openai-responses',
    {
      turns: [[ASKED, REFUNDED]],
      calls: ['get_order ok', 'refund_order error', 'get_order ok', 'refund_order ok'],
      findings: [],
    },
  ],
  // The run ends at the tool that does not exist, which only errors name, and no text is recorded.
  [
    ['openai_agents_js_trace.json'],
    'openai-agents',
    { turns: [[null, null]], calls: UNEXECUTED.slice(0, 4), findings: PROVEN },
  ],
  // Calls whose mock throws are not recorded by Agentest.
  [
    ['agentest_results.json'],
    'agentest',
    { ...WHOLE, calls: ['get_order ok', 'get_order ok', 'refund_order ok'], findings: ['repeated-call'] },
  ],
];

function shownBy(session: Session | undefined, findings: readonly string[]): Shown {
  const turns = session?.turns ?? [];
  return {
    turns: turns.map(({ input, output }) => [input, output] as const),
    calls: turns.flatMap((turn) => agentToolCalls(turn).map(({ name, outcome }) => `${name} ${outcome}`)),
    findings: [...new Set(findings)].sort(),
  };
}

describe('one conversation', () => {
  it.each(SERIALISATIONS)('in %j', async (files, format, shown) => {
    const evaluated = await evaluateFiles(files.map((file) => join(FIXTURES, file)));
    const { report, sessions } = evaluated;
    expect(report.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(new Set(evaluated.files.map((file) => file.format))).toEqual(new Set([format]));
    expect(sessions).toHaveLength(1);
    const rules = report.failures.flatMap(({ occurrences }) => occurrences.flatMap(({ rule }) => rule ?? []));
    expect(shownBy(sessions[0], rules)).toEqual(shown);
  });

  it('has the same scores in all formats that record the same', async () => {
    const whole = SERIALISATIONS.filter(([, , shown]) => shown.turns.length === 2);
    const scores = await Promise.all(
      whole.map(async ([files]) => {
        const { report } = await evaluateFiles(
          files.map((file) => join(FIXTURES, file)),
          { metrics: ['loop_detection', 'coherence'] },
        );
        return report.sessions.flatMap(({ turns }) =>
          turns.map(({ metrics }) => [metrics.loop_detection?.score, metrics.coherence?.score]),
        );
      }),
    );
    for (const other of scores) expect(other).toEqual(scores[0]);
  });
});
