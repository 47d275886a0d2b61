import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isProblemLevel } from '../../src/core/severity.ts';
import { load } from '../../src/input/load.ts';
import { nodeFileSystem } from '../../src/input/node-file-system.ts';
import { collectFindings } from '../../src/rules/index.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'samples');
const loaded = await load([FOLDER], nodeFileSystem, { signal: new AbortController().signal });

describe('the samples', () => {
  it('are all read, in several formats, without problems', () => {
    expect(loaded.problems).toEqual([]);
    expect(loaded.files.filter(({ skipped }) => skipped)).toEqual([]);
    expect(
      loaded.sessions.map(({ id, source, turns }) => `${basename(source.file)} ${source.format} ${id} ${turns.length}`),
    ).toEqual([
      'claim-wrong-tool-and-argument.json openai-chat claim-wrong-tool-and-argument 2',
      'delivery-change-good.session.json turnwise delivery-change-4821 3',
      'invoice-errors-recovered.turn1.json pandaprobe invoice-desk-20260302-06 2',
      'lease-return-expectations.session.json turnwise lease-return-expectations 2',
      'mail-injection-followed.session.json turnwise inbox-brightwater 2',
      'meeting-rooms.session.json adk-session book-for-eight 3',
      'plan-change-four-attempts.json tau-bench task-12-trial-0 4',
      'plan-change-four-attempts.json tau-bench task-12-trial-1 5',
      'plan-change-four-attempts.json tau-bench task-12-trial-2 4',
      'plan-change-four-attempts.json tau-bench task-12-trial-3 4',
      'rebooking-loop.json openai-chat rebooking-loop 4',
      'refund-claimed-after-error.json openai-chat refund-claimed-after-error 3',
    ]);
  });

  it.each<[id: string, failures: readonly string[]]>([
    ['claim-wrong-tool-and-argument', ['1 unknown-tool', '1 arguments-break-schema']],
    ['delivery-change-4821', []],
    ['invoice-desk-20260302-06', []],
    ['lease-return-expectations', []],
    ['inbox-brightwater', ['1 injected-instruction']],
    ['book-for-eight', []],
    ['task-12-trial-0', []],
    ['task-12-trial-1', []],
    ['task-12-trial-2', ['3 error-repeated-unchanged']],
    ['task-12-trial-3', []],
    ['rebooking-loop', ['2 near-verbatim-answer', '3 near-verbatim-answer']],
    [
      'refund-claimed-after-error',
      ['2 success-after-error', '2 ungrounded-value', '2 ungrounded-argument', '2 error-repeated-unchanged'],
    ],
  ])('%s has exactly these problems: %j', (id, expected) => {
    const session = loaded.sessions.find((session) => session.id === id);
    if (!session) throw new Error(`There is no session ${id}.`);
    const findings = collectFindings(session);
    const failures = findings.filter(({ severity }) => isProblemLevel(severity));
    expect(failures.map(({ turn, rule }) => `${turn + 1} ${rule}`)).toEqual(expected);

    const pointers = findings.flatMap(({ evidence }) => evidence.map(({ pointer }) => pointer));
    expect([...loaded.locator.locate(session.source.file, pointers).keys()].sort()).toEqual(
      [...new Set(pointers)].sort(),
    );
  });

  it('show what a wrong trajectory and a failed attempt look like', () => {
    const [rooms] = loaded.sessions.filter(({ id }) => id === 'book-for-eight');
    const names = rooms?.turns.map(({ steps, reference }) => [
      reference?.toolCalls?.map(({ name }) => name),
      steps.flatMap((step) => (step.type === 'tool' ? step.name : [])),
    ]);
    expect(names).toEqual([
      [['find_rooms'], ['find_rooms']],
      [['check_room', 'book_room'], ['book_room']],
      [['invite'], ['invite']],
    ]);
    const attempts = loaded.sessions.filter(({ task }) => task?.id === '12');
    expect(attempts.map(({ scores }) => scores?.reward)).toEqual([1, 1, 0, 1]);
  });
});
