import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { evaluate, sessions } from '../../../src/protocol/messages.ts';
import { explanations, problemGroups, sessionReport, sessionRun, signals } from '../../../src/protocol/report.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { turns } from '../../../src/protocol/turn-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { agent, chat, user } from '../../support/traces.ts';
import { ConnectedEditor } from '../connected-editor.ts';

const SAMPLES = join(import.meta.dirname, '..', '..', '..', 'samples');

/** A command of the terminal, or an option of one. */
const COMMAND_LINE = /`turnwise |\bturnwise (?:eval|watch|formats|metrics|rules|prompts|init)\b|(?<![\w-])--[a-z]\w+/;

afterEach(() => vi.unstubAllEnvs());

it('names no commands and options of the terminal in the editor', async () => {
  await using folder = await temporaryFolder({
    '.git': '',
    'not-a-trace.json': '{"name":"x"}',
    'unrewarded.json': JSON.stringify({
      ...JSON.parse(chat(user('Where is order A-1001?'), agent('It left the warehouse.'))),
      reward: 0,
    }),
  });
  await cp(SAMPLES, folder.path, { recursive: true });
  // A judge that a file beside a trace names, and which nobody has chosen.
  await writeFile(
    join(folder.path, 'test_config.json'),
    JSON.stringify({
      criteria: { final_response_match_v2: { threshold: 0.5, judge_model_options: { judge_model: 'gpt-5' } } },
    }),
  );
  vi.stubEnv('TURNWISE_HOME', join(folder.path, 'home'));
  await using server = await ConnectedEditor.to({ files: nodeFileSystem });
  const uris = [folder.path, join(folder.path, 'not-a-trace.json')].map((path) => pathToFileURL(path).href);
  const { connection } = server;
  const shown: unknown[] = [await sendRequest(connection, evaluate, { uris })];
  const files = await server.rows();
  shown.push(files);
  for (const { uri } of files) {
    const { rows } = await sendRequest(connection, sessions, { uri, offset: 0, limit: 100 });
    shown.push(rows);
    for (const { key: session } of rows) {
      shown.push(
        await sendRequest(connection, sessionReport, { session }),
        await sendRequest(connection, sessionRun, { session }),
        await sendRequest(connection, explanations, { session }),
        await sendRequest(connection, problemGroups, { session }),
        await sendRequest(connection, signals, { session, metrics: [] }),
        await sendRequest(connection, turns, { session, from: 0, count: 100 }),
      );
    }
  }
  const texts = [...textsOf(shown)];
  expect(texts.join('\n')).toContain('Unknown trace format');
  expect(texts.join('\n')).toContain('gates.outcome: false ignores it');
  expect(texts.join('\n')).toContain('gates.failOn: critical ignores it');
  expect(texts.filter((text) => COMMAND_LINE.test(text))).toEqual([]);
});

function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) yield* textsOf(part);
}
