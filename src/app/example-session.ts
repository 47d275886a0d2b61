import type { ModelStep, RetrievalStep, Session, ToolStep, Turn } from '../core/session.ts';

/**
 * An example session to which every judge question applies, in its second turn or as a whole: it has a goal, a policy,
 * knowledge, tools, failed and repeated calls, plans, citations, expected answers and findings. It is used to show prompts
 * and to measure their size, and is in no report.
 */
export const EXAMPLE_SESSION: Session = {
  id: 'example',
  source: { file: 'example.json', format: 'turnwise', pointer: '/sessions/0' },
  goal: 'Get the broken lamp of order A-1001 refunded, and know when the money arrives.',
  profile: 'A customer in a hurry, who writes in short sentences.',
  system: `You are the support agent of a furniture shop.
- Look an order up before you say anything about it.
- Tell the customer the amount and get a yes before you refund.
- Refunds above 200 EUR are for a supervisor: hand them over.
- Name the article that an answer rests on, as in [kb-12].`,
  knowledge: [
    '[kb-12] What arrives damaged is refunded in full within 30 days of delivery.',
    '[kb-31] A refund takes 3 to 5 working days to reach the account.',
  ],
  tools: [
    {
      name: 'get_order',
      description: 'Looks up an order: its items, its total and its delivery.',
      inputSchema: {
        type: 'object',
        properties: { order_id: { type: 'string' } },
        required: ['order_id'],
      },
    },
    {
      name: 'refund_order',
      description: 'Pays back an order, or a part of it, to the card it was paid with.',
      inputSchema: {
        type: 'object',
        properties: { order_id: { type: 'string' }, amount: { type: 'number', description: 'in EUR' } },
        required: ['order_id', 'amount'],
      },
      changesState: true,
    },
    {
      name: 'hand_over',
      description: 'Hands the customer over to a supervisor.',
      inputSchema: { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] },
    },
  ],
  reference: { goalReached: true, documents: ['kb-12', 'kb-31'] },
  turns: [
    turn(0, {
      input: 'The lamp of my order A-1001 came broken. I want my money back.',
      output:
        'I am sorry about the lamp. Order A-1001 was 42.50 EUR and was delivered on 3 March, and what arrives damaged is refunded in full within 30 days [kb-12]. Shall I refund 42.50 EUR to your card?',
      steps: [
        reasoningStep(
          0,
          0,
          'Plan: 1. look up order A-1001; 2. find the article on damage; 3. get a yes to the amount; 4. refund.',
        ),
        toolStep(0, 1, 'get_order', { order_id: 'A-1001' }, { total: 42.5, currency: 'EUR', delivered: '2026-03-03' }),
        retrievalStep(0, 2, 'damaged delivery', [
          { id: 'kb-12', text: 'What arrives damaged is refunded in full within 30 days of delivery.' },
        ]),
      ],
      reference: {
        response: 'What arrives damaged is refunded in full. Asks whether 42.50 EUR shall be refunded.',
        toolCalls: [{ name: 'get_order', arguments: { order_id: 'A-1001' } }],
      },
    }),
    turn(1, {
      input: 'Yes. When will I have it?',
      output:
        'I have refunded 42.50 EUR to your card, and you will have it within a week [kb-31]. We ship 1,200 lamps a month, and you can leave this one with your courier.',
      steps: [
        reasoningStep(
          1,
          0,
          'Plan: 1. refund order A-1001; 2. find out how long a refund takes; 3. tell the customer both.',
        ),
        failedToolStep(
          1,
          1,
          'refund_order',
          { order_id: 'A-1001', amount: 425 },
          'amount exceeds the order total of 42.50',
        ),
        failedToolStep(
          1,
          2,
          'refund_order',
          { order_id: 'A-1001', amount: 425 },
          'amount exceeds the order total of 42.50',
        ),
        toolStep(1, 3, 'refund_order', { order_id: 'A-1001', amount: 42.5 }, { ok: true, receipt: 'R-77' }),
        toolStep(1, 4, 'get_refund_time', { order_id: 'A-1001' }, { working_days: '3 to 5' }),
        retrievalStep(1, 5, 'how long does a refund take', [
          { id: 'kb-31', text: 'A refund takes 3 to 5 working days to reach the account.' },
        ]),
      ],
      reference: {
        response: '42.50 EUR were refunded and arrive within 3 to 5 working days.',
        toolCalls: [{ name: 'refund_order', arguments: { order_id: 'A-1001', amount: 42.5 } }],
      },
    }),
  ],
};

function turn(index: number, content: Pick<Turn, 'input' | 'output' | 'steps' | 'reference'>): Turn {
  const pointer = `/sessions/0/turns/${index}`;
  return {
    id: `t${index + 1}`,
    pointer,
    inputPointer: `${pointer}/input`,
    outputPointer: `${pointer}/output`,
    startedAt: `2026-03-05T10:0${index}:00Z`,
    endedAt: `2026-03-05T10:0${index}:08Z`,
    ...content,
  };
}

function stepPointer(turnIndex: number, index: number): string {
  return `/sessions/0/turns/${turnIndex}/steps/${index}`;
}

function reasoningStep(turnIndex: number, index: number, reasoning: string): ModelStep {
  return { type: 'model', pointer: stepPointer(turnIndex, index), reasoning };
}

type Arguments = Readonly<Record<string, unknown>>;

function toolStep(turnIndex: number, index: number, name: string, args: Arguments, result: unknown): ToolStep {
  const pointer = stepPointer(turnIndex, index);
  const resultPointer = `${pointer}/result`;
  return { type: 'tool', pointer, resultPointer, name, arguments: args, result, outcome: 'ok', requestedBy: 'agent' };
}

function failedToolStep(turnIndex: number, index: number, name: string, args: Arguments, error: string): ToolStep {
  const pointer = stepPointer(turnIndex, index);
  const resultPointer = `${pointer}/error`;
  return { type: 'tool', pointer, resultPointer, name, arguments: args, error, outcome: 'error', requestedBy: 'agent' };
}

function retrievalStep(
  turnIndex: number,
  index: number,
  query: string,
  documents: RetrievalStep['documents'],
): RetrievalStep {
  return { type: 'retrieval', pointer: stepPointer(turnIndex, index), query, documents };
}
