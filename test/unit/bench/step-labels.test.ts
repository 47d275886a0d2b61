import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/finding.ts';
import { findingPointers, positionIn, type StepLabelledRun, stepAgreement } from '../../bench/validity/step-labels.ts';

function finding(rule: string, pointer: string, calls: readonly string[] = []): Finding {
  const evidence = [pointer, '/traj/11'].map((place) => ({ pointer: place, note: '' }));
  return { rule, severity: 'low', label: null, turn: 0, message: '', evidence, calls };
}

function run(wrong: readonly number[], messages: number, findings: readonly Finding[]): StepLabelledRun {
  return {
    findings,
    wrong: new Set(wrong),
    messages,
    namedBy: (finding) => findingPointers(finding).flatMap((place) => positionIn('/traj', place) ?? []),
  };
}

describe('positionIn', () => {
  it.each([
    ['/3/traj', '/3/traj/17/content', 17],
    ['/3/traj', '/3/traj/17', 17],
    ['', '/4/content', 4],
    ['/3/traj', '/30/traj/17', null],
    ['/3/traj', '/3/trajectory/17', null],
    ['/3/traj', '/3/traj', null],
  ])('under %j, %j is message %j', (messages, pointer, expected) => {
    expect(positionIn(messages, pointer)).toBe(expected);
  });
});

describe('pointing', () => {
  it('counts a finding as right at a labelled message or beside it, by its place or its calls, and each label once', () => {
    const runs = [
      run([4, 10], 20, [
        finding('a', '/traj/5/content'),
        finding('a', '/traj/15', ['/traj/3/tool_calls/0']),
        finding('a', '/traj/7'),
        finding('b', '/traj/10'),
      ]),
    ];
    expect(stepAgreement(runs, ({ rule }) => rule === 'a')).toEqual({
      findings: 3,
      right: 2,
      named: 1,
      labels: 2,
      chance: 6 / 20,
    });
    expect(stepAgreement(runs, () => true)).toMatchObject({ findings: 4, right: 3, named: 2 });
  });
});
