import { describe, expect, it } from 'vitest';
import { WatchedSessions } from '../../../src/cli/watched-sessions.ts';
import type { Headline, SessionReport } from '../../../src/core/report.ts';
import { session as reportedSession } from '../reports/report.ts';

const CLEAN: Headline = { kind: 'clean', text: 'No problems found', turn: null };
const FAILED: Headline = { kind: 'failed', text: 'Failed: reward 0.0', turn: null };

function session(file: string, headline: Headline, pointer = ''): SessionReport {
  return reportedSession(`${file}${pointer}`, [], { source: { format: 'turnwise', file, pointer }, headline });
}

/** @param filesOf other files of the sessions of a file. */
function evaluation(sessions: readonly SessionReport[], filesOf: Readonly<Record<string, string[]>> = {}) {
  return {
    sessions,
    filesOf: new Map(sessions.map(({ id, source }) => [id, filesOf[source.file] ?? []] as const)),
    readFiles: sessions.map(({ source }) => source.file),
  };
}

function recorded(...evaluations: readonly Parameters<WatchedSessions['record']>[0][]) {
  const watched = new WatchedSessions('/ws');
  const changes = evaluations.map((each) => watched.record(each).map(({ kind }) => kind));
  return { watched, changes };
}

describe('watched sessions', () => {
  it('are compared with their headlines before', () => {
    const { changes } = recorded(
      evaluation([session('a.json', CLEAN)]),
      evaluation([session('a.json', FAILED), session('b.json', CLEAN)]),
      evaluation([session('a.json', { ...FAILED, text: 'Failed: reward 0.2' }), session('b.json', CLEAN)]),
      evaluation([session('a.json', CLEAN)]),
    );
    expect(changes).toEqual([['new'], ['worse', 'new'], ['changed', 'same'], ['better']]);
  });

  it('are told apart by their pointers, whatever ids they get', () => {
    const { changes } = recorded(
      evaluation([session('a.json', CLEAN, '/0'), session('a.json', FAILED, '/1')]),
      evaluation([{ ...session('a.json', CLEAN, '/0'), id: 'other' }]),
    );
    expect(changes[1]).toEqual(['same']);
  });

  it('stay known when their file cannot be parsed, and not when it has no session any more', () => {
    const { watched } = recorded(evaluation([session('a.json', FAILED), session('b.json', CLEAN)]));
    watched.record({ sessions: [], filesOf: new Map(), readFiles: [] });
    expect(watched.headlines).toHaveLength(2);
    watched.record({ sessions: [], filesOf: new Map(), readFiles: ['a.json'] });
    expect(watched.headlines.map(({ headline }) => headline)).toEqual([CLEAN]);
    expect(watched.remove('/ws/b.json')).toBe(1);
    expect(watched.headlines).toEqual([]);
  });

  it('are evaluated again with all of their files', () => {
    const { watched } = recorded(
      evaluation([session('a.json', CLEAN), session('b.json', CLEAN)], { 'a.json': ['sub/log.jsonl'] }),
    );
    expect(watched.filesToEvaluate(['/ws/sub/log.jsonl'], () => true)).toEqual(['/ws/sub/log.jsonl', '/ws/a.json']);
    expect(watched.filesToEvaluate(['/ws/other.txt'], () => false)).toEqual([]);
  });

  it.each([
    ['/ws/a.turnwise.json', ['/ws/a.json']],
    ['/ws/test_config.json', ['/ws/a.json', '/ws/b.json']],
    ['/ws/x.evalset.json', ['/ws/a.json', '/ws/b.json']],
    ['/elsewhere/x.evalset.json', []],
  ])('are evaluated again when %s changes', (path, expected) => {
    const { watched } = recorded(evaluation([session('a.json', CLEAN), session('b.json', CLEAN)]));
    expect(watched.filesToEvaluate([path], () => false)).toEqual(expected);
  });
});
