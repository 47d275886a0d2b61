import { describe, expect, it } from 'vitest';
import { sessionTitle } from '../../../src/report-model/session-title.ts';

describe('the title of a session', () => {
  const turns = [{ input: null }, { input: ' Please refund\n order 12. ' }, { input: 'Thanks' }];

  it.each([
    [{ id: 'refund', trial: null }, 'refund'],
    [{ id: 'refund', trial: '2' }, 'refund, attempt 2'],
    [{ id: '7', trial: '0' }, 'Task 7, attempt 0'],
  ])('is its task: %j', (task, title) => {
    expect(sessionTitle({ id: 'conv_42', task }, turns)).toBe(title);
  });

  it('is the first words of the user, on one line and shortened', () => {
    expect(sessionTitle({ id: 'conv_42', task: null }, turns)).toBe('Please refund order 12.');
    expect(sessionTitle({ id: 'conv_42', task: null }, [{ input: 'word '.repeat(100) }])).toMatch(/^(word )+.*…$/);
  });

  it('is the id where no user says anything', () => {
    expect(sessionTitle({ id: 'conv_42', task: null }, [{ input: null }, { input: ' ' }])).toBe('conv_42');
  });
});
