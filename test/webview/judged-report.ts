import { join } from 'node:path';
import { evaluateFiles } from '../../src/app/evaluate-files.ts';
import { sampleFromSchema } from '../../src/app/sample-from-schema.ts';
import type { ConfigurationInput } from '../../src/config/schema.ts';
import { get, getObject, isObject } from '../../src/core/json.ts';
import type { Turn } from '../../src/core/session.ts';
import { METRICS } from '../../src/metrics/index.ts';
import { pinShownIds } from '../support/shown-ids.ts';
import { answer, type Script, type StubRequest, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { recordReport } from './evaluated-report.ts';
import type { Parts } from './recording.ts';

/** A session with many problems, and references for every metric that compares. */
const TRACE = {
  turnwise: 1,
  sessions: [
    {
      id: 'refund-torn-bags',
      goal: 'Get the two torn bags refunded.',
      system: 'You are the refund assistant of Copperleaf Coffee. A refund may never exceed what was paid.',
      knowledge: ['Card refunds show up within three to five working days.'],
      tools: [{ name: 'get_order' }, { name: 'refund_order', changesState: true }],
      turns: [
        {
          input: 'Two bags in order CL-20917 arrived torn. I would like my money back for them.',
          output: 'The two bags come to 37.00 EUR. Shall I refund them to the card you paid with?',
          steps: [
            { type: 'model', reasoning: 'Plan: 1. look the order up. 2. add the torn bags up. 3. ask before paying.' },
            {
              type: 'tool',
              name: 'get_order',
              arguments: { order_id: 'CL-20917' },
              result: { paid: '42.50 EUR', lines: [{ sku: 'ESP-1KG', quantity: 2, price: '18.50 EUR' }] },
            },
          ],
          reference: {
            response: 'The two bags cost 37.00 EUR. May I refund them?',
            toolCalls: [{ name: 'get_order', arguments: { order_id: 'CL-20917' } }],
            documents: ['faq-7'],
          },
        },
        {
          input: 'Yes please, to the same card.',
          output: 'Your refund of 37.00 EUR has been issued to the card ending in 8812.',
          steps: [
            {
              type: 'tool',
              name: 'refund_order',
              arguments: { order_id: 'CL-20917', amount: 370 },
              error: 'amount 370.00 EUR exceeds the 42.50 EUR paid',
            },
            { type: 'tool', name: 'pay_out', arguments: { amount: 37 }, error: 'There is no tool pay_out.' },
          ],
          reference: {
            response: 'The refund of 37.00 EUR is on its way.',
            toolCalls: [{ name: 'refund_order', arguments: { order_id: 'CL-20917', amount: 37 } }],
          },
        },
        {
          input: 'How long does it take until I see it?',
          output: 'Card refunds usually show up within two weeks.',
          steps: [
            {
              type: 'retrieval',
              query: 'refund time',
              documents: [{ id: 'faq-7', text: 'Card refunds show up within three to five working days.', score: 0.9 }],
            },
            {
              type: 'agent',
              name: 'faq',
              turns: [{ input: 'How long do refunds take?', output: 'Up to five working days.', steps: [] }],
            },
          ],
          reference: { response: 'Within three to five working days.', documents: ['faq-7'] },
        },
      ],
    },
  ],
} as const;

/** A configuration that enables every metric that uses a model. */
export const ALL_METRICS: ConfigurationInput = {
  metrics: Object.fromEntries(
    METRICS.filter(({ usesJudge: judged, optIn }) => judged || optIn).map(({ name }) => [name, optionsOf(name)]),
  ),
  custom: [
    { name: 'names_the_card', rubric: 'The answer names the card.', scale: 'binary', threshold: 1 },
    { name: 'mood', rubric: 'How does the agent sound?', scale: 'label', labels: ['warm', 'cold'] },
    { name: 'brevity', scale: 'unit', threshold: 0.5, evaluate: brevity },
    { name: 'keeps_promises', scope: 'session', rubric: 'It does what it said it would.' },
  ],
};

function optionsOf(name: string): Record<string, unknown> {
  const rubrics = [
    { id: 'amount', text: 'The answer names the amount.' },
    { id: 'polite', text: 'The answer is polite.' },
  ];
  if (name === 'agentic') return { enabled: true, k: 2 };
  return { enabled: true, ...(name.startsWith('rubric_based') ? { rubrics } : {}) };
}

function brevity({ output }: Pick<Turn, 'output'>) {
  return { score: (output ?? '').length < 75 ? 1 : 0.25, reason: 'Counted in characters.' };
}

/** Answers as a critical judge who cites false information in the last turn. */
const strictJudge: Script = (request) => {
  const answers = sampleFromSchema(pinShownIds(request.schema ?? {}, request.prompt));
  if (!isObject(answers)) return undefined;
  const { tool_correctness: tools } = answers;
  const better = isObject(tools) ? { tool_correctness: { ...tools, score: 0.9 } } : {};
  return answer({ ...answers, ...better, ...answerWithProblems(request) });
};

/** The behavior failures, if the prompt asks for them. */
function answerWithProblems({ prompt, schema }: StubRequest): object {
  const turn = /about turn (\d+)/.exec(prompt.slice(prompt.lastIndexOf('about turn ')))?.[1];
  const properties = getObject(schema, 'properties') ?? {};
  const asksFailures = get(properties, 'agent_behavior_failure') !== undefined;
  if (!asksFailures) return {};
  const failures =
    turn === '3'
      ? [
          {
            evidence: ['t3.answer'],
            reason: 'The answer says “within two weeks”, and the knowledge says three to five working days.',
            label: 'false information',
            severity: 'critical',
          },
        ]
      : [];
  return { agent_behavior_failure: { failures } };
}

/** The server's responses for the session after a judged evaluation. */
export async function judgedReport(
  configuration: ConfigurationInput = ALL_METRICS,
  script: Script = strictJudge,
): Promise<Parts> {
  await using stub = await startStubModels(script);
  await using folder = await temporaryFolder({ 'refunds.trace.json': JSON.stringify(TRACE, null, 1) });
  const judge = { provider: 'openai', model: 'judge-1', baseUrl: stub.openai, ...configuration.judge } as const;
  const env = { TURNWISE_HOME: join(folder.path, 'home') };
  return await recordReport(join(folder.path, 'refunds.trace.json'), (paths, _, options) =>
    evaluateFiles(paths, { ...configuration, judge }, { ...options, env, cache: false }),
  );
}
