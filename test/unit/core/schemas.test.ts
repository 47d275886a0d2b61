import { describe, expect, it } from 'vitest';
import { evaluateFiles } from '../../../src/app/evaluate-files.ts';
import { reportSchema } from '../../../src/core/schemas/report.ts';
import { sessionSchema } from '../../../src/core/schemas/session.ts';

const evaluated = evaluateFiles(['samples', 'test/fixtures/formats']);

/** JSON leaves out keys whose value is undefined. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the schemas', () => {
  it('describe every key of the sessions that formats read', async () => {
    const { sessions } = await evaluated;
    expect(sessions.length).toBeGreaterThan(20);
    for (const session of sessions) expect(sessionSchema.parse(plain(session))).toEqual(plain(session));
  });

  it('describe every key of a report', async () => {
    const { report } = await evaluated;
    expect(report.failures.length).toBeGreaterThan(0);
    expect(reportSchema.parse(plain(report))).toEqual(plain(report));
  });
});
