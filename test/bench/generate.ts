import { closeSync, openSync, writeSync } from 'node:fs';

/** Chat traces as people have them, the same on every run: long policies, tool calls, results, text in many scripts. */

const TOOLS = ['get_order', 'get_user', 'refund_order', 'search_flights', 'update_reservation'].map((name) => ({
  type: 'function',
  function: {
    name,
    description: `Calls ${name} of the booking system and returns the record as JSON, or an error with its reason.`,
    parameters: {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'The id of the record, such as "A-1001".' },
        reason: { type: 'string', enum: ['customer request', 'defect', 'delay'] },
        amount: { type: 'number', description: 'In US dollars, not more than the total of the record.' },
      },
      required: ['id'],
      additionalProperties: false,
    },
  },
}));

const POLICY = `You are an agent of an airline. ${'Before a change you list its details and get the user’s explicit consent. '.repeat(25)}`;

const WORDS =
  'the flight order refund from Zürich to 東京 is delayed, so I’d like another one tomorrow morning if that’s possible, thanks 🙂'.split(
    ' ',
  );

/** A file of about so many bytes, one fine-tuning example per line. */
export function writeLines(path: string, bytes: number): void {
  write(path, bytes, { open: '', separator: '\n', close: '\n' }, (random) => JSON.stringify(conversation(random)));
}

/** A file of about so many bytes, one conversation of three turns per line, of about 2.9 kB each. */
export function writeShort(path: string, bytes: number): void {
  write(path, bytes, { open: '', separator: '\n', close: '\n' }, (random) => JSON.stringify(shortConversation(random)));
}

/** A file of about so many bytes, one array of conversations, as `json.dump(…, indent=1)` writes it. */
export function writeArray(path: string, bytes: number): void {
  write(path, bytes, { open: '[', separator: ',\n', close: ']' }, (random) =>
    JSON.stringify(conversation(random), null, 1),
  );
}

/** A file of about so many bytes, one conversation that does not end. */
export function writeLong(path: string, bytes: number): void {
  const tools = JSON.stringify(TOOLS);
  write(path, bytes, { open: `{"tools":${tools},"messages":[`, separator: ',', close: ']}' }, (random, number) =>
    exchange(random, number)
      .map((message) => JSON.stringify(message))
      .join(','),
  );
}

export type Random = () => number;

function conversation(random: Random): object {
  const turns = 2 + Math.floor(random() * 8);
  const messages = Array.from({ length: turns }, (_, number) => exchange(random, number)).flat();
  return { messages: [{ role: 'system', content: POLICY }, ...messages], tools: TOOLS };
}

function shortConversation(random: Random): object {
  const turns = Array.from({ length: 3 }, (_, number) => {
    const id = `call_${number}_${Math.floor(random() * 1e9)}`;
    const order = { id: `A-${Math.floor(random() * 1e5)}` };
    const call = { id, type: 'function', function: { name: 'get_order', arguments: JSON.stringify(order) } };
    const found = { ...order, status: 'confirmed', total: Math.round(random() * 1e5) / 100, note: text(random, 12) };
    return [
      { role: 'user', content: text(random, 15) },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: id, content: JSON.stringify(found) },
      {
        role: 'assistant',
        content: `Order ${order.id} is ${found.status}, for ${found.total} EUR. ${text(random, 20)}`,
      },
    ];
  });
  return { messages: [{ role: 'system', content: text(random, 60) }, ...turns.flat()] };
}

function exchange(random: Random, number: number): object[] {
  const messages: object[] = [{ role: 'user', content: text(random, 20) }];
  const calls = Math.floor(random() * 3);
  for (let call = 0; call < calls; call += 1) {
    const id = `call_${number}_${call}_${Math.floor(random() * 1e9)}`;
    const tool = TOOLS[Math.floor(random() * TOOLS.length)]?.function.name;
    const input = { id: `A-${Math.floor(random() * 1e5)}`, amount: Math.round(random() * 1e5) / 100 };
    const output = {
      ...input,
      status: 'confirmed',
      passengers: [text(random, 3), text(random, 3)],
      note: text(random, 30),
    };
    messages.push(
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: tool, arguments: JSON.stringify(input) } }],
      },
      { role: 'tool', tool_call_id: id, content: random() < 0.05 ? 'Error: no such record' : JSON.stringify(output) },
    );
  }
  messages.push({ role: 'assistant', content: text(random, 60) });
  return messages;
}

export function text(random: Random, words: number): string {
  return Array.from({ length: words }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');
}

interface Frame {
  readonly open: string;
  readonly separator: string;
  readonly close: string;
}

export function write(
  path: string,
  bytes: number,
  frame: Frame,
  next: (random: Random, number: number) => string,
): void {
  const random = seeded(20_260_101);
  const file = openSync(path, 'w');
  let written = writeSync(file, frame.open);
  for (let number = 0; written < bytes; number += 1) {
    written += writeSync(file, (number === 0 ? '' : frame.separator) + next(random, number));
  }
  writeSync(file, frame.close);
  closeSync(file);
}

/** A small seeded generator: a bench reads the same file on every machine. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
