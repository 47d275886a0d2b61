import { describe, expect, it } from 'vitest';
import { createBudget } from '../../../src/judge/budget.ts';

describe('a budget', () => {
  it('ends with the last call that it allows', () => {
    const budget = createBudget({ maxCalls: 2 });
    expect([budget.take(0), budget.take(0), budget.reached]).toEqual([null, null, null]);
    expect(budget.take(0)).toBe('The limit of 2 calls (judge.maxCalls) is reached.');
    expect(budget.reached).toBe('The limit of 2 calls (judge.maxCalls) is reached.');
    expect(createBudget({ maxCalls: 0 }).take(0)).toBe('The limit of 0 calls (judge.maxCalls) is reached.');
  });

  it('allows a call whose estimate fits, and counts what it took', () => {
    const budget = createBudget({ maxTokens: 100 });
    expect(budget.take(100)).toBeNull();
    budget.correct(100, 40);
    expect(budget.take(60)).toBeNull();
    budget.correct(60, 61);
    expect(budget.take(0)).toBe('The limit of 100 tokens (judge.maxTokens) is reached.');
  });

  it('stays reached, also for what would fit', () => {
    const budget = createBudget({ maxTokens: 100, maxCalls: 100 });
    expect(budget.take(101)).not.toBeNull();
    expect(budget.take(1)).toBe('The limit of 100 tokens (judge.maxTokens) is reached.');
  });

  it('without limits never ends', () => {
    const budget = createBudget({});
    expect(budget.take(1e9)).toBeNull();
    expect(budget.countsTokens).toBe(false);
  });
});
