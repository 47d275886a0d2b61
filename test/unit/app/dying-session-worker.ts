import { serveSessionWorker } from '../../../src/app/serve-session-worker.ts';
import { RULES } from '../../../src/rules/index.ts';
import { defineRule } from '../../../src/rules/rule.ts';

/** A thread that ends, fails or eats all memory where a session says so. */
const DYING_RULE = defineRule({
  id: 'dying-rule',
  title: 'Dies',
  proves: 'Nothing.',
  severity: 'low',
  label: null,
  affects: [],
  page: { how: '', silent: '', remedy: '' },
  check({ session }) {
    const text = JSON.stringify(session.turns);
    if (text.includes('end this thread')) process.exit(1);
    if (text.includes('throw in a callback')) {
      queueMicrotask(() => {
        throw new Error('no luck');
      });
    }
    if (text.includes('eat all memory')) for (const all: unknown[] = []; ; ) all.push(new Array(100_000).fill(text));
    return [];
  },
});

serveSessionWorker([...RULES, DYING_RULE]);
