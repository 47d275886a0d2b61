import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session, Step, ToolStep, Turn } from '../../../../src/core/session.ts';
import { alignSteps } from '../../../../src/report-model/transcript/align-steps.ts';

function call(name: string, args: ToolStep['arguments'] = {}, parts: Partial<ToolStep> = {}): ToolStep {
  return { type: 'tool', pointer: '/c', name, arguments: args, outcome: 'ok', requestedBy: 'agent', ...parts };
}

function says(text: string): Step {
  return { type: 'model', pointer: '/m', text };
}

function turn(input: string | null, steps: readonly Step[], output: string | null = null): Turn {
  return { id: 't', pointer: '/t', input, output, steps };
}

function session(...turns: readonly Turn[]): Session {
  return { id: 's', source: { file: 'a.json', format: 'turnwise', pointer: '' }, turns };
}

/** `get_order ≠arguments`, in order. */
function changes(left: Session, right: Session): string[] {
  const nameOf = (one: Session, part: { turn: number; step: number | null } | null) => {
    const step = part === null || part.step === null ? undefined : one.turns[part.turn]?.steps[part.step];
    return step?.type === 'tool' ? step.name : null;
  };
  return alignSteps(left, right).parts.map(
    ({ change, ...part }) =>
      `${nameOf(left, part.left) ?? nameOf(right, part.right) ?? (part.left ?? part.right)?.type} ${change}`,
  );
}

describe('two transcripts laid side by side', () => {
  it('diverge at the first call that one of them did not make, whatever their words', () => {
    const left = session(turn('Cancel it.', [says('Let me look.'), call('get_order'), call('cancel')], 'Done.'));
    const right = session(turn('Please cancel it', [says('One moment.'), call('get_order')], 'I cannot.'));
    expect(changes(left, right)).toEqual([
      'user reworded',
      'model reworded',
      'get_order same',
      'cancel left',
      'answer reworded',
    ]);
    expect(alignSteps(left, right)).toMatchObject({ divergence: 3, actions: 1, wordings: 3 });
  });

  it('diverge at the first other words where they did the same', () => {
    const left = session(turn('Hello', [call('get_order')], 'Done.'));
    const right = session(turn('Hello', [call('get_order')], 'It is done.'));
    expect(alignSteps(left, right)).toMatchObject({ divergence: 2, actions: 0, wordings: 1 });
  });

  it('tell another result of a call from other arguments', () => {
    const left = session(turn(null, [call('pay', { id: 1 }), call('pay', { id: 2, amount: 5 })]));
    const right = session(
      turn(null, [call('pay', { id: 1 }, { outcome: 'error', error: 'no' }), call('pay', { amount: 6, id: 2 })]),
    );
    expect(changes(left, right)).toEqual(['pay result', 'pay arguments']);
  });

  it('take arguments in another order for the same', () => {
    const left = session(turn(null, [call('pay', { id: 1, amount: 5 })]));
    expect(changes(left, session(turn(null, [call('pay', { amount: 5, id: 1 })])))).toEqual(['pay same']);
  });

  it('keep turns together by what users said, where one has more turns', () => {
    const one = turn('First', [call('a')], 'Yes.');
    const two = turn('Second', [call('b')], 'Sure.');
    expect(changes(session(one, two), session(two))).toEqual([
      'user left',
      'a left',
      'answer left',
      'user same',
      'b same',
      'answer same',
    ]);
  });

  it('never lay one tool beside another', () => {
    expect(changes(session(turn(null, [call('a')])), session(turn(null, [call('b')])))).toEqual(['a left', 'b right']);
  });

  it('compare sub-agents by what happened inside of them', () => {
    const agent = (text: string): Step => ({
      type: 'agent',
      pointer: '/a',
      name: 'helper',
      turns: [turn('Go', [], text)],
    });
    expect(changes(session(turn(null, [agent('x')])), session(turn(null, [agent('x')])))).toEqual(['agent same']);
    expect(changes(session(turn(null, [agent('x')])), session(turn(null, [agent('y')])))).toEqual(['agent result']);
  });

  it('align long transcripts without a search where they are equal at both ends', () => {
    const calls = Array.from({ length: 20_000 }, (_, index) => call('read', { index }));
    const right = calls.toSpliced(10_000, 1, call('write'));
    const { divergence, actions } = alignSteps(session(turn(null, calls)), session(turn(null, right)));
    expect({ divergence, actions }).toEqual({ divergence: 10_000, actions: 2 });
  });
});

describe('any two transcripts', () => {
  const step = fc.oneof(
    fc.constantFrom('a', 'b', 'c').chain((name) => fc.nat(2).map((id) => call(name, { id }))),
    fc.constantFrom('x', 'y').map(says),
  );
  const any = fc
    .array(
      fc.tuple(fc.option(fc.constantFrom('u', 'v')), fc.array(step, { maxLength: 6 }), fc.option(fc.constant('o'))),
      {
        maxLength: 4,
      },
    )
    .map((turns) => session(...turns.map((parts) => turn(...parts))));

  it('keep every part once, in order', () => {
    fc.assert(
      fc.property(any, any, (left, right) => {
        const { parts } = alignSteps(left, right);
        const of = (one: Session, side: 'left' | 'right') => {
          const alone = alignSteps(one, one).parts.map((part) => part.left);
          expect(parts.flatMap((part) => part[side] ?? [])).toEqual(alone);
        };
        of(left, 'left');
        of(right, 'right');
      }),
    );
  });

  it('do not diverge from themselves, and diverge alike from either side', () => {
    fc.assert(
      fc.property(any, any, (left, right) => {
        expect(alignSteps(left, left)).toMatchObject({ divergence: null, actions: 0, wordings: 0 });
        const isSame = alignSteps(left, right).divergence === null;
        expect(alignSteps(right, left).divergence === null).toBe(isSame);
      }),
    );
  });
});
