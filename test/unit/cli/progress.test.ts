import { describe, expect, it } from 'vitest';
import { showProgress } from '../../../src/cli/progress.ts';
import { width } from '../../../src/reports/terminal-text.ts';
import { fakeHost } from '../../support/fake-host.ts';
import { turn } from '../reports/report.ts';

const turnEvent = (done: number, of: number, session = 'conv_1') =>
  ({ type: 'turn', session, turn: turn(0), failures: [], observations: [], done, of }) as const;

const call = (cached: boolean) => ({
  name: 'helpfulness',
  prompt: { system: '', parts: [] },
  answer: '',
  failure: null,
  usage: null,
  cached,
  ms: 1,
});

describe('progress at a terminal', () => {
  it('is one line that is drawn again, and gone at the end', async () => {
    const host = fakeHost({ terminal: true, columns: 60 });
    const progress = showProgress(host.stderr, host.now);
    host.advance(400);
    progress.onFile('a.json', 1);
    host.advance(200);
    progress.onResult(turnEvent(5, 10));
    await progress.end();
    expect(host.written.stderr).toBe(
      '\r' + 'read 1 file, a.json\u001b[K' + '\r' + '▮▮▮▮▮▮▮▮▮▮▯▯▯▯▯▯▯▯▯▯ 5 of 10 turns, conv_1\u001b[K' + '\r\u001b[K',
    );
  });

  it('counts files while others are unread, since their turns are unknown', () => {
    const host = fakeHost({ terminal: true, columns: 60 });
    const progress = showProgress(host.stderr, host.now);
    progress.onFile('a.json', 4);
    host.advance(400);
    progress.onResult(turnEvent(5, 10));
    host.advance(200);
    progress.onFile('b.json', 4);
    expect(host.written.stderr.split('\u001b[K').map((line) => line.replace(/^\r/, ''))).toEqual([
      '▮▮▮▮▮▯▯▯▯▯▯▯▯▯▯▯▯▯▯▯ 5 turns, 1 of 4 files, conv_1',
      '▮▮▮▮▮▮▮▮▮▮▯▯▯▯▯▯▯▯▯▯ 5 turns, 2 of 4 files, conv_1',
      '',
    ]);
  });

  it('counts turns and calls', async () => {
    const host = fakeHost({ terminal: true, columns: 70 });
    const progress = showProgress(host.stderr, host.now);
    progress.onResult({ type: 'started', sessions: 1, turns: 10 });
    progress.onCall(call(true));
    progress.onCall(call(false));
    host.advance(400);
    progress.onCall(call(false));
    host.advance(200);
    progress.onResult(turnEvent(1, 10));
    expect(host.written.stderr.split('\u001b[K').map((line) => line.replace(/^\r[▮▯]+ /, ''))).toEqual([
      '0 of 10 turns, 2 calls',
      '1 of 10 turns, 2 calls, conv_1',
      '',
    ]);
  });

  it('tells when calls fail', () => {
    const host = fakeHost({ terminal: true, columns: 70 });
    const progress = showProgress(host.stderr, host.now);
    progress.onResult({ type: 'started', sessions: 1, turns: 10 });
    progress.onCall(call(false));
    host.advance(400);
    progress.onCall({ ...call(false), answer: null, failure: 'It does not answer.' });
    expect(host.written.stderr).toContain('0 of 10 turns, 2 calls (1 failed)');
  });

  it('does not flicker when a run is short, nor more often than one can see', async () => {
    const host = fakeHost({ terminal: true });
    const progress = showProgress(host.stderr, host.now);
    progress.onResult(turnEvent(1, 2));
    await progress.end();
    expect(host.written.stderr).toBe('');
    host.advance(1000);
    for (let done = 0; done < 100; done += 1) progress.onResult(turnEvent(done, 100));
    expect(host.written.stderr.split('\r')).toHaveLength(2);
  });

  it('stays on its line whatever a session is called', async () => {
    const host = fakeHost({ terminal: true, columns: 40 });
    const progress = showProgress(host.stderr, host.now);
    host.advance(1000);
    progress.onResult(turnEvent(1, 2, `\u001b[2J\n${'日本'.repeat(40)}`));
    const [line = ''] = host.written.stderr.slice(1).split('\u001b[K');
    expect(width(line)).toBeLessThan(40);
    expect(line).not.toMatch(/\p{Cc}/u);
  });
});

describe('progress elsewhere', () => {
  it('is a line every few seconds', async () => {
    const host = fakeHost();
    const progress = showProgress(host.stderr, host.now);
    for (let done = 1; done <= 24; done += 1) {
      host.advance(500);
      progress.onResult(turnEvent(done, 24));
    }
    await progress.end();
    expect(host.written.stderr).toBe('turnwise: 10 of 24 turns, conv_1\nturnwise: 20 of 24 turns, conv_1\n');
  });
});
