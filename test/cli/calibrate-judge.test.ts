import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { judgeFileSchema } from '../../src/core/schemas/judge-labels.ts';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** An agent that loses every fourth order, and a judge that is wrong about every ninth. */
const SESSIONS = Array.from({ length: 120 }, (_, i) => {
  const id = i === 5 ? '=HYPERLINK("http://x.test","s5")' : i === 6 ? "'@s6" : `s${i}`;
  const note = i === 7 ? '=1+1, "quoted"\nand a second line' : i % 4 === 0 ? 'lost' : 'on its way';
  return { id, turns: [{ input: `Where is order ${i}?`, output: `${note}`, steps: [] }] };
});

const judge = (model: string) => `export default {
  metrics: ['faithfulness'],
  gates: { thresholds: { faithfulness: 4.9 }, judge: 'calibrated' },
  judge: { provider: 'function', name: 'weak', model: '${model}', ask: ({ prompt }) => {
    const n = Number(/Where is order (\\d+)/.exec(prompt)?.[1] ?? 0);
    const isBad = (n % 4 === 0) !== (n % 9 === 0);
    return { faithfulness: { evidence: [], reason: 'because', score: isBad ? 2 : 5 } };
  } },
};
`;

const configuration = (model = 'v1') => judge(model);

async function project() {
  const folder = await temporaryFolder({
    '.git': '',
    'a.json': JSON.stringify({ turnwise: 1, sessions: SESSIONS }, null, 1),
    'turnwise.config.mjs': configuration(),
  });
  const env = { TURNWISE_HOME: join(folder.path, 'home') };
  const run = (...args: string[]) => turnwise(args, { cwd: folder.path, env });
  const file = (name: string) => join(folder.path, name);
  return {
    run,
    file,
    calibrate: (...args: string[]) => run('calibrate', 'judge', ...args),
    labels: async () => judgeFileSchema.parse(JSON.parse(await readFile(file('turnwise.judge.json'), 'utf8'))),
    /** What a person writes into a sheet, in a spreadsheet with semicolons. */
    fill: async (name: string, label: (agent: string) => string) => {
      const { data } = Papa.parse<string[]>((await readFile(file(name), 'utf8')).trimStart().trimEnd());
      const [head = [], ...rows] = data;
      const agent = head.indexOf('agent');
      const filled = rows.map((row) => [label(row[agent] ?? ''), 'mine', ...row.slice(2)]);
      await writeFile(file(name), Papa.unparse([head, ...filled], { delimiter: ';' }));
    },
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

const right = (agent: string) => (agent.includes('lost') ? 'n' : 'y');

describe('turnwise calibrate judge', () => {
  it('goes from a blind sheet to figures on held-out labels, corrected reports and a gate', async () => {
    await using folder = await project();
    const informed = await folder.run('eval', 'a.json');
    expect(informed.code).toBe(0);
    expect(informed.stderr).toContain(
      'The threshold of faithfulness does not gate: weak/v1 is not calibrated for faithfulness.',
    );

    await writeFile(folder.file('open.config.mjs'), configuration().replace(", judge: 'calibrated'", ''));
    const open = await folder.run('eval', 'a.json', '--config', 'open.config.mjs');
    expect(open.code).toBe(1);
    expect(open.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'weak/v1 is not calibrated for faithfulness, which failed a gate: how often it is right is not known.',
    );
    expect(informed.stdout).not.toContain('is not calibrated');

    await folder.calibrate('--export', 'labels.csv', '--count', '12');
    const first = await readFile(folder.file('labels.csv'), 'utf8');
    await folder.fill('labels.csv', right);
    await folder.calibrate('--import', 'labels.csv');
    const tooFew = await folder.calibrate();
    expect(tooFew.code).toBe(2);
    expect(tooFew.stdout).toContain('Too few: 50 held-out labels are needed, 42 more.');
    expect((await folder.labels()).calibrations).toEqual([]);

    await folder.calibrate('--export', 'labels.csv', '--count', '120');
    const second = await readFile(folder.file('labels.csv'), 'utf8');
    expect(ids(second).size).toBe(108);
    expect([...ids(second)].filter((id) => ids(first).has(id))).toEqual([]);
    expect(second).not.toContain('because');
    const { data } = Papa.parse<string[]>(second.slice(1).trimEnd());
    expect(data[0]).not.toContain('score');
    expect(data.flat().filter((cell) => /^[=+\-@]/.test(cell))).toEqual([]);

    await folder.fill('labels.csv', right);
    await folder.calibrate('--import', 'labels.csv');
    const { code, stdout } = await folder.calibrate();
    expect(code).toBe(0);
    expect(stdout).toMatch(/faithfulness · judge weak\/v1 · question [0-9a-f]{8} · threshold 4/);
    expect(stdout).toMatch(/kappa {7}0\.\d\d \[0\.\d\d to 0\.\d\d\]/);
    expect(stdout).toMatch(/corrected \d\d% \[\d\d% to \d\d%\] \(PPI\+\+, lambda 0\.\d\d\)/);
    expect(stdout).toMatch(/a\.json:\d+ {2}turn 1 of s\d+: judge 5, person fail \(mine\)/);
    const { labels, calibrations } = await folder.labels();
    expect(labels).toHaveLength(120);
    expect(labels.map(({ session }) => session)).toEqual(
      expect.arrayContaining(['=HYPERLINK("http://x.test","s5")', "'@s6"]),
    );
    expect(calibrations[0]?.cases).toHaveLength(labels.filter(({ part }) => part === 'held-out').length);

    const reports = ['json=report.json', 'markdown=report.md', 'html=report.html'];
    const gated = await folder.run('eval', 'a.json', ...reports.flatMap((report) => ['--report', report]));
    expect([gated.code, gated.stderr.includes('does not gate')]).toEqual([1, false]);
    expect(gated.stdout).not.toContain('is not calibrated');
    expect(gated.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /faithfulness: \d+ % would pass by \d+ labels of people \(95% interval \d+ % to \d+ %\); weak\/v1 passes \d+ %/,
    );
    const { corrected } = JSON.parse(await readFile(folder.file('report.json'), 'utf8')).metrics.faithfulness.metadata;
    expect(corrected.share).toBeGreaterThan(corrected.judged);
    expect(await readFile(folder.file('report.md'), 'utf8')).toMatch(/- \*\*faithfulness\*\*: \d+ % would pass by/);
    const page = await readFile(folder.file('report.html'), 'utf8');
    const index = /id="index">([^<]+)</.exec(page)?.[1] ?? '';
    expect(inflateRawSync(Buffer.from(index, 'base64')).toString()).toMatch(/\d+ % would pass by \d+ labels of people/);

    const fixed = SESSIONS.map((one) => ({ ...one, turns: one.turns.map((turn) => ({ ...turn, output: 'found' })) }));
    await writeFile(folder.file('a.json'), JSON.stringify({ turnwise: 1, sessions: fixed }, null, 1));
    for (const isRecorded of [true, false]) {
      const text = configuration().replace('metrics:', `history: { record: ${isRecorded} }, metrics:`);
      await writeFile(folder.file('turnwise.config.mjs'), text);
      const { stdout: again } = await folder.run('eval', 'a.json');
      expect(again).not.toContain('would pass');
      expect(again.replaceAll(/\s+/g, ' ')).toContain(
        'faithfulness: no corrected share: the labels are of other answers than those of this run.',
      );
    }
    expect((await folder.calibrate('--dry-run')).stdout.replaceAll(/\s+/g, ' ')).toContain(
      'no corrected share: the labels are of other answers than those of this run.',
    );
  });

  it('does not count labels of another judge, and says so', async () => {
    await using folder = await project();
    await folder.run('eval', 'a.json', '--sample', '9');
    await folder.calibrate('--export', 'labels.csv', '--count', '3');
    await folder.fill('labels.csv', right);
    await folder.calibrate('--import', 'labels.csv');
    await writeFile(folder.file('turnwise.config.mjs'), configuration('v2'));
    await folder.run('eval', 'a.json', '--sample', '9');
    const foreign = await folder.calibrate('--import', 'labels.csv');
    expect(foreign.code).toBe(2);
    expect(foreign.stderr).toMatch(/labels\.csv:2: This label is about the judge weak\/v1, and weak\/v2 answered/);
    expect((await folder.calibrate()).stdout).toContain('3 labels of the judge weak/v1 do not count for this one');
    expect((await folder.calibrate('--export', 'a.json')).stderr).toContain('--export a.json would replace a.json');
  });

  it('says what to do where no judge answered, and names the line of a broken label', async () => {
    await using folder = await project();
    await folder.run('eval', 'a.json', '--sample', '9', '--judge', 'rules', '--metrics', 'confidence');
    expect((await folder.calibrate()).stderr).toContain('No judge answered in this run, so there is nothing to label.');
    await writeFile(folder.file('turnwise.judge.json'), '{\n"labels": [{}], "calibrations": []}');
    const { code, stderr } = await folder.calibrate();
    expect(code).toBe(2);
    expect(stderr).toContain('turnwise.judge.json:2:');
    expect(stderr).toContain('Restore the file from version control');
  });
});

function ids(csv: string): Set<string> {
  return new Set(csv.match(/r[0-9a-f]{15}/g));
}
