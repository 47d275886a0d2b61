import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packQuestions } from '../../../src/judge/packer.ts';
import type { Question } from '../../../src/judge/question.ts';
import { fact, question } from './support.ts';

const names = (questions: readonly Question[]) => questions.map(({ name }) => name);
const packed = (...args: Parameters<typeof packQuestions>) =>
  packQuestions(...args).map(({ facts, questions }) => [names(facts), names(questions)]);

const task = fact('task');
const plan = fact('plan', [task]);
const a = question('a');
const b = question('b', { facts: [task] });
const c = question('c', { facts: [task] });
const d = question('d', { facts: [plan, task] });

describe('packQuestions', () => {
  it('puts everything into one call if there is room, facts before their dependents', () => {
    expect(packed([a, d, b, c], 10)).toEqual([
      [
        ['task', 'plan'],
        ['a', 'd', 'b', 'c'],
      ],
    ]);
  });

  it('asks a fact once, before dependents that do not fit into its call', () => {
    expect(packed([b, a, c], 2)).toEqual([
      [['task'], ['b']],
      [[], ['a', 'c']],
    ]);
  });

  it('keeps a fact and its dependent together instead of filling a call', () => {
    expect(packed([a, question('e'), b], 3)).toEqual([
      [[], ['a', 'e']],
      [['task'], ['b']],
    ]);
  });

  it('makes one call per fact and question at 1', () => {
    expect(packed([a, d, b], 1)).toEqual([
      [[], ['a']],
      [['task'], []],
      [['plan'], []],
      [[], ['d']],
      [[], ['b']],
    ]);
  });

  it('skips questions that are already in a call', () => {
    expect(packed([d, b], 10, (question) => question === task)).toEqual([[['plan'], ['d', 'b']]]);
  });

  it('never puts two questions of one name into a call', () => {
    expect(packed([a, question('a')], 10)).toEqual([
      [[], ['a']],
      [[], ['a']],
    ]);
  });

  it('asks everything exactly once, in order and within the limit', () => {
    const shapes = fc.array(fc.record({ facts: fc.array(fc.nat(), { maxLength: 3 }), name: fc.nat(6) }), {
      minLength: 1,
      maxLength: 15,
    });
    fc.assert(
      fc.property(shapes, fc.integer({ min: 1, max: 6 }), fc.nat(), (shape, perCall, cut) => {
        // Each rests on some of those before it: no circles.
        const all: Question[] = [];
        for (const { facts, name } of shape) {
          const below = new Set(facts.flatMap((index) => all[index % (all.length || 1)] ?? []));
          all.push(question(`q${name}`, { facts: [...below] }));
        }
        const wanted = all.slice(cut % all.length);
        const calls = packQuestions(wanted, perCall).map(({ facts, questions }) => [...facts, ...questions]);

        const needed = new Set<Question>();
        const need = (question: Question) => {
          needed.add(question);
          question.facts?.forEach(need);
        };
        wanted.forEach(need);
        const order = calls.flat();
        expect(new Set(order)).toEqual(needed);
        expect(order).toHaveLength(needed.size);
        for (const call of calls) {
          expect(call.length).toBeLessThanOrEqual(perCall);
          expect(new Set(names(call)).size).toBe(call.length);
        }
        for (const [index, question] of order.entries()) {
          for (const below of question.facts ?? []) expect(order.indexOf(below)).toBeLessThan(index);
        }
      }),
    );
  });
});
