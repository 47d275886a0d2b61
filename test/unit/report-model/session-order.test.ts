import { describe, expect, it } from 'vitest';
import { HEADLINE_KINDS } from '../../../src/core/statuses.ts';
import { byHeadline } from '../../../src/report-model/session-order.ts';

describe('the order of sessions', () => {
  it('is failed, undecided, with problems, not run, the rest, and within each the highest risk first', () => {
    const sessions = [0.1, 0.9, null].flatMap((risk) =>
      HEADLINE_KINDS.toReversed().map((kind) => ({ risk, headline: { kind } })),
    );
    const order = sessions.sort(byHeadline).map(({ risk, headline }) => `${headline.kind} ${risk}`);
    expect(order).toEqual([
      ...['failed', 'undecided', 'problems', 'not-run'].flatMap((kind) => [
        `${kind} 0.9`,
        `${kind} 0.1`,
        `${kind} null`,
      ]),
      ...[0.9, 0.1, null].flatMap((risk) => [`succeeded ${risk}`, `clean ${risk}`]),
    ]);
  });
});
