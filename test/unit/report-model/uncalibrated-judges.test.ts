import { describe, expect, it } from 'vitest';
import type { Report } from '../../../src/core/report.ts';
import { uncalibratedText } from '../../../src/report-model/uncalibrated-judges.ts';
import { markdownReport } from '../../../src/reports/markdown.ts';
import { tableLines } from '../../../src/reports/table.ts';
import * as build from '../reports/report.ts';

const OPTIONS = { terminal: true, color: false, columns: 80 };
const JUDGED = { ...build.scored(0.2), source: 'judge', judge: 'openai/m' } as const;

/** A run whose gate on faithfulness failed, by what a judge said. */
function failed(parts: Partial<Report> = {}): Report {
  const sessions = [build.session('s', [build.turn(0, { faithfulness: JUDGED })], { verdict: 'failed' })];
  const gates = [build.gate({ scope: 'run', subject: null, metric: 'faithfulness', met: false, reason: '0.20' })];
  return build.report({ verdict: 'failed', sessions, gates, ...parts });
}

function labelled(rule: string | null, source: 'judge' | 'imported' = 'judge'): Report {
  const result = { ...JUDGED, score: null, label: 'disobey user request', source };
  const problem = {
    ...build.occurrence('s', 0, 'It did not.'),
    severity: 'high',
    rule,
    metric: 'agent_behavior_failure',
  } as const;
  return failed({
    sessions: [build.session('s', [build.turn(0, { agent_behavior_failure: result })])],
    failures: [{ ...build.failures('disobey user request', 'high', [problem]) }],
    gates: [build.gate({ scope: 'session', subject: 's', metric: 'severity', threshold: 'high', met: false })],
  });
}

const SENTENCE =
  'openai/m is not calibrated for faithfulness, which failed a gate: how often it is right is not known. Measure it with `turnwise calibrate judge --metric faithfulness`, or let only calibrated judges gate (`gates.judge: calibrated`).';

describe('a gate that failed by a judge that is not calibrated', () => {
  it('is named once with the remedy, in the table and in Markdown', () => {
    expect(uncalibratedText(failed())).toBe(SENTENCE);
    const table = [...tableLines(failed(), OPTIONS)].join('\n').replace(/\s+/g, ' ');
    expect(table.split('is not calibrated')).toHaveLength(2);
    expect(table).toContain(SENTENCE);
    const markdown = [...(markdownReport.write(failed(), OPTIONS) as Iterable<string>)].join('');
    expect(markdown.split('is not calibrated')).toHaveLength(2);
    expect(markdown).toContain('gates.judge: calibrated');
  });

  it('can be on a metric that is made of judged ones', () => {
    const gates = [build.gate({ scope: 'session', subject: 's', metric: 'agentic', met: false, reason: '' })];
    const sessions = [build.session('s', [build.turn(0, { agentic_answer: JUDGED })])];
    expect(uncalibratedText(failed({ gates, sessions }))).toMatch(/for agentic_answer, which failed a gate: /);
  });

  it('can be that on problems, where a judge alone found the ones that fail', () => {
    expect(uncalibratedText(labelled(null))).toMatch(/for agent_behavior_failure, which failed a gate: /);
    expect(uncalibratedText(labelled('repeated-call'))).toBeNull();
    expect(uncalibratedText(labelled(null, 'imported'))).toBeNull();
  });

  it('is not mentioned where the judge is calibrated, where no judge took part, or where nothing failed', () => {
    const { run, gates } = failed();
    expect(uncalibratedText(failed({ run: { ...run, calibrated: { faithfulness: 'openai/m' } } }))).toBeNull();
    expect(uncalibratedText(failed({ run: { ...run, calibrated: { faithfulness: 'openai/old' } } }))).toBe(SENTENCE);
    expect(uncalibratedText(failed({ gates: gates.map((gate) => ({ ...gate, met: true })) }))).toBeNull();
    const byRules = [build.session('s', [build.turn(0, { faithfulness: build.scored(0.2) })])];
    expect(uncalibratedText(failed({ sessions: byRules }))).toBeNull();
  });
});
