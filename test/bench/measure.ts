/** One measurement in a process of its own: `node measure.ts TASK FILE` prints its figures as JSON. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../../src/core/finding.ts';
import { load } from '../../src/input/load.ts';
import { nodeFileSystem } from '../../src/input/node-file-system.ts';
import { collectFindings } from '../../src/rules/index.ts';
import { type RuleTimes, ruleTimes } from './rule-times.ts';

export interface Figures {
  readonly milliseconds: number;
  /** Of the whole process. */
  readonly peakMegabytes: number;
  /** Of `locate`: how many pointers. */
  readonly pointers?: number;
  /** Of `rules`: how much they found. */
  readonly findings?: number;
  /** Of `each-rule`. */
  readonly rules?: RuleTimes;
}

const [task = '', file = ''] = process.argv.slice(2);
const figures = await measure();
console.log(JSON.stringify({ ...figures, peakMegabytes: process.resourceUsage().maxRSS / 1024 }));

async function measure(): Promise<Omit<Figures, 'peakMegabytes'>> {
  switch (task) {
    case 'parse':
      return timed(() => parse(file));
    case 'read':
      return timed(() => read(file));
    case 'evaluate': {
      const built = join(import.meta.dirname, '../../dist/index.js');
      const { evaluate } = await import(existsSync(built) ? built : '../../src/index.ts');
      return timed(() => evaluate([file], {}));
    }
    case 'locate': {
      const { sessions, locator } = await read(file);
      const pointers = sessions.flatMap(({ turns }) => turns.map(({ pointer }) => pointer));
      return { ...(await timed(() => locator.locate(file, pointers))), pointers: pointers.length };
    }
    case 'rules': {
      const { sessions } = await read(file);
      const findings: Finding[][] = [];
      const time = await timed(() => {
        for (const session of sessions) findings.push(collectFindings(session));
        return findings;
      });
      return { ...time, findings: findings.flat().length };
    }
    case 'each-rule': {
      const { sessions } = await read(file);
      const rules = ruleTimes(sessions);
      return { milliseconds: Object.values(rules).reduce((sum, time) => sum + time, 0), rules };
    }
    default:
      throw new Error(`No task "${task}".`);
  }
}

function parse(path: string): unknown {
  const text = readFileSync(path, 'utf8');
  return path.endsWith('.jsonl')
    ? text.split('\n').map((line) => (line === '' ? null : JSON.parse(line)))
    : JSON.parse(text);
}

function read(path: string) {
  return load([path], nodeFileSystem, { signal: new AbortController().signal });
}

/** What was made stays reachable until the clock stops. */
async function timed(act: () => unknown): Promise<{ milliseconds: number }> {
  const start = performance.now();
  const made = await act();
  const milliseconds = performance.now() - start;
  if (made === undefined) throw new Error('Nothing was made.');
  return { milliseconds };
}
