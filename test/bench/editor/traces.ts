import { writeFileSync } from 'node:fs';
import { type Random, seeded, text } from '../generate.ts';
import { TOOL } from './names.ts';

const TOOLS = [
  {
    type: 'function',
    function: {
      name: TOOL,
      description: 'Reads a record.',
      parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    },
  },
];

/** A file with one session of so many turns, as `json.dump(…, indent=1)` writes it; little is wrong with it. */
export function writeSession(path: string, turns: number): void {
  const random = seeded(20_260_102);
  const messages = Array.from({ length: turns }, (_, turn) => exchange(random, turn)).flat();
  writeFileSync(path, JSON.stringify({ tools: TOOLS, messages }, null, 1));
}

function exchange(random: Random, turn: number): object[] {
  const id = `R-${1000 + turn}`;
  const call = { id: `call_${turn}`, type: 'function', function: { name: TOOL, arguments: JSON.stringify({ id }) } };
  return [
    { role: 'user', content: `What is in record ${id}? ${text(random, 15)}` },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: call.id, content: JSON.stringify({ id, note: text(random, 30) }) },
    { role: 'assistant', content: `Record ${id}: ${text(random, 50)}` },
  ];
}
