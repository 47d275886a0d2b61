import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { evaluateFiles } from '../../../../src/app/evaluate-files.ts';
import type { Session } from '../../../../src/core/session.ts';
import { nodeFileSystem } from '../../../../src/input/node-file-system.ts';
import { applySidecar } from '../../../../src/input/sidecar.ts';
import type { EditOutcome } from '../../../../src/protocol/finding-edits.ts';
import { applyPlan } from '../../../../src/server/disk/file-change.ts';
import { type PlanSidecarEdit, planSidecarEdit } from '../../../../src/server/edits/plan-sidecar-edit.ts';
import { addSuppression, type SuppressionTarget } from '../../../../src/server/edits/sidecar-suppression.ts';
import { planSuppression } from '../../../../src/server/edits/suppress-finding.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { UNKNOWN_TOOL } from '../../../support/traces.ts';
import { type EvaluatedSamples, evaluateSamples } from '../results/evaluate-samples.ts';

const plansOnDisk: PlanSidecarEdit = (edit) => planSidecarEdit(nodeFileSystem, edit);

interface Which {
  readonly session?: string;
  /** Zero-based. */
  readonly turn?: number;
  readonly rule?: string;
  readonly reason?: string;
}

async function suppress({ results, uri, keyOf }: EvaluatedSamples, which: Which = {}): Promise<EditOutcome> {
  const { session, turn = 0, rule = 'unknown-tool', reason = 'It is an alias.' } = which;
  const finding = { uri, turn, rule, ...(session === undefined ? {} : { session: keyOf(session) }) };
  return applyPlan(await planSuppression({ results, planSidecarEdit: plansOnDisk }, finding, reason));
}

const sample = (name: string) => readFile(join(import.meta.dirname, '..', '..', '..', '..', 'samples', name), 'utf8');

/** Two sessions, whose only turns call a tool that there is not. */
function twoSessions(...ids: readonly [string, string]): string {
  const turn = { input: 'Show order 1.', output: 'Done.', steps: [{ type: 'tool', name: 'fetch', arguments: {} }] };
  const sessions = ids.map((id) => ({ id, tools: [{ name: 'get' }], turns: [turn] }));
  return JSON.stringify({ turnwise: 1, sessions }, null, 2);
}

describe('suppressing a finding', () => {
  it('writes a sidecar with which the next evaluation suppresses it and nothing else', async () => {
    await using folder = await temporaryFolder({ 'chat.trace.json': UNKNOWN_TOOL });
    const before = await evaluateSamples(folder.path, 'chat.trace.json');
    expect(before.failures).toContain('1 unknown-tool');
    const path = join(folder.path, 'chat.turnwise.json');
    expect(await suppress(before)).toEqual({ written: path });
    expect(await readFile(path, 'utf8')).toBe(`{
  "turns": [
    {
      "index": 0,
      "suppressions": [
        {
          "rule": "unknown-tool",
          "reason": "It is an alias."
        }
      ]
    }
  ]
}
`);
    const after = await evaluateSamples(folder.path, 'chat.trace.json');
    expect(after.failures).toEqual(before.failures.filter((failure) => failure !== '1 unknown-tool'));
    expect(after.report.suppressed).toMatchObject([{ turn: 0, rule: 'unknown-tool', reason: 'It is an alias.' }]);
    expect(after.report.problems).toEqual([]);
  });

  it('keeps the content and style of the sidecar', async () => {
    const sidecar = [
      '{',
      '\t"goal": "Show the order",   ',
      '\t"turns": [',
      '\t\t{ "index": 0, "labels": {"helpfulness": 1} }',
      '\t],',
      '\t"knowledge": ["a",   "b"]',
      '}',
      '',
    ].join('\r\n');
    await using folder = await temporaryFolder({ 'chat.json': UNKNOWN_TOOL, 'chat.turnwise.json': sidecar });
    await suppress(await evaluateSamples(folder.path, 'chat.json'));
    expect(await readFile(join(folder.path, 'chat.turnwise.json'), 'utf8')).toBe(
      sidecar.replace(
        '{"helpfulness": 1}',
        '{"helpfulness": 1},"suppressions": [{"rule":"unknown-tool","reason":"It is an alias."}]',
      ),
    );
    expect((await evaluateSamples(folder.path, 'chat.json')).report.suppressed).toHaveLength(1);
  });

  it('adds to existing suppressions, and updates the reason of the same one', async () => {
    const chat = await sample('claim-wrong-tool-and-argument.json');
    await using folder = await temporaryFolder({ 'chat.json': chat });
    const samples = await evaluateSamples(folder.path, 'chat.json');
    await suppress(samples);
    await suppress(samples, { rule: 'arguments-break-schema', reason: 'The tool is lenient.' });
    await suppress(samples, { reason: 'Looked at again.' });
    const { report, failures } = await evaluateSamples(folder.path, 'chat.json');
    expect(failures).toEqual([]);
    expect(report.suppressed.map(({ rule, reason }) => [rule, reason])).toEqual([
      ['unknown-tool', 'Looked at again.'],
      ['arguments-break-schema', 'The tool is lenient.'],
    ]);
    const sidecar = JSON.parse(await readFile(join(folder.path, 'chat.turnwise.json'), 'utf8'));
    expect(sidecar.turns).toHaveLength(1);
  });

  it('names the session where the file has several', async () => {
    await using folder = await temporaryFolder({ 'two.json': twoSessions('a', 'b') });
    const samples = await evaluateSamples(folder.path, 'two.json');
    expect(samples.failures).toEqual(['1 unknown-tool', '1 unknown-tool']);
    const { written: path } = done(await suppress(samples, { session: 'b' }));
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ sessions: [{ id: 'b', turns: [{ index: 0 }] }] });
    const after = await evaluateSamples(folder.path, 'two.json');
    expect(after.report.suppressed).toMatchObject([{ session: 'b' }]);
    expect(after.failures).toEqual(['1 unknown-tool']);
  });

  it('needs the session where the file has several', async () => {
    await using folder = await temporaryFolder({ 'two.json': twoSessions('a', 'b') });
    expect(await suppress(await evaluateSamples(folder.path, 'two.json'))).toEqual({ error: expect.any(String) });
  });

  it('counts turns as in their own file where a session has several files', async () => {
    const names = [1, 2].map((turn) => `invoice-errors-recovered.turn${turn}.json`);
    const files = await Promise.all(names.map(async (name) => [name, await sample(name)] as const));
    await using folder = await temporaryFolder(Object.fromEntries(files));
    const samples = await evaluateSamples(folder.path, ...names);
    const accepted = { session: 'invoice-desk-20260302-06', turn: 1, rule: 'state-change' };
    const { written: path } = done(await suppress(samples, accepted));
    expect(path).toBe(join(folder.path, 'invoice-errors-recovered.turn2.turnwise.json'));
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ turns: [{ index: 0 }] });
    const { report } = await evaluateSamples(folder.path, ...names);
    expect(report.suppressed).toMatchObject([{ turn: 1, rule: 'state-change' }]);
    expect(report.problems).toEqual([]);
  });

  it('uses a sidecar name that no other trace has', async () => {
    await using folder = await temporaryFolder({ 'chat.json': UNKNOWN_TOOL, 'chat.session.json': UNKNOWN_TOOL });
    const { written: path } = done(await suppress(await evaluateSamples(folder.path, 'chat.session.json')));
    expect(path).toBe(join(folder.path, 'chat.session.turnwise.json'));
    expect((await evaluateSamples(folder.path, 'chat.json')).report.suppressed).toEqual([]);
    expect((await evaluateSamples(folder.path, 'chat.session.json')).report.suppressed).toHaveLength(1);
  });

  it('does not write into a trace that has the name of a sidecar', async () => {
    const trace = twoSessions('a', 'b');
    await using folder = await temporaryFolder({ 'chat.trace.json': UNKNOWN_TOOL, 'chat.turnwise.json': trace });
    const { written: path } = done(await suppress(await evaluateSamples(folder.path, 'chat.trace.json')));
    expect(path).toBe(join(folder.path, 'chat.trace.turnwise.json'));
    expect(await readFile(join(folder.path, 'chat.turnwise.json'), 'utf8')).toBe(trace);
  });

  it.each([
    ['is cut off', '{\n  "turns": [\n', ':2: The JSON is truncated'],
    ['does not fit', '{\n  "turns": [\n    { "labels": {} }\n  ]\n}', ':3: "turns.0" is invalid'],
  ])('is refused with file and line where the sidecar %s', async (_what, sidecar, sentence) => {
    await using folder = await temporaryFolder({ 'chat.json': UNKNOWN_TOOL, 'chat.turnwise.json': sidecar });
    const outcome = await suppress(await evaluateSamples(folder.path, 'chat.json'));
    expect(outcome).toEqual({ error: expect.stringContaining(`Nothing was written: chat.turnwise.json${sentence}`) });
    expect(await readFile(join(folder.path, 'chat.turnwise.json'), 'utf8')).toBe(sidecar);
  });

  it('keeps the comments of a sidecar, and takes effect', async () => {
    const sidecar = '{\n  // what the user wants\n  "goal": "x", /* yes */\n}\n';
    await using folder = await temporaryFolder({ 'chat.json': UNKNOWN_TOOL, 'chat.turnwise.json': sidecar });
    const { written: path } = done(await suppress(await evaluateSamples(folder.path, 'chat.json')));
    const text = await readFile(path, 'utf8');
    expect(text).toContain('  // what the user wants\n  "goal": "x",');
    expect(text).toContain('/* yes */');
    const { report } = await evaluateSamples(folder.path, 'chat.json');
    expect(report.suppressed).toHaveLength(1);
    expect(report.problems).toEqual([]);
  });

  it('is refused where the file has changed by one letter', async () => {
    await using folder = await temporaryFolder({ 'chat.json': UNKNOWN_TOOL });
    const samples = await evaluateSamples(folder.path, 'chat.json');
    await writeFile(join(folder.path, 'chat.json'), UNKNOWN_TOOL.replace('A-1001', 'A-1002'));
    expect(await suppress(samples)).toEqual({ error: expect.stringContaining('has changed') });
  });

  it.each([
    ['no rule', { rule: 'unknown-tol' }],
    ['a turn that there is not', { turn: 7 }],
    ['a session that is not held', { session: 'other' }],
  ])('is refused for %s', async (_what, which) => {
    await using folder = await temporaryFolder({ 'chat.json': UNKNOWN_TOOL });
    expect(await suppress(await evaluateSamples(folder.path, 'chat.json'), which)).toEqual({
      error: expect.stringMatching(/^Nothing was written: .*\.$/),
    });
  });

  it('distinguishes sessions with the same id in a file', async () => {
    await using folder = await temporaryFolder({ 'two.json': twoSessions('a', 'a') });
    await suppress(await evaluateSamples(folder.path, 'two.json'), { session: 'a#2' });
    expect((await evaluateSamples(folder.path, 'two.json')).report.suppressed).toMatchObject([{ session: 'a#2' }]);
  });

  it('is refused where a duplicate key makes the sidecar ambiguous', async () => {
    const sidecar = '{ "turns": [{ "index": 0 }], "turns": [] }';
    await using folder = await temporaryFolder({ 'chat.json': UNKNOWN_TOOL, 'chat.turnwise.json': sidecar });
    const outcome = await suppress(await evaluateSamples(folder.path, 'chat.json'));
    expect(outcome).toEqual({ error: expect.stringContaining('duplicate keys') });
    expect(await readFile(join(folder.path, 'chat.turnwise.json'), 'utf8')).toBe(sidecar);
  });

  it('works beside an evaluation set, also for cases without a run', async () => {
    const set = await sample('meeting-rooms.evalset.json');
    await using folder = await temporaryFolder({ 'rooms.evalset.json': set });
    const samples = await evaluateSamples(folder.path, 'rooms.evalset.json');
    const { written: path } = done(await suppress(samples));
    expect(path).toBe(join(folder.path, 'rooms.turnwise.json'));
    const { sessions, report } = await evaluateFiles([join(folder.path, 'rooms.evalset.json')]);
    expect(sessions[0]?.turns[0]?.suppressions).toEqual([{ rule: 'unknown-tool', reason: 'It is an alias.' }]);
    expect(report.problems.map(({ code }) => code)).toEqual(['unpaired-case', 'idle-suppression']);
  });

  it('is refused where the file is gone', async () => {
    await using folder = await temporaryFolder({ 'chat.json': UNKNOWN_TOOL });
    const samples = await evaluateSamples(folder.path, 'chat.json');
    await rm(join(folder.path, 'chat.json'));
    expect(await suppress(samples)).toEqual({
      error: expect.stringContaining('chat.json cannot be read: it no longer exists'),
    });
  });

  it.skipIf(process.platform === 'win32')(
    'writes through no link that leads out of the folder, and waits for no pipe',
    async () => {
      await using folder = await temporaryFolder({ 'repo/chat.json': UNKNOWN_TOOL, 'mine/settings.json': '{}' });
      const samples = await evaluateSamples(join(folder.path, 'repo'), 'chat.json');
      const sidecar = join(folder.path, 'repo/chat.turnwise.json');
      await symlink('../mine/settings.json', sidecar);
      expect(await suppress(samples)).toEqual({
        error: expect.stringContaining('a link that leads out of the folder'),
      });
      expect(await readFile(join(folder.path, 'mine/settings.json'), 'utf8')).toBe('{}');
      await rm(sidecar);
      await symlink('../mine/new.json', sidecar);
      expect(await suppress(samples)).toEqual({ error: expect.stringContaining('it already exists') });
      expect(await readdir(join(folder.path, 'mine'))).toEqual(['settings.json']);
      await rm(sidecar);
      execFileSync('mkfifo', [sidecar]);
      expect(await suppress(samples)).toEqual({ error: expect.stringContaining('it is a pipe or a device') });
    },
  );

  it('does not overwrite a sidecar that was created in the meantime', async () => {
    await using folder = await temporaryFolder({ 'chat.json': UNKNOWN_TOOL });
    const { results, uri } = await evaluateSamples(folder.path, 'chat.json');
    const plan = await planSuppression(
      { results, planSidecarEdit: plansOnDisk },
      { uri, turn: 0, rule: 'unknown-tool' },
      'x',
    );
    const sidecar = join(folder.path, 'chat.turnwise.json');
    await writeFile(sidecar, '{"goal": "somebody’s"}');
    expect(await applyPlan(plan)).toEqual({
      error: expect.stringContaining('chat.turnwise.json: it cannot be written'),
    });
    expect(await readFile(sidecar, 'utf8')).toContain('somebody’s');
  });
});

function done(outcome: EditOutcome): { readonly written: string } {
  if ('error' in outcome) throw new Error(outcome.error);
  return outcome;
}

describe('the text of a sidecar with suppressions', () => {
  const only: SuppressionTarget = { session: 's', isOnly: true, turn: 2 };
  const accepted = { rule: 'no-answer', reason: 'why' };

  it('keeps its comments', () => {
    const text = '{\n  // all of it\n  "turns": [ // by index\n    { "id": "x" } // the first\n  ]\n}\n';
    const after = addSuppression(text, only, accepted);
    for (const comment of ['// all of it', '// by index', '// the first']) expect(after).toContain(comment);
    expect(parse(after).turns[1]).toEqual({ index: 2, suppressions: [accepted] });
  });

  it('gets only a new reason for an existing suppression', () => {
    const text = '{ "turns": [{ "index": 2, "suppressions": [ {"reason":  "old", "rule":"no-answer"} ] }] }';
    expect(addSuppression(text, only, accepted)).toBe(text.replace('old', 'why'));
  });

  it('keeps its content and has the new suppression', () => {
    const reason = fc.string({ minLength: 1 });
    const suppressions = fc.array(fc.record({ rule: fc.constantFrom('no-answer', 'hedging'), reason }));
    const rest = { labels: fc.dictionary(fc.string(), fc.integer()), suppressions };
    const turn = fc.oneof(
      fc.record({ index: fc.nat(4), ...rest }, { requiredKeys: ['index'] }),
      fc.record({ id: fc.constantFrom('t1', 't3'), ...rest }, { requiredKeys: ['id'] }),
    );
    const own = { goal: fc.string(), suppressions, turns: fc.array(turn) };
    const entry = fc.record({ id: fc.constantFrom('a', 'b'), ...own }, { requiredKeys: ['id'] });
    const sidecar = fc.record({ ...own, sessions: fc.array(entry) }, { requiredKeys: [] });
    const layout = fc.constantFrom(undefined, 2, '\t');
    fc.assert(
      fc.property(sidecar, fc.boolean(), fc.nat(4), layout, (value, isOnly, index, indent) => {
        const sessions = isOnly ? [traced('a')] : [traced('a'), traced('b')];
        const text = JSON.stringify(value, null, indent);
        const after = addSuppression(text, { session: 'a', isOnly, turn: index }, accepted);
        const now = applySidecar(sessions, JSON.parse(after), 'x').sessions;
        expect(now[0]?.turns[index]?.suppressions).toContainEqual(accepted);
        const other = (all: readonly Session[]) => withoutAccepted(all, index);
        expect(other(now)).toEqual(other(applySidecar(sessions, JSON.parse(text), 'x').sessions));
      }),
    );
  });

  function traced(id: string): Session {
    const turns = [0, 1, 2, 3, 4].map((index) => ({
      id: `t${index}`,
      pointer: `/${id}/${index}`,
      input: null,
      output: null,
      steps: [],
    }));
    return { id, source: { file: 'x', format: 'turnwise', pointer: '' }, turns };
  }

  /** Without what the turn of the first session accepts by the rule. */
  function withoutAccepted([first, ...more]: readonly Session[], index: number): unknown {
    const turns = first?.turns.map((turn, at) => {
      const { suppressions = [], ...rest } = turn;
      return { ...rest, suppressions: suppressions.filter(({ rule }) => at !== index || rule !== accepted.rule) };
    });
    return [{ ...first, turns }, ...more];
  }
});
