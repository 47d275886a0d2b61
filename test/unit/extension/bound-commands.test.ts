import { beforeEach, describe, expect, it, vi } from 'vitest';

const { registered, executed } = vi.hoisted(() => ({
  registered: new Map<string, () => unknown>(),
  executed: [] as (readonly unknown[])[],
}));
vi.mock('vscode', () => ({
  CodeLens: class {},
  commands: {
    registerCommand(id: string, run: () => unknown) {
      if (registered.has(id)) throw new Error(`${id} is registered.`);
      registered.set(id, run);
      return { dispose: () => registered.delete(id) };
    },
    executeCommand: (...args: readonly unknown[]) => executed.push(args),
  },
}));
const { BoundCommands } = await import('../../../src/extension/bound-commands.ts');

function lens(turn: number | null, title = `turn ${turn}`) {
  const range = {} as import('vscode').Range;
  const command = { title, command: 'turnwise.openReport', arguments: [{ session: 'file:///a.json#s', turn }] };
  return { range, isResolved: true, command };
}

beforeEach(() => {
  registered.clear();
  executed.length = 0;
});

describe('the command of a lens or a row', () => {
  it('has no arguments, which VS Code may have dropped when it is clicked', () => {
    using commands = new CommandsScope();
    const { command } = commands.all.bind(lens(3));
    expect(command).toEqual({ title: 'turn 3', command: expect.stringMatching(/^_turnwise\.openReport /) });
    registered.get(command.command)?.();
    expect(executed).toEqual([['turnwise.openReport', { session: 'file:///a.json#s', turn: 3 }]]);
  });

  it('stays the same in a newer list, whatever its title', () => {
    using commands = new CommandsScope();
    const [first, again, other] = [lens(1), lens(1, '✗ wrong tool'), lens(2)].map((item) => commands.all.bind(item));
    expect(again?.command.command).toBe(first?.command.command);
    expect(again?.command.title).toBe('✗ wrong tool');
    expect(other?.command.command).not.toBe(first?.command.command);
    expect(registered.size).toBe(2);
  });

  it('is left as it is without arguments, and before it is resolved', () => {
    using commands = new CommandsScope();
    const range = {} as import('vscode').Range;
    const title = { range, isResolved: true, command: { title: 'turn 1', command: '' } };
    expect(commands.all.bind(title)).toBe(title);
    expect(commands.all.bind({ range, isResolved: false })).toEqual({ range, isResolved: false });
    expect(registered.size).toBe(0);
  });

  it('is removed when thousands of others are newer, and at the end', () => {
    {
      using commands = new CommandsScope();
      const [oldest] = Array.from({ length: 6000 }, (_, turn) => commands.all.bind(lens(turn)));
      expect(registered.size).toBeLessThan(6000);
      expect(registered.has(oldest?.command.command ?? '')).toBe(false);
    }
    expect(registered.size).toBe(0);
  });
});

class CommandsScope implements Disposable {
  readonly all = new BoundCommands();
  [Symbol.dispose](): void {
    this.all.dispose();
  }
}
