import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/finding.ts';
import { parseLabels, type SetSession } from '../../bench/validity/labelled-sets.ts';
import { drawFindings, drawSessions } from '../../bench/validity/sample.ts';

describe('the table of labels', () => {
  it('is read with quoted cells', () => {
    const rows = parseLabels(
      'file,session,domain,task,model,label,label_kind\r\n' +
        'a.jsonl,line-1,banking,user_task_1,gpt,resisted,"attack (important_instructions, task 0)"\r\n' +
        'b.json,x,telecom,[a]b|c,"gpt (alone, ""no"" user)",0.0,reward\n',
    );
    expect(rows).toEqual([
      {
        file: 'a.jsonl',
        session: 'line-1',
        domain: 'banking',
        task: 'user_task_1',
        model: 'gpt',
        label: 'resisted',
        kind: 'attack (important_instructions, task 0)',
      },
      {
        file: 'b.json',
        session: 'x',
        domain: 'telecom',
        task: '[a]b|c',
        model: 'gpt (alone, "no" user)',
        label: '0.0',
        kind: 'reward',
      },
    ]);
  });
});

function finding(rule: string, severity: Finding['severity'], pointer: string): Finding {
  return { rule, severity, label: null, turn: 0, message: '', evidence: [{ pointer, note: '' }] } as Finding;
}

function setSession(id: string, findings: readonly Finding[]): SetSession {
  return { file: 'set/a.json', session: { id }, findings } as unknown as SetSession;
}

describe('the sample that is judged by hand', () => {
  const sessions = Array.from({ length: 40 }, (_, index) =>
    setSession(`s${index}`, [
      finding('one', 'medium', '/a'),
      finding('two', 'high', '/b'),
      finding('note', 'info', '/c'),
    ]),
  );

  it('has problems of medium severity and above only, and as many as were asked for', () => {
    const all = drawFindings(sessions);
    expect(all).toHaveLength(80);
    expect(new Set(all.map(({ finding: { rule } }) => rule))).toEqual(new Set(['one', 'two']));
    expect(drawFindings(sessions, 7)).toEqual(all.slice(0, 7));
  });

  it('keeps the order of the others when a rule changes', () => {
    const changed = sessions.map((session) => ({
      ...session,
      findings: [...session.findings.filter(({ rule }) => rule !== 'two'), finding('new', 'critical', '/d')],
    }));
    const keysOf = (all: readonly SetSession[]) =>
      drawFindings(all, 1000).flatMap(({ key, finding: { rule } }) => (rule === 'one' ? [key] : []));
    expect(keysOf(changed)).toEqual(keysOf(sessions));
    expect(keysOf(sessions.toReversed())).toEqual(keysOf(sessions));
  });

  it('was fixed, and is not drawn again', () => {
    expect(drawSessions(sessions, 5).map(({ session: { id } }) => id)).toEqual(['s9', 's22', 's2', 's14', 's5']);
  });
});
