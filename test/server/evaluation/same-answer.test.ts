import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { evaluateFiles } from '../../../src/app/evaluate-files.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { evaluate, type SessionRow } from '../../../src/protocol/messages.ts';
import { sessionsIn } from '../../../src/protocol/results-outline.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { CLI_MAIN } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { GOOD } from '../../support/traces.ts';
import { ConnectedEditor } from '../connected-editor.ts';

const QUESTION = 'Will it rain in Bern?';
const session = (id: string) =>
  JSON.stringify({
    id,
    app_name: 'weather',
    user_id: 'u',
    events: [
      {
        id: 'e1',
        invocation_id: 'i1',
        author: 'user',
        timestamp: 1,
        content: { role: 'user', parts: [{ text: QUESTION }] },
      },
      {
        id: 'e2',
        invocation_id: 'i1',
        author: 'agent',
        timestamp: 2,
        content: { role: 'model', parts: [{ text: 'I do not know.' }] },
      },
    ],
  });
const evaluationSet = (...ids: string[]) =>
  JSON.stringify({
    eval_set_id: 'w',
    eval_cases: ids.map((id) => ({
      eval_id: id,
      conversation: [
        {
          user_content: { parts: [{ text: QUESTION }] },
          intermediate_data: { tool_uses: [{ name: 'get_weather', args: { city: 'Bern' } }] },
        },
      ],
    })),
  });
const CRITERIA = JSON.stringify({ criteria: { tool_trajectory_avg_score: 1 } });
/** Of a metric that needs no reference. */
const COUNT = JSON.stringify({ criteria: { tool_call_count: 1 } });
const TRACE = 'runs/rain.session.json';

interface Case {
  readonly files: Readonly<Record<string, string>>;
  readonly trace: string;
  readonly verdict: 'passed' | 'failed';
  readonly headline: string;
  /** In the folder of the trace. */
  readonly expectations?: readonly string[];
}

const CASES: readonly (readonly [what: string, Case])[] = [
  [
    'an evaluation set and criteria',
    {
      files: {
        [TRACE]: session('rain'),
        'runs/all.evalset.json': evaluationSet('other', 'rain'),
        'runs/test_config.json': CRITERIA,
      },
      trace: TRACE,
      verdict: 'failed',
      headline: 'Failed: expectation not met: tool_trajectory_avg_score',
      expectations: ['all.evalset.json', 'test_config.json'],
    },
  ],
  [
    'an evaluation set of another session',
    {
      files: { [TRACE]: session('rain'), 'runs/all.evalset.json': evaluationSet('snow').replaceAll(QUESTION, 'Snow?') },
      trace: TRACE,
      verdict: 'passed',
      headline: 'No problems found',
    },
  ],
  [
    'criteria without an evaluation set',
    {
      files: { 'runs/chat.json': GOOD, 'runs/test_config.json': COUNT },
      trace: 'runs/chat.json',
      verdict: 'failed',
      headline: 'Failed: tool_call_count 0',
      expectations: ['test_config.json'],
    },
  ],
  [
    'a test_config.json of another tool',
    {
      files: { 'runs/chat.json': GOOD, 'runs/test_config.json': '{"browser": "firefox"}' },
      trace: 'runs/chat.json',
      verdict: 'passed',
      headline: 'No problems found',
    },
  ],
  [
    'an outcome in a sidecar',
    {
      files: { 'runs/chat.json': GOOD, 'runs/chat.turnwise.json': '{"outcome": "failed"}' },
      trace: 'runs/chat.json',
      verdict: 'failed',
      headline: 'Failed: marked failed in chat.turnwise.json',
      expectations: ['chat.turnwise.json'],
    },
  ],
];

describe.each(CASES)('beside a trace, %s', (_, { files, trace, verdict, headline, expectations }) => {
  it.each([
    ['the file', (folder: string) => [join(folder, trace)]],
    ['its folder', (folder: string) => [join(folder, 'runs')]],
  ])('counts for %s', async (__, paths) => {
    await using folder = await temporaryFolder({ '.git': '', ...files });
    const { report } = await evaluateFiles(paths(folder.path), {}, { env: {} });
    const row = report.sessions.find(({ source }) => source.file === join(folder.path, trace));
    expect(report.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(row).toMatchObject({ verdict, headline: { text: expect.stringContaining(headline) } });
    expect(row?.expectations).toEqual(expectations?.map((name) => join(folder.path, 'runs', name)));
  });

  it.each([
    ['the file', [trace]],
    ['its folder', ['runs']],
    ['the file after its folder', ['runs', trace]],
    ['the folder after the file', [trace, 'runs']],
  ])('counts in the editor for %s', async (__, requests) => {
    await using folder = await temporaryFolder({ '.git': '', ...files });
    await using editor = await ConnectedEditor.to({ files: nodeFileSystem, folders: [folder.path] });
    const uri = (path: string) => `file://${join(folder.path, path)}`;
    for (const path of requests) await sendRequest(editor.connection, evaluate, { uris: [uri(path)] });
    const page = await sendRequest(editor.connection, sessionsIn, { of: { file: uri(trace) }, offset: 0, limit: 10 });
    const [row]: readonly SessionRow[] = page.rows;
    expect(row).toMatchObject({ verdict, headline: { text: expect.stringContaining(headline) } });
  });

  it('counts on the command line', async () => {
    await using folder = await temporaryFolder({ '.git': '', ...files });
    const run = promisify(execFile)(process.execPath, [CLI_MAIN, 'eval', trace, '--format', 'json'], {
      cwd: folder.path,
    });
    const { stdout } = await run.catch((error: { readonly stdout: string }) => error);
    const [row] = JSON.parse(stdout).sessions;
    expect(row).toMatchObject({ verdict, headline: { text: expect.stringContaining(headline) } });
  });
});
