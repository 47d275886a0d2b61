import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { reportSchema, sessionReportSchema } from '../../../src/core/schemas/report.ts';
import { jsonChunks } from '../../../src/reports/json.ts';
import { jsonlReport } from '../../../src/reports/jsonl.ts';
import * as made from './report.ts';

const { scored, unscored, vacuous } = made;
const TURN = made.turn(0, {
  coherence: scored(0.5),
  search_f1: vacuous(1),
  helpfulness: unscored('needs_judge'),
  faithfulness: unscored('needs_judge'),
  source_attribution: unscored('not_applicable'),
  relevance: unscored('error'),
  verbosity: unscored('cancelled'),
});
const REPORT = made.report({
  sessions: [
    made.session('a', [TURN, made.turn(1, { coherence: scored(1) })], {
      metrics: { goal_completion: unscored('needs_judge'), loop_detection: scored(1) },
    }),
    made.session('b', []),
  ],
  gates: [made.gate({ scope: 'session', subject: 'a' }), made.gate()],
  failures: [
    made.failures('repeated tool call', 'low', [made.occurrence('a', 0, 'again'), made.occurrence('b', 0, 'x')]),
  ],
});

describe('the compact JSON report', () => {
  const compact = JSON.parse([...jsonChunks(REPORT, true)].join(''));

  it('names what does not apply or needs something by status, and keeps every other result', () => {
    const [turn] = compact.sessions[0].turns;
    expect(Object.keys(turn.metrics)).toEqual(['coherence', 'search_f1', 'relevance', 'verbosity']);
    expect(turn.omitted).toEqual({
      needs_judge: ['helpfulness', 'faithfulness'],
      not_applicable: ['source_attribution'],
    });
    expect(compact.sessions[0].omitted).toEqual({ needs_judge: ['goal_completion'] });
  });

  it('has no list of omitted metrics where nothing is omitted', () => {
    expect(compact.sessions[0].turns[1]).not.toHaveProperty('omitted');
    expect(compact.sessions[1]).not.toHaveProperty('omitted');
  });

  it('is valid by the schema of the report', () => {
    expect(z.safeParse(reportSchema, compact)).toMatchObject({ success: true });
  });

  it('leaves the whole report as it is without the option', () => {
    expect(JSON.parse([...jsonChunks(REPORT)].join(''))).toEqual(JSON.parse(JSON.stringify(REPORT)));
  });
});

describe('the JSON Lines report', () => {
  it('has a line per session with its own gates and problems', async () => {
    const written = jsonlReport.write(REPORT, { terminal: false, color: false, columns: 80 });
    let text = '';
    for await (const chunk of written) text += chunk;
    const [a, b, ...rest] = text.split('\n');
    expect(rest).toEqual(['']);
    const first = JSON.parse(a ?? '');
    expect(first).toMatchObject({
      schemaVersion: 1,
      run: 'r1',
      id: 'a',
      omitted: { needs_judge: ['goal_completion'] },
    });
    expect(first.gates).toEqual([REPORT.gates[0]]);
    expect(first.failures).toMatchObject([{ session: 'a', reason: 'again' }]);
    expect(JSON.parse(b ?? '')).toMatchObject({ id: 'b', gates: [], failures: [{ session: 'b' }] });
    expect(z.safeParse(sessionReportSchema, first)).toMatchObject({ success: true });
  });
});
