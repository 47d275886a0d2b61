import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { evaluateFiles } from '../../../src/app/evaluate-files.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { defineRule } from '../../../src/rules/rule.ts';
import { serveWorker } from '../../../src/server/workers/serve-worker.ts';

/** A worker that gets into an endless loop where a test wants it to: with a file that has a `.loop` beside it. A `.slow` keeps it waiting. */
async function loopOn(path: string): Promise<void> {
  if (existsSync(`${path}.slow`)) await setTimeout(500);
  if (existsSync(`${path}.loop`)) for (;;);
}

/** Loops, or allocates, for ever where the session says so. */
const LOOPING_RULE = defineRule({
  id: 'looping-rule',
  title: 'Loops',
  proves: 'Nothing.',
  severity: 'low',
  label: null,
  affects: [],
  page: { how: '', silent: '', remedy: '' },
  check({ session }) {
    const text = JSON.stringify(session.turns);
    if (text.includes('loop in a rule')) for (;;);
    if (text.includes('eat all memory')) for (const all: unknown[] = []; ; ) all.push(new Array(100_000).fill(text));
    return [];
  },
});

serveWorker({
  files: {
    ...nodeFileSystem,
    read: async (path, signal) => {
      const bytes = await nodeFileSystem.read(path, signal);
      await loopOn(path);
      return bytes;
    },
    readStart: async (path) => {
      await loopOn(path);
      return nodeFileSystem.read(path);
    },
  },
  evaluateFiles: (paths, configuration, options) =>
    evaluateFiles(paths, configuration, { ...options, rules: [LOOPING_RULE] }),
});
