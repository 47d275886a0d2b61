import type { Session, Step, Tool, ToolStep, Turn } from '../../src/core/session.ts';
import { type Random, seeded, text } from './generate.ts';

/** Sessions for the rules, made in memory: every kind of step, figures that come again, failures, repetitions. */
export type Variety = (typeof VARIETIES)[number];

export const VARIETIES = [
  'ordinary',
  // Hostile: what compares a thing with all that are like it, or unlike it, takes long with these.
  'every turn the same',
  'every turn different',
  'all calls in one turn',
] as const;

/** A session of so many turns, or of as many calls as they would have. */
export function sessionOf(turns: number, variety: Variety): Session {
  const made = Array.from({ length: turns }, (_, index) => turnOf(index, variety));
  const [first] = made;
  const whole = variety === 'all calls in one turn' && first;
  return around(whole ? [{ ...first, steps: made.flatMap(({ steps }) => steps) }] : made);
}

/** A session of one turn, every text of which is one piece over and over, up to so many letters. */
export function sessionOfText(piece: string, letters: number): Session {
  const long = piece.repeat(Math.ceil(letters / piece.length));
  const [turn] = sessionOf(1, 'ordinary').turns;
  const steps: Step[] = [
    { ...callOf('get_order', { id: long }, '/turns/0/steps/0'), result: { note: long }, outcome: 'ok' },
    { ...callOf('refund_order', { id: 'A-1', reason: long }, '/turns/0/steps/1'), error: long, outcome: 'error' },
    { ...callOf('refund_order', long, '/turns/0/steps/2'), result: long, outcome: 'ok' },
  ];
  return around(turn ? [{ ...turn, input: long, output: long, steps }] : []);
}

function around(turns: readonly Turn[]): Session {
  return {
    id: 'generated',
    source: { file: 'generated.json', format: 'turnwise', pointer: '' },
    system: 'Before a change you list its details and get the explicit consent of the user.',
    tools: TOOLS,
    turns,
  };
}

const TOOLS: readonly Tool[] = ['get_order', 'search_orders', 'refund_order', 'send_message', 'run_report'].map(
  (name) => ({
    name,
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string' }, amount: { type: 'number' }, reason: { type: 'string' } },
      required: ['id'],
    },
  }),
);

function turnOf(index: number, variety: Variety): Turn {
  const unlike = variety === 'every turn different';
  const number = variety === 'every turn the same' ? 0 : index;
  const random = seeded(number);
  // A session talks of the same few things, unless it is made to talk of others.
  const id = `A-${unlike ? 100_000 + number : 1000 + Math.floor(random() * 50)}`;
  const amount = unlike ? number + 0.25 : Math.floor(random() * 400) / 4;
  const name = (known: string) => (unlike ? `${known}_${number}` : known);
  const pointer = `/turns/${index}`;
  const order = {
    id,
    total: amount,
    ordered: `2026-03-${String(1 + (number % 28)).padStart(2, '0')}`,
    customer: text(random, 2),
    items: [{ sku: number % 97, note: text(random, 12) }],
  };
  const result = random() < 0.5 ? [] : [order];
  const failed = random() < 0.3;
  const calls: Step[] = [
    { ...callOf(name('get_order'), { id }, `${pointer}/steps/1`), result: order, outcome: 'ok' },
    {
      ...callOf(name('search_orders'), { id, reason: text(random, 2) }, `${pointer}/steps/2`),
      result,
      outcome: 'ok',
    },
    {
      ...callOf(name('refund_order'), { id, amount, reason: text(random, 4) }, `${pointer}/steps/3`),
      ...(failed
        ? { error: `amount exceeds order total ${amount}`, outcome: 'error' as const }
        : { result: JSON.stringify({ id, refunded: amount }), outcome: 'ok' as const }),
    },
    {
      ...callOf(name('run_report'), { id }, `${pointer}/steps/4`),
      result: `Report on ${id}: ${text(random, 20)}`,
      outcome: 'ok',
    },
  ];
  const startedAt = timeOf(index * 60);
  return {
    id: `turn-${index}`,
    pointer,
    input: `Please refund $${amount} of my order ${id}. ${text(random, 8)}`,
    inputPointer: `${pointer}/input`,
    output: answerOf(random, id, amount, number),
    outputPointer: `${pointer}/output`,
    startedAt,
    endedAt: timeOf(index * 60 + 5 + random() * 4),
    steps: [
      {
        type: 'model',
        pointer: `${pointer}/steps/0`,
        text: text(random, 12),
        usage: { inputTokens: 2000 + Math.floor(random() * 500), outputTokens: 100 },
      },
      ...calls.slice(0, 1 + Math.floor(random() * 4)),
      { type: 'retrieval', pointer: `${pointer}/steps/5`, documents: [{ text: text(random, 30) }] },
    ],
  };
}

function answerOf(random: Random, id: string, amount: number, number: number): string {
  return [
    `Your refund of $${amount} for order ${id} was issued on March ${1 + (number % 28)}, 2026.`,
    `It will arrive in ${3 + Math.floor(random() * 4)} business days. ${text(random, 25)}`,
    random() < 0.2 ? 'Unfortunately I could not reach the warehouse; perhaps it is closed.' : 'Is there anything else?',
  ].join(' ');
}

function callOf(name: string, args: ToolStep['arguments'], pointer: string): Omit<ToolStep, 'outcome'> {
  return {
    type: 'tool',
    pointer,
    resultPointer: `${pointer}/result`,
    name,
    arguments: args,
    requestedBy: 'agent',
    startedAt: timeOf(0),
    endedAt: timeOf(1),
  };
}

function timeOf(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 1) + Math.round(seconds * 1000)).toISOString();
}
