import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { judgeFileSchema } from '../../../src/core/schemas/judge-labels.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import {
  labelsOf,
  locateResult,
  metricsToLabel,
  nextResult,
  type ResultToLabel,
  setLabel,
  storeCalibration,
} from '../../../src/protocol/labels.ts';
import { type RequestType, sendRequest } from '../../../src/protocol/rpc.ts';
import { runs } from '../../../src/protocol/runs.ts';
import { openRunStore } from '../../../src/store/runs/run-store.ts';
import { turnwise } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ConnectedEditor } from '../connected-editor.ts';

/** An agent that loses every fourth order, and a judge that is wrong about every ninth and says why in words of its own. */
const sessions = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: `s${i}`,
    turns: [
      {
        input: `Where is order ${i}?`,
        steps: [{ type: 'tool', name: 'find_order', arguments: { order: i }, result: { state: 'known' } }],
        output: i % 4 === 0 ? 'lost' : 'on its way',
      },
    ],
  }));

const REASON = /reason-\d+-of-the-judge/g;
const reasonOf = (number: number) => `reason-${number}-of-the-judge`;

const JUDGE = `export default {
  metrics: ['faithfulness'],
  gates: { thresholds: { faithfulness: 4.9 } },
  judge: { provider: 'function', name: 'weak', model: 'v1', ask: ({ prompt }) => {
    const n = Number(/Where is order (\\d+)/.exec(prompt)?.[1] ?? 0);
    const isBad = (n % 4 === 0) !== (n % 9 === 0);
    return { faithfulness: { evidence: [], reason: 'reason-' + n + '-of-the-judge', score: isBad ? 2 : 5 } };
  } },
};
`;

/** A project with a judged run, an editor that has it open, and the command line. */
class LabelScene implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  project = '';
  run = '';
  editor!: ConnectedEditor;
  /** All that the editor was sent, as text. */
  readonly sent: string[] = [];

  static async open({ count = 12, trusted = true, flags = [] as readonly string[] } = {}): Promise<LabelScene> {
    const scene = new LabelScene();
    const stack = scene.#stack;
    const files = {
      '.git/HEAD': '',
      'a.json': JSON.stringify({ turnwise: 1, sessions: sessions(count) }, null, 1),
      'turnwise.config.mjs': JUDGE,
    };
    scene.project = stack.use(await temporaryFolder(files)).path;
    const evaluated = await scene.cli('eval', 'a.json', '--fail-on', 'never', ...flags);
    expect(evaluated.stderr).not.toContain('error');
    const warn = (sentence: string) => expect.fail(sentence);
    const store = stack.use(openRunStore(scene.file('home'), { cwd: scene.project, warn }));
    const options = { files: nodeFileSystem, runs: store, folders: [scene.project], options: { trusted } };
    scene.editor = stack.use(await ConnectedEditor.to(options));
    const { rows } = await sendRequest(scene.editor.connection, runs, { offset: 0, limit: 1 });
    scene.run = rows[0]?.id ?? '';
    return scene;
  }

  file(name: string): string {
    return join(this.project, name);
  }

  cli(...args: readonly string[]) {
    return turnwise(args, { cwd: this.project, env: { TURNWISE_HOME: this.file('home') } });
  }

  get about() {
    return { run: this.run, metric: 'faithfulness' };
  }

  /** As the editor gets it, before it is read by a schema. */
  async ask<Params, Result>({ method, result }: RequestType<Params, Result>, params: Params): Promise<Result> {
    const answer: unknown = await this.editor.connection.sendRequest(method, params);
    this.sent.push(JSON.stringify(answer));
    return z.parse(result, answer);
  }

  async next(...skipped: readonly string[]): Promise<ResultToLabel> {
    const { result } = await this.ask(nextResult, { ...this.about, skipped });
    if (!result) throw new Error('There is nothing to label.');
    return result;
  }

  set(id: string, label: 'pass' | 'fail' | null, note = '') {
    return this.ask(setLabel, { ...this.about, id, label, note });
  }

  async stored() {
    return judgeFileSchema.parse(JSON.parse(await readFile(this.file('turnwise.judge.json'), 'utf8')));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

const numberOf = ({ session }: ResultToLabel) => Number(session.slice(1));

describe('labels of judged results', () => {
  it('are given blind: no message has what the judge said of a result before its label is stored', async () => {
    await using scene = await LabelScene.open({ count: 90 });
    const { metrics } = await scene.ask(metricsToLabel, { run: null });
    expect(metrics).toEqual([
      { metric: 'faithfulness', judge: 'weak/v1', results: 90, labelled: 0, heldOut: 0, missing: 50 },
    ]);
    let state = await scene.ask(labelsOf, scene.about);
    expect(state).toMatchObject({ needed: 50, missing: 50, more: 75, agreement: null, refusal: null });
    expect(state.asks).toMatch(/\?$/);
    const labelled = new Set<string>();
    while (state.missing > 0) {
      const result = await scene.next();
      const number = numberOf(result);
      const told = new Set(scene.sent.join().match(REASON));
      expect([...told].filter((reason) => !labelled.has(reason))).toEqual([]);
      expect(scene.sent.at(-1)).not.toMatch(/verdict|score|reason|threshold/i);
      const isGood = number % 4 !== 0;
      const given = await scene.set(result.id, isGood ? 'pass' : 'fail');
      labelled.add(reasonOf(number));
      const isBadForJudge = (number % 4 === 0) !== (number % 9 === 0);
      expect(given.judged).toEqual({
        verdict: isBadForJudge ? 'fail' : 'pass',
        score: isBadForJudge ? 2 : 5,
        threshold: 4,
        reason: reasonOf(number),
      });
      ({ state } = given);
    }
    expect(state.heldOut).toBe(50);
    expect(Math.abs(state.tuning - 25)).toBeLessThanOrEqual(1);
    const { agreement } = state;
    const wrong = agreement?.disagreements ?? [];
    expect(wrong.length).toBeGreaterThan(0);
    expect(wrong.every(({ session }) => Number(session.slice(1)) % 9 === 0)).toBe(true);
    expect(agreement?.stored).toBe('no');
    const { target } = await scene.ask(locateResult, { ...scene.about, id: wrong[0]?.id ?? '' });
    expect(target?.uri).toMatch(/\/a\.json$/);
    const calibrated = await scene.ask(storeCalibration, scene.about);
    expect(calibrated.agreement?.stored).toBe('yes');
    const [calibration] = (await scene.stored()).calibrations;
    expect(calibration?.agreement).toEqual(calibrated.agreement?.counts);
    const { stdout } = await scene.cli('calibrate', 'judge', '--dry-run');
    expect(stdout).toContain(`kappa       ${calibrated.agreement?.kappa?.value.toFixed(2)} [`);
    const more = await scene.set((await scene.next()).id, 'pass');
    expect(more.state.agreement?.stored).toBe(more.state.heldOut === 50 ? 'yes' : 'outdated');
  }, 60_000);

  it('are asked for in the order of the sheet, with what the user said, the agent did and answered', async () => {
    await using scene = await LabelScene.open();
    await scene.cli('calibrate', 'judge', '--export', 'sheet.csv');
    const { data } = Papa.parse<string[]>((await readFile(scene.file('sheet.csv'), 'utf8')).slice(1).trimEnd());
    const column = data[0]?.indexOf('id') ?? -1;
    const sheet = data.slice(1).map((row) => row[column] ?? '');
    const skipped: string[] = [];
    for (const id of sheet) {
      const result = await scene.next(...skipped);
      expect(result.id).toBe(id);
      skipped.push(id);
    }
    expect(skipped).toHaveLength(12);
    const { result, ...counts } = await scene.ask(nextResult, { ...scene.about, skipped });
    expect([result, counts]).toEqual([null, { skipped: 12, unreadable: 0 }]);
    const first = await scene.next();
    const number = numberOf(first);
    expect(first).toMatchObject({ file: 'a.json', turn: 0, earlier: [], omitted: 0 });
    expect(
      first.parts.map(({ type, name, text, result: returned }) => [type, name, text.text, returned?.text]),
    ).toEqual([
      ['user', null, `Where is order ${number}?`, undefined],
      ['tool', 'find_order', `order: ${number}`, '{"state":"known"}'],
      ['answer', null, number % 4 === 0 ? 'lost' : 'on its way', undefined],
    ]);
  });

  it('are counted by the command line, and taken back one at a time', async () => {
    await using scene = await LabelScene.open();
    const given: ResultToLabel[] = [];
    for (let times = 0; times < 3; times += 1) {
      const result = await scene.next();
      given.push(result);
      await scene.set(result.id, 'pass', ' clear ');
    }
    const { labels } = await scene.stored();
    expect(labels.map(({ session, label, note }) => [session, label, note]).sort()).toEqual(
      given.map(({ session }) => [session, 'pass', 'clear']).sort(),
    );
    expect(labels.filter(({ part }) => part === 'held-out')).toHaveLength(2);
    const { stdout } = await scene.cli('calibrate', 'judge');
    expect(stdout).toContain('2 held-out labels, which measure the judge; 1 for tuning thresholds');
    const { judged, state } = await scene.set(given[2]?.id ?? '', null);
    expect([judged, state.labelled]).toEqual([null, 2]);
    expect((await scene.stored()).labels).toHaveLength(2);
  });

  it('do not measure the judge where they were taken back and given again, since its answer was seen', async () => {
    await using scene = await LabelScene.open();
    const first = await scene.next();
    const second = await scene.next(first.id);
    for (const { id } of [first, second]) {
      await scene.set(id, 'pass');
      await scene.set(id, null);
    }
    const { state } = await scene.set(first.id, 'fail');
    expect(state).toMatchObject({ labelled: 1, heldOut: 0 });
    expect(state.notCounted).toEqual(['1 label was given after the answer of the judge was seen, and does not count.']);
    expect((await scene.stored()).labels).toMatchObject([{ label: 'fail', seen: true }]);
    // A note changes nothing about that, and a sheet neither.
    await scene.set(first.id, 'fail', 'clear');
    await scene.cli('calibrate', 'judge', '--export', 'sheet.csv');
    const [head = [], ...rows] = Papa.parse<string[]>(
      (await readFile(scene.file('sheet.csv'), 'utf8')).slice(1).trimEnd(),
    ).data;
    expect(rows).toHaveLength(11);
    await writeFile(scene.file('sheet.csv'), Papa.unparse([head, ...rows.map((row) => ['pass', ...row.slice(1)])]));
    await scene.cli('calibrate', 'judge', '--import', 'sheet.csv');
    const { labels } = await scene.stored();
    expect(labels.filter(({ seen }) => seen).map(({ session }) => session)).toEqual(
      [first.session, second.session].sort(),
    );
    const { stdout } = await scene.cli('calibrate', 'judge');
    expect(stdout).toContain('2 labels were given after the answer of the judge was seen, and do not count');
    const blind = labels.filter(({ part, seen }) => part === 'held-out' && !seen);
    expect(stdout).toContain(`${blind.length} held-out labels, which measure the judge`);
  });

  it('are added to those that the command line imports meanwhile', async () => {
    await using scene = await LabelScene.open();
    const first = await scene.next();
    await scene.cli('calibrate', 'judge', '--export', 'sheet.csv');
    const sheet = await readFile(scene.file('sheet.csv'), 'utf8');
    const [head = [], ...rows] = Papa.parse<string[]>(sheet.slice(1).trimEnd()).data;
    const filled = rows.filter((row) => !row.includes(first.id)).slice(0, 4);
    await writeFile(scene.file('sheet.csv'), Papa.unparse([head, ...filled.map((row) => ['fail', ...row.slice(1)])]));
    await scene.cli('calibrate', 'judge', '--import', 'sheet.csv');
    const { state } = await scene.set(first.id, 'pass');
    expect(state.labelled).toBe(5);
    expect((await scene.stored()).labels.map(({ label }) => label).sort()).toEqual([...Array(4).fill('fail'), 'pass']);
  });

  it('are not stored where the file is broken or no file: the error names it and the remedy, and nothing is lost', async () => {
    await using scene = await LabelScene.open();
    const result = await scene.next();
    const broken = '{\n"labels": [{}], "calibrations": []}';
    await writeFile(scene.file('turnwise.judge.json'), broken);
    await expect(scene.set(result.id, 'pass')).rejects.toThrow(
      /turnwise\.judge\.json:2: .*Restore the file from version control/,
    );
    expect(await readFile(scene.file('turnwise.judge.json'), 'utf8')).toBe(broken);
    await rm(scene.file('turnwise.judge.json'));
    await scene.set(result.id, 'pass');
    expect((await scene.stored()).labels).toHaveLength(1);
  });

  it('are not stored in an untrusted folder, and the page says so before', async () => {
    await using scene = await LabelScene.open({ trusted: false });
    const { refusal } = await scene.ask(labelsOf, scene.about);
    expect(refusal).toBe('This folder is not trusted, so no label is stored. Trust it to label results.');
    const { id } = await scene.next();
    await expect(scene.set(id, 'pass')).rejects.toThrow('not trusted');
    expect(existsSync(scene.file('turnwise.judge.json'))).toBe(false);
  });

  it('pass over results whose sessions changed since, and count them', async () => {
    await using scene = await LabelScene.open();
    const first = await scene.next();
    const changed = sessions(12).map((one) =>
      one.id === first.session ? { ...one, turns: [...one.turns, ...one.turns] } : one,
    );
    await writeFile(scene.file('a.json'), JSON.stringify({ turnwise: 1, sessions: changed }));
    await scene.ask(labelsOf, scene.about);
    const { result, unreadable } = await scene.ask(nextResult, { ...scene.about, skipped: [] });
    expect(unreadable).toBe(1);
    expect(result?.id).not.toBe(first.id);
    await rm(scene.file('a.json'));
    await scene.ask(labelsOf, scene.about);
    expect(await scene.ask(nextResult, { ...scene.about, skipped: [] })).toEqual({
      result: null,
      skipped: 0,
      unreadable: 12,
    });
  });

  it('need a run with a judge', async () => {
    await using scene = await LabelScene.open({ flags: ['--judge', 'rules', '--metrics', 'confidence'] });
    expect(await scene.ask(metricsToLabel, { run: null })).toEqual({ run: null, metrics: [] });
    expect(await scene.ask(metricsToLabel, { run: scene.run })).toEqual({ run: null, metrics: [] });
    await expect(scene.ask(labelsOf, scene.about)).rejects.toThrow('No judge answered in this run');
    await expect(scene.ask(labelsOf, { ...scene.about, run: 'gone' })).rejects.toThrow('not recorded any more');
  });
});
