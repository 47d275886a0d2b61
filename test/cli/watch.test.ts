import { once } from 'node:events';
import { appendFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copilotTurn } from '../support/copilot-log.ts';
import { githubToken } from '../support/github-token.ts';
import { runningCommand } from '../support/running-command.ts';

/** A conversation in which nothing goes wrong; with an error that is not mentioned, one that does. */
function trace({ fails = false } = {}): string {
  const call = { id: 'c1', type: 'function', function: { name: 'refund', arguments: '{"order":"A-1"}' } };
  return JSON.stringify({
    id: 'conv',
    messages: [
      { role: 'user', content: 'Please refund order A-1.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: fails ? 'Error: the refund failed' : '{"status":"refunded"}' },
      { role: 'assistant', content: 'Your refund was issued.' },
    ],
  });
}

function watching(files: Readonly<Record<string, string>>, ...args: string[]) {
  return runningCommand({ '.git': '', ...files }, 'watch', ...args);
}

describe('watch', { timeout: 60_000 }, () => {
  it('evaluates what is new and what changes, and ends with Ctrl+C', async () => {
    await using it = await watching({ 'runs/a.json': trace() }, 'runs');
    await it.until('Watching 1 session: without problems. Press Ctrl+C to stop.');
    await it.write('runs/b.json', trace({ fails: true }));
    await it.until('1 session: 1 new. Now 2 sessions: 1 failed, 1 without problems.');
    expect(it.written.stdout).toMatch(/✗ Failed: .*\n +runs\/b\.json:1 · conv · risk \w+ · new/);

    await it.write('runs/a.json', trace({ fails: true }));
    await it.until('1 session: 1 worse. Now 2 sessions: 2 failed.');
    expect(it.written.stdout).toContain('was: No problems found');

    await rm(join(it.path, 'runs/b.json'));
    await it.until('runs/b.json is gone. Now 1 session: failed.');
    expect(await it.interrupt()).toBe(0);
    expect(it.written.stderr).toBe('\nturnwise: stopped watching.\n');
  });

  it('warns once of gates that no session of all that it watches has', async () => {
    const configuration = JSON.stringify({ gates: { for: [{ tag: 'beta', failOn: 'low' }] } }, null, 2);
    await using it = await watching({ 'runs/a.json': trace(), 'turnwise.config.json': configuration }, 'runs');
    await it.until('Watching 1 session');
    await it.write('runs/b.json', trace());
    await it.until('Now 2 sessions');
    const warning =
      'turnwise.config.json:5:9: warning: gates.for[0].tag "beta" matches no session and has no effect. No session has a tag: "tags" are in the trace, in its sidecar or in its scenario.\n';
    expect(it.written.stderr).toBe(warning);
  });

  it('keeps the results of a file that is broken, and compares them when it is repaired', async () => {
    await using it = await watching({ 'a.json': trace() }, 'a.json');
    await it.until('Watching 1 session');
    await it.write('a.json', trace().slice(0, 60));
    await it.until('a.json:1:', 'stderr');
    await it.write('a.json', trace());
    await it.until('1 session: 1 unchanged. Now 1 session: without problems.');
  });

  it('follows a log that a program appends to', async () => {
    await using it = await watching({ 'logs/copilot.jsonl': copilotTurn(1) }, 'logs');
    await it.until('Watching 1 session: without problems.');
    const append = (text: string) => appendFile(join(it.path, 'logs/copilot.jsonl'), text);
    const last = copilotTurn(2, `Done, with the key ${githubToken(1)}.`);
    await append(last.slice(0, -40));
    await append(last.slice(-40));
    await it.until('1 session: 1 worse. Now 1 session: with problems.');
    expect(it.written.stdout).toContain('1 problem, low: secret in an answer (turn 2)');
    await append(copilotTurn(3));
    await it.until('1 session: 1 unchanged. Now 1 session: with problems.');
    expect(it.written.stderr).toBe('');
  });

  it('evaluates a trace when its sidecar appears', async () => {
    await using it = await watching({ 'a.json': trace() }, 'a.json');
    await it.until('Watching 1 session');
    await it.write('a.turnwise.json', JSON.stringify({ outcome: { status: 'failed', reason: 'wrong order' } }));
    await it.until('1 session: 1 worse.');
  });

  it('merges a burst into one evaluation', async () => {
    await using it = await watching({ 'runs/a.json': trace() }, 'runs/**/*.json');
    await it.until('Watching 1 session');
    await Promise.all(Array.from({ length: 100 }, (_, at) => it.write(`runs/${at}.json`, trace())));
    await it.until('100 sessions: 100 new. Now 101 sessions: 101 without problems.');
    expect(it.written.stdout).toContain('and 40 more sessions; --verbose lists them');
    expect(it.written.stdout.match(/Now /g)).toHaveLength(1);
  });

  it('watches the traces of the configuration, and asks no judge', async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.writeHead(500).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const configuration = {
      traces: ['runs/*.log.json'],
      judge: { provider: 'openai', model: 'm', baseUrl: `http://127.0.0.1:${port}/v1` },
    };
    try {
      await using it = await watching({
        'turnwise.config.json': JSON.stringify(configuration),
        'runs/a.log.json': trace(),
        'runs/b.json': trace(),
      });
      await it.until('Watching 1 session: without problems.');
      await it.write('runs/c.json', trace());
      await it.write('runs/d.log.json', trace({ fails: true }));
      await it.until('1 session: 1 new. Now 2 sessions: 1 failed, 1 without problems.');
      expect(requests).toBe(0);
    } finally {
      server.close();
    }
  });

  it.each<[string[], string]>([
    [[], 'Name the files or folders to watch.'],
    [['none'], 'No such file or folder: "none".'],
    [['-'], 'Standard input cannot be watched.'],
  ])('refuses %j', async (args, sentence) => {
    await using it = await watching({}, ...args);
    await it.until(sentence, 'stderr');
  });
});
