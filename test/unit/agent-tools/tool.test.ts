import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentToolContext, defineTool } from '../../../src/agent-tools/tool.ts';
import { estimateTokens } from '../../../src/core/text/estimate-tokens.ts';
import { quoted } from '../../../src/reports/agent-text.ts';

function toolWith(texts: readonly string[]) {
  return defineTool({
    name: 'list_texts',
    title: 'List Texts',
    description: 'Lists texts.',
    args: { kind: z.enum(['all', 'none']).default('all') },
    answer: async ({ kind }) => ({
      head: `${texts.length} texts.`,
      items: kind === 'none' ? [] : texts.map((text, index) => () => `text ${index}: ${quoted(text)}`),
      nothing: 'There is no text.',
      key: [kind],
      again: { kind },
    }),
  });
}

// A tool that reads nothing needs no project.
const CONTEXT = {} as AgentToolContext;

/** All pages, as an agent follows their last lines. */
async function pages(texts: readonly string[], maxTokens: number): Promise<string[]> {
  const tool = toolWith(texts);
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await tool.call({ maxTokens, ...(cursor !== undefined && { cursor }) }, CONTEXT);
    found.push(page);
    cursor = /"cursor": "([^"]+)"\.$/.exec(page)?.[1];
    if (cursor === undefined) return found;
  }
}

describe('an answer of a tool', () => {
  it('has every line on exactly one page, and no page is longer than asked', async () => {
    const text = fc.oneof(
      fc.string({ maxLength: 400, size: 'max' }),
      fc.string({ unit: 'grapheme', maxLength: 400, size: 'max' }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 60, size: 'max' }),
        fc.integer({ min: 1000, max: 3000 }),
        async (texts, maxTokens) => {
          const all = await pages(texts, maxTokens);
          const numbers = all.flatMap((page) =>
            Array.from(page.matchAll(/^text (\d+): «/gm), ([, number]) => Number(number)),
          );
          expect(numbers).toEqual(texts.map((_, index) => index));
          for (const page of all) expect(estimateTokens(page)).toBeLessThanOrEqual(maxTokens);
        },
      ),
    );
  });

  it('takes at most 1,500 tokens by default', async () => {
    const text = await toolWith(Array(500).fill('The answer says one thing and the result another. '.repeat(9))).call(
      {},
      CONTEXT,
    );
    expect(estimateTokens(text)).toBeLessThanOrEqual(1500);
    expect(estimateTokens(text)).toBeGreaterThan(1200);
    expect(text).toMatch(
      /\n1 to \d+ of 500 lines\. For more: The same call again with "kind": "all", "cursor": "\d+\.\w+"\.$/,
    );
  });

  it('refuses a cursor of other arguments, and of lines that have changed', async () => {
    const many = Array(100).fill('word '.repeat(60));
    const first = await toolWith(many).call({}, CONTEXT);
    const cursor = /"cursor": "([^"]+)"/.exec(first)?.[1];
    await expect(toolWith(many).call({ cursor }, CONTEXT)).resolves.toContain(
      `text ${Number.parseInt(cursor ?? '', 10)}:`,
    );
    await expect(toolWith(many).call({ kind: 'none', cursor }, CONTEXT)).rejects.toThrow('another call');
    await expect(toolWith(many.slice(1)).call({ cursor }, CONTEXT)).rejects.toThrow('has changed');
    await expect(toolWith(many).call({ cursor: '7' }, CONTEXT)).rejects.toThrow('leave it out to begin again');
  });

  it('says in sentences what is wrong with arguments', async () => {
    const call = (args: unknown) => toolWith([]).call(args, CONTEXT);
    await expect(call({ kind: 'al' })).rejects.toThrow('list_texts: kind is "al"');
    await expect(call({ maxTokens: 10 })).rejects.toThrow('maxTokens is 10; it must be');
    await expect(call({ cursor: 4 })).rejects.toThrow('cursor is 4; it must be a text');
    await expect(call({ kinds: 'all' })).rejects.toThrow('Unknown key "kinds". Did you mean "kind"?');
    await expect(call([])).rejects.toThrow('The arguments of list_texts are an object.');
    await expect(call(undefined)).resolves.toContain('There is no text.');
  });
});
