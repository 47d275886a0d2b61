import { describe, expect, it } from 'vitest';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { GOOD } from '../support/traces.ts';

const LOG = JSON.stringify({ rounds: [{ question: 'What is the capital of France?', reply: 'Paris.' }] });
const MAP = 'map: { name: our-log, turns: { path: rounds, input: question, output: reply } }\n';

describe('a mapping in the configuration', () => {
  it('reads files that no format matches', async () => {
    await using folder = await temporaryFolder({ 'turnwise.config.yaml': MAP, 'log.json': LOG, 'chat.json': GOOD });
    const { path: cwd } = folder;
    expect(await turnwise(['formats', 'log.json'], { cwd })).toEqual({
      code: 0,
      stdout:
        'log.json: our-log (a file with turns where the mapping "our-log" says)\n  1 session, 1 turn, 0 tool calls\n',
      stderr: '',
    });
    const { code, stdout } = await turnwise(['eval', 'log.json', 'chat.json', '--format', 'json'], { cwd });
    const { sessions, problems } = JSON.parse(stdout);
    expect([code, problems]).toEqual([0, []]);
    expect(sessions.map(({ source }: { source: { format: string } }) => source.format)).toEqual([
      'our-log',
      'openai-chat',
    ]);
    expect(sessions[0].turns[0]).toMatchObject({ pointer: '/rounds/0', line: 1 });
    expect(await turnwise(['eval', 'log.json', '--dry-run'], { cwd })).toMatchObject({
      stdout: expect.stringContaining('log.json  our-log, 1 session, 1 turn'),
    });
  });

  it('is listed and selectable like other formats', async () => {
    await using folder = await temporaryFolder({ 'my.yaml': MAP, 'chat.json': GOOD });
    const { path: cwd } = folder;
    expect((await turnwise(['formats', '--config', 'my.yaml'], { cwd })).stdout).toMatch(
      /^our-log +Your mapping "our-log"/m,
    );
    for (const [command, code] of [
      [['formats', 'chat.json'], 0],
      [['eval', 'chat.json'], 2],
      [['eval', 'chat.json', '--dry-run'], 2],
    ] as const) {
      const withFormat = await turnwise([...command, '--config', 'my.yaml', '--input-format', 'our-log'], { cwd });
      expect(withFormat).toMatchObject({
        code,
        stderr: expect.stringContaining('The mapping "our-log" finds no session in this file.'),
      });
      const unknown = await turnwise([...command, '--config', 'my.yaml', '--input-format', 'our-lgo'], { cwd });
      expect(unknown).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('There is no format "our-lgo". Did you mean "our-log"?'),
      });
    }
  });

  it('is reported with its line if invalid, and the file is still detected', async () => {
    const files = { 'turnwise.config.yaml': MAP.replace('reply', '..'), 'log.json': LOG, 'chat.json': GOOD };
    await using folder = await temporaryFolder(files);
    const { path: cwd } = folder;
    const sentence = 'turnwise.config.yaml:1:63: map.turns.output is ".."; it must be names with dots';
    expect(await turnwise(['formats', 'chat.json'], { cwd })).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('chat.json: openai-chat'),
      stderr: expect.stringContaining(sentence),
    });
    expect(await turnwise(['eval', 'log.json'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(sentence),
    });
  });

  it('is suggested at the end of the description of an unknown file', async () => {
    await using folder = await temporaryFolder({ 'log.json': LOG, 'broken.json': '{' });
    const { path: cwd } = folder;
    expect((await turnwise(['formats', 'log.json'], { cwd })).stdout).toMatch(
      /To read your own format, map its fields with "map" .*\n$/,
    );
    expect((await turnwise(['formats', 'broken.json'], { cwd })).stdout).not.toContain('"map"');
  });
});
