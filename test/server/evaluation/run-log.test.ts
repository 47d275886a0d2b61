import { describe, expect, it } from 'vitest';
import { LogMessageNotification } from 'vscode-languageserver/node';
import { createProblem } from '../../../src/core/problem.ts';
import type { SessionReport } from '../../../src/core/report.ts';
import type { Result } from '../../../src/core/result.ts';
import { evaluate } from '../../../src/protocol/messages.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { RunLog } from '../../../src/server/evaluation/run-log.ts';
import { report, risk, session } from '../../unit/server/report-fixture.ts';
import { ChangingFiles } from '../../unit/server/sync/changing-files.ts';
import { ConnectedEditor, trace } from '../connected-editor.ts';

/** All that it is output, with how grave it is. */
class Told {
  readonly sentences: string[] = [];
  info(sentence: string): void {
    this.sentences.push(`info ${sentence}`);
  }
  warn(sentence: string): void {
    this.sentences.push(`warn ${sentence}`);
  }
  error(sentence: string): void {
    this.sentences.push(`error ${sentence}`);
  }
}

/** In parts, since it looks like a key. */
const SECRET = ['ghp_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ', '0mLq17'].join('');
const RUNNING = new AbortController().signal;

/** A log whose evaluation takes two seconds and a half. */
function logged(paths: readonly string[]): { output: Told; log: RunLog } {
  const times = [0, 2_500];
  const output = new Told();
  return { output, log: new RunLog(output, paths, () => times.shift() ?? 0) };
}

describe('the log of an evaluation', () => {
  it('has the start, the end and the judges', async () => {
    const { output, log } = logged(['/ws/a.json', '/ws/b.json', '/ws/c.json', '/ws/d.json']);
    const { run, ...rest } = report({ sessions: [session('s', '/ws/a.json')] });
    await log.track(async () => {
      log.countFiles(2);
      const usage = { ...run.usage, judgeCalls: 1, judgeCallsCached: 4 };
      log.add({ ...rest, run: { ...run, judge: { provider: 'ollama', model: 'm' }, usage } }, { problems: [] });
      return { complete: true };
    }, RUNNING);
    expect(output.sentences).toEqual([
      'info Evaluating /ws/a.json, /ws/b.json, /ws/c.json, 1 more.',
      expect.stringMatching(
        /^info Evaluated 2 files, 1 session, \d turns? in 2\.5 s; judge ollama\/m, 1 call, 4 answers from the cache\.$/,
      ),
    ]);
  });

  it('has each cause of several groups once', async () => {
    const { output, log } = logged(['/ws']);
    await log.track(async () => {
      for (const message of ['m does not answer.', 'm does not answer.', 'n does not answer.']) {
        const problems = [createProblem('warning', 'judge-unanswered', '', message)];
        const location = { uri: 'file:///', range: { start: START, end: START } };
        log.add(report({ problems }), { problems: [{ row: { severity: 'warning', message, location }, file: '/' }] });
      }
      return { complete: false };
    }, RUNNING);
    expect(output.sentences.slice(1, -1)).toEqual(['warn m does not answer.', 'warn n does not answer.']);
    expect(output.sentences.at(-1)).toContain('info Stopped after 0 files');
  });

  it('has each error of a judge once, with its metric and turn, and without secrets', async () => {
    const { output, log } = logged(['/ws/a.json']);
    const failed = (reason: string): Result => ({ ...risk(null).session_risk, status: 'error', reason });
    const turn = (index: number, reason: string): SessionReport['turns'][number] => ({
      index,
      id: `turn ${index}`,
      line: null,
      pointer: '',
      metrics: { helpfulness: failed(reason), tool_call_count: failed('This is of no judge.') },
    });
    const turns = [
      turn(1, `m answered with 500:\n${SECRET}`),
      turn(2, 'm answered with 400'),
      turn(3, 'm answered with 400'),
    ];
    await log.track(async () => {
      log.add(report({ sessions: [{ ...session('s', '/ws/a.json'), turns }] }), { problems: [] });
      return { complete: true };
    }, RUNNING);
    expect(output.sentences.slice(1, -1)).toEqual([
      expect.stringMatching(/^error \/ws\/a\.json: turn 2, helpfulness: m answered with 500: /),
      'error /ws/a.json: turn 3, helpfulness: m answered with 400 (and 1 more)',
    ]);
    expect(output.sentences.join()).not.toContain(SECRET);
  });

  it('has unexpected errors', async () => {
    const { output, log } = logged(['/ws/a.json']);
    const failing = log.track(() => Promise.reject(new Error('no room\u001b[2J')), RUNNING);
    await expect(failing).rejects.toThrow();
    expect(output.sentences.at(-1)).toMatch(/^error Could not evaluate \/ws\/a\.json: no room/);
    expect(output.sentences.at(-1)).not.toContain('\u001b');
  });

  it.each(['vscode', 'other'])('reaches an editor with file and line of broken files (%s)', async (client) => {
    const files = new ChangingFiles({ '/ws/a.trace.json': trace(), '/ws/b.trace.json': '{\n "messages": [}' });
    await using editor = await ConnectedEditor.to({ files, options: { client } });
    const lines: string[] = [];
    editor.connection.onNotification(LogMessageNotification.type, ({ message }) => void lines.push(message));
    await sendRequest(editor.connection, evaluate, { uris: ['file:///ws/a.trace.json', 'file:///ws/b.trace.json'] });
    expect(lines).toEqual([
      'Evaluating /ws/a.trace.json, /ws/b.trace.json.',
      expect.stringMatching(/^\/ws\/b\.trace\.json:2: /),
      expect.stringMatching(/^Evaluated 2 files, 1 session, 2 turns in \d+\.\d s; no judge\.$/),
    ]);
  });
});

const START = { line: 0, character: 0 };
