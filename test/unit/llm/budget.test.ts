import { describe, expect, it } from 'vitest';
import { createBudget } from '../../../src/llm/budget.ts';

describe('a budget', () => {
  it('allows exactly the configured number of calls', () => {
    const budget = createBudget({ maxCalls: 2 });
    expect([budget.consume(0), budget.consume(0), budget.limitReached]).toEqual([null, null, null]);
    expect(budget.consume(0)).toBe('The limit of 2 calls (judge.maxCalls) is reached.');
    expect(budget.limitReached).toBe('The limit of 2 calls (judge.maxCalls) is reached.');
    expect(createBudget({ maxCalls: 0 }).consume(0)).toBe('The limit of 0 calls (judge.maxCalls) is reached.');
  });

  it('allows a call whose estimate fits, and counts the actual tokens', () => {
    const budget = createBudget({ maxTokens: 100 });
    expect(budget.consume(100)).toBeNull();
    budget.correct(100, 40);
    expect(budget.consume(60)).toBeNull();
    budget.correct(60, 61);
    expect(budget.consume(0)).toBe('The limit of 100 tokens (judge.maxTokens) is reached.');
  });

  it('stays exhausted, also for smaller calls', () => {
    const budget = createBudget({ maxTokens: 100, maxCalls: 100 });
    expect(budget.consume(101)).not.toBeNull();
    expect(budget.consume(1)).toBe('The limit of 100 tokens (judge.maxTokens) is reached.');
  });

  it('never ends without limits', () => {
    const budget = createBudget({});
    expect(budget.consume(1e9)).toBeNull();
    expect(budget.countsTokens).toBe(false);
  });
});
