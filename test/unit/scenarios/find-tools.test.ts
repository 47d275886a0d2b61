import { describe, expect, it } from 'vitest';
import { findTools } from '../../../src/scenarios/find-tools.ts';

function linesOf(text: string, names: readonly string[], isScenarioFile = false): Record<string, string> {
  const lineAt = (offset: number) => text.slice(text.lastIndexOf('\n', offset) + 1).split('\n')[0] ?? '';
  return Object.fromEntries(
    findTools(text, names, isScenarioFile).map(({ name, start }) => [name, lineAt(start).trim()]),
  );
}

describe('findTools', () => {
  it.each([
    [
      'Python',
      'x = cancel_order(1)\n\ndef cancel_order(order_id: str) -> dict:\n',
      'def cancel_order(order_id: str) -> dict:',
    ],
    [
      'TypeScript',
      "call('cancel_order');\nexport async function cancel_order(id) {}\n",
      'export async function cancel_order(id) {}',
    ],
    [
      'a method',
      'tools.cancel_order(1);\nconst tools = {\n  cancel_order(id) { return id; },\n};',
      'cancel_order(id) { return id; },',
    ],
    [
      'a list of definitions',
      "// cancel_order: see below\n[{ name: 'cancel_order', parameters: {} }]",
      "[{ name: 'cancel_order', parameters: {} }]",
    ],
    [
      'JSON',
      '{"tools": [\n{"type": "function", "function": {"name": "cancel_order"}}]}',
      '{"type": "function", "function": {"name": "cancel_order"}}]}',
    ],
    ['a constant', 'use(cancel_order)\nconst cancel_order = tool({})', 'const cancel_order = tool({})'],
  ])('finds a definition in %s, and no mention before it', (_, text, line) => {
    expect(linesOf(text, ['cancel_order'])).toEqual({ cancel_order: line });
  });

  it('finds the mock in a scenario file, and no expected call of that name', () => {
    const text =
      "scenario('a', {\n  assertions: { expected: [{ name: 'get_order' }] },\n  mocks: { tools: {\n    get_order: () => 1,\n  } },\n});";
    expect(linesOf(text, ['get_order'], true)).toEqual({ get_order: 'get_order: () => 1,' });
  });

  it('finds nothing where a tool is only mentioned', () => {
    expect(linesOf('Ask for cancel_order before the refund; my_cancel_order: no.', ['cancel_order'])).toEqual({});
  });
});
