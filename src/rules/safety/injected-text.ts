import { parseJson } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import { findInjection } from '../dialogue-en/phrases.ts';
import type { RuleView } from '../rule-view.ts';
import { stringsIn } from '../shared/json-strings.ts';

/** How much of a text belongs to orders that nothing ends. */
const REACH = 600;
/** How far the end of a block is looked for. */
const MAX_BLOCK = 4000;
const MAX_TEXTS = 20;
/** How much text of orders is compared with each call. */
const MAX_ORDERS = 20_000;

/** Orders in a tool result or document. */
export interface InjectedText {
  readonly turn: number;
  readonly pointer: Pointer;
  /** The name of the tool; null for a retrieved document. */
  readonly tool: string | null;
  /** How many calls had been made when the agent read it. */
  readonly after: number;
  /** The first orders, as they are written. */
  readonly text: string;
  /** All orders of the result, with single spaces. */
  readonly orders: string;
  readonly ordersInLowerCase: string;
  /** The rest of the result, in lower case. */
  readonly outside: string;
  readonly overrides: boolean;
  readonly read: boolean;
}

type Location = Pick<InjectedText, 'turn' | 'after' | 'read' | 'tool' | 'pointer'>;

/** The first results and documents of a session that give orders to the agent. */
export function findInjectedTexts({ session, calls }: RuleView): InjectedText[] {
  const texts: InjectedText[] = [];
  let length = 0;
  const add = (content: unknown, location: Location) => {
    const found = injectedTextIn(content, location);
    if (!found) return;
    texts.push(found);
    length += found.orders.length;
  };
  let after = 0;
  for (const [turn, { steps }] of session.turns.entries()) {
    for (const step of steps) {
      if (texts.length === MAX_TEXTS || length >= MAX_ORDERS) return texts;
      if (step.type === 'tool' && step.requestedBy === 'agent') {
        const read = calls[after]?.effect === 'reads';
        after += 1;
        const pointer = step.resultPointer ?? step.pointer;
        add([step.result, step.error], { turn, after, read, tool: step.name, pointer });
      } else if (step.type === 'retrieval') {
        add(step.documents, { turn, after, read: true, tool: null, pointer: step.pointer });
      }
    }
  }
  return texts;
}

function injectedTextIn(content: unknown, location: Location): InjectedText | null {
  const blocks: Block[] = [];
  const outside: string[] = [];
  collectBlocks(content, blocks, outside);
  const [first] = blocks;
  if (!first) return null;
  // Copies of the same orders in many places of a result count once.
  const orders = [...new Set(blocks.map(({ text }) => singleSpaced(text)))].join('\n').slice(0, MAX_ORDERS);
  return {
    ...location,
    text: first.text,
    orders,
    ordersInLowerCase: orders.toLowerCase(),
    outside: outside.join('\n').toLowerCase(),
    overrides: blocks.some(({ overrides }) => overrides),
  };
}

interface Block {
  readonly text: string;
  readonly overrides: boolean;
}

function collectBlocks(content: unknown, blocks: Block[], outside: string[]): void {
  for (const text of stringsIn(content)) {
    let rest = text;
    for (let count = 0; count < MAX_TEXTS; count += 1) {
      const injection = findInjection(rest);
      if (!injection) break;
      // JSON inside a text has fields of its own: the orders end with the field that contains them.
      const inner = rest === text && /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
      if (inner !== undefined) {
        collectBlocks(inner, blocks, outside);
        rest = '';
        break;
      }
      const end = endOfOrders(rest, injection.at);
      outside.push(rest.slice(0, injection.at));
      blocks.push({ text: rest.slice(injection.at, end), overrides: injection.overrides });
      rest = rest.slice(end);
    }
    outside.push(rest);
  }
}

/** Where the orders that begin at a position end: with what encloses them, or else after {@link REACH} characters. */
function endOfOrders(text: string, at: number): number {
  const within = text.slice(at, at + MAX_BLOCK);
  const closing = closingMark(text, at);
  const closed = closing === null ? -1 : within.toLowerCase().indexOf(closing);
  if (closing !== null && closed >= 0) return at + closed + closing.length;
  return at + Math.min(REACH, endOfField(text, at, within));
}

/** What ends a block that a tag, a prompt marker or a comment opens. */
function closingMark(text: string, at: number): string | null {
  const tag = /^<([a-z][\w-]{0,40})>/i.exec(text.slice(at, at + 50))?.[1];
  if (tag !== undefined) return `</${tag.toLowerCase()}>`;
  if (text.slice(at, at + 6).toUpperCase() === '[INST]') return '[/inst]';
  const before = text.slice(Math.max(0, at - REACH), at);
  return before.lastIndexOf('<!--') > before.lastIndexOf('-->') ? '-->' : null;
}

/** Where the field of a YAML document that contains the orders ends: at the first line that is not indented as deeply. */
function endOfField(text: string, at: number, within: string): number {
  const lineStart = text.lastIndexOf('\n', at) + 1;
  const [, indent = '', key] = /^([ \t]{0,40}(?:- )?)([\w-]{1,40}:[ \t])?/.exec(text.slice(lineStart, at)) ?? [];
  if (indent === '') return within.length;
  const depth = indent.length + (key === undefined ? 0 : 1);
  for (const line of within.matchAll(/\n([ \t]*(?:- )?)(?=[^\s])/g)) {
    if ((line[1] ?? '').length < depth) return line.index;
  }
  return within.length;
}

export function singleSpaced(text: string): string {
  return text.replace(/\s+/g, ' ');
}
