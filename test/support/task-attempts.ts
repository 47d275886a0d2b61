import { agent, cancelling, chat, LOOPING, UNKNOWN_TOOL, user } from './traces.ts';

/** What says of the files of `taskAttempts` which of them are attempts of one task. */
export const TASK_PATTERN = '(?<task>[a-zäé]+)-(?<trial>\\d+)';

/** As JSON Lines too, several sessions share a file. */
const order = (number: string, answer: string) => `${JSON.stringify(cancelling(number, answer), null, 1)}\n`;

/**
 * Traces of tasks with several attempts: some of which differ from all others in what they changed, call tools that do not exist,
 * repeat themselves or have no content; and of sessions that belong to no task.
 */
export function taskAttempts(): Readonly<Record<string, string>> {
  return {
    'runs/cancel-1.json': order('A-1', 'Done.'),
    'runs/cancel-2.json': order('A-1', 'It is cancelled.'),
    'runs/cancel-3.json': order('A-1', 'I cancelled it.'),
    'runs/cancel-4.json': order('B-2', 'Your order is cancelled.'),
    'runs/cancel-10.json': order('A-1', 'Cancelled.'),
    'runs/élan-1.json': UNKNOWN_TOOL,
    'runs/élan-2.json': LOOPING,
    'runs/äther-1.json': LOOPING,
    'runs/äther-2.json': chat(user('Please refund order A-1001.'), agent('')),
    'runs/zebra-1.json': chat(user('Please refund order A-1001.'), agent('The refund of 42.50 EUR was issued today.')),
    'runs/zebra-2.json': UNKNOWN_TOOL,
    'runs/notes.jsonl': [UNKNOWN_TOOL, LOOPING, UNKNOWN_TOOL]
      .map((text) => `${JSON.stringify(JSON.parse(text))}\n`)
      .join(''),
  };
}
