import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seeded, text } from './generate.ts';
import { table } from './validity/markdown.ts';

/** Files that the sessions are divided among where they are not in one. */
const FILES = 100;

/** The first is what the others are compared with. */
const SESSIONS = [1000, 10_000, 30_000];

/** Measures the peak memory of `turnwise eval` over more and more sessions, in one file and in many. @returns a table. */
export function measureSessionMemory(): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-'));
  try {
    const rows: string[][] = [];
    for (const files of [1, FILES]) {
      for (const recorded of [false, true]) {
        const peaks = SESSIONS.map((sessions) => {
          const input = join(folder, `${files}-${sessions}`);
          if (!existsSync(input)) writeSessions(input, sessions, files);
          return peakOfEvaluation(input, recorded, folder);
        });
        const growth = ((peaks.at(-1) ?? 0) / (peaks[0] ?? 1)).toFixed(1);
        const name = `${files === 1 ? 'one file' : `${files} files`}, ${recorded ? 'recorded' : '`--record none`'}`;
        rows.push([name, ...peaks.map((megabytes) => `${Math.round(megabytes)} MB`), `${growth} ×`]);
      }
    }
    const counts = SESSIONS.map((sessions) => `${sessions.toLocaleString('en-US')} sessions`);
    return table(['', ...counts, 'last against first (aim: 1.2)'], ...rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const PRINT_PEAK =
  'process.on("exit", () => process.stderr.write("\\npeak " + process.resourceUsage().maxRSS + "\\n"));';

function peakOfEvaluation(input: string, recorded: boolean, folder: string): number {
  const built = join(import.meta.dirname, '../../dist/cli.js');
  const cli = existsSync(built) ? built : join(import.meta.dirname, '../../src/cli/main.ts');
  const { stderr } = spawnSync(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(PRINT_PEAK)}`,
      ...[
        cli,
        'eval',
        input,
        '--quiet',
        '--fail-on',
        'never',
        '--format',
        'jsonl',
        '--out',
        join(folder, 'report.jsonl'),
      ],
      ...['--record', recorded ? join(folder, 'run.turnwise.zip') : 'none'],
    ],
    { encoding: 'utf8', cwd: folder, env: { ...process.env, TURNWISE_HOME: join(folder, 'home') } },
  );
  const kilobytes = /^peak (\d+)$/m.exec(stderr)?.[1];
  if (kilobytes === undefined) throw new Error(`The evaluation failed: ${stderr.slice(-500)}`);
  return Number(kilobytes) / 1024;
}

function writeSessions(folder: string, sessions: number, files: number): void {
  mkdirSync(folder);
  const random = seeded(sessions);
  for (let file = 0; file < files; file += 1) {
    const descriptor = openSync(join(folder, `${String(file).padStart(3, '0')}.jsonl`), 'w');
    for (let index = file; index < sessions; index += files) writeSync(descriptor, `${conversation(index, random)}\n`);
    closeSync(descriptor);
  }
}

/** Two turns with one call each. */
function conversation(index: number, random: () => number): string {
  const turns = ['first', 'second'].flatMap((turn) => {
    const id = `${turn}-${index}`;
    const order = { order_id: `A-${1000 + index}`, amount: Math.floor(random() * 400) };
    const call = { id, type: 'function', function: { name: 'refund_order', arguments: JSON.stringify(order) } };
    return [
      { role: 'user', content: `Please refund order ${order.order_id}. ${text(random, 12)}` },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: id, content: JSON.stringify({ status: 'ok', note: text(random, 8) }) },
      { role: 'assistant', content: `I refunded ${order.amount} for ${order.order_id}. ${text(random, 20)}` },
    ];
  });
  return JSON.stringify({ id: `s${index}`, messages: [{ role: 'system', content: text(random, 40) }, ...turns] });
}
