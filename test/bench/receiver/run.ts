/** Measures the receiver: `npm run bench:receiver -- --seconds 60 --rate 5000`; with `--editor`, Watch My Agent instead. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { startReceiver } from '../../../src/receiver/receiver-thread.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { exportOf, turnSpans } from '../../unit/receiver/generated-spans.ts';
import { measureInEditor } from './in-editor.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '5000' },
    editor: { type: 'boolean', default: false },
  },
});
if (values.editor) {
  const { rows, problems } = await measureInEditor();
  console.log(`${rows.length} turns, from the export to the row of the session: ${distribution(rows)}`);
  console.log(`to the problem on its line: ${distribution(problems)}`);
  process.exit(0);
}
const [seconds, rate] = [Number(values.seconds), Number(values.rate)];

const CONVERSATIONS = 50;
const PER_SECOND = 10;

await using folder = await temporaryFolder();
const { promise: listening, resolve: isListening } = Promise.withResolvers<number>();
const arrivals = new Map<string, number>();
const latencies: number[] = [];
const thread = startReceiver(
  new URL('../../../src/receiver/start-receiver.ts', import.meta.url),
  { folder: folder.path, port: 0, maxBytes: 4e9, keepMs: 1e9, quietMs: 60_000 },
  (news) => {
    if (news.kind === 'receiving') isListening(news.port);
    if (news.kind !== 'changes') return;
    for (const file of news.turns) {
      const sent = arrivals.get(file);
      if (sent !== undefined) latencies.push(performance.now() - sent);
    }
  },
);
const port = await listening;
const eventLoop = monitorEventLoopDelay({ resolution: 5 });
eventLoop.enable();

let number = 0;
let sent = 0;
let retried = 0;
const cpuBefore = [process.cpuUsage(), process.threadCpuUsage()] as const;
const start = performance.now();
const posts: Promise<void>[] = [];
for (let tick = 0; tick < seconds * PER_SECOND; tick += 1) {
  const wait = start + (tick * 1000) / PER_SECOND - performance.now();
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  const spans = [];
  while (spans.length < rate / PER_SECOND) {
    number += 1;
    const turn = turnSpans(number, {
      conversation: `conversation-${number % CONVERSATIONS}`,
      steps: 4,
      named: 'all',
      requests: 1,
    });
    spans.push(...turn);
  }
  sent += spans.length;
  const body = gzipSync(JSON.stringify(exportOf(spans)), { level: 1 });
  const files = new Set(spans.map(({ file }) => file));
  posts.push(post(body, files));
}
await Promise.all(posts);
const elapsed = (performance.now() - start) / 1000;
const cpu = process.cpuUsage(cpuBefore[0]);
const ofMain = process.threadCpuUsage(cpuBefore[1]);
const cpuOfThread = (cpu.user + cpu.system - ofMain.user - ofMain.system) / 1e6;
eventLoop.disable();
await thread.stop();

let written = 0;
let bytes = 0;
const seen = new Set<string>();
for (const name of (await readdir(folder.path)).filter((file) => file.endsWith('.jsonl'))) {
  const text = await readFile(join(folder.path, name), 'utf8');
  bytes += text.length;
  for (const line of text.trimEnd().split('\n')) {
    for (const { scopeSpans } of JSON.parse(line).resourceSpans) {
      for (const { spans } of scopeSpans) {
        for (const { traceId, spanId } of spans) {
          written += 1;
          seen.add(`${traceId} ${spanId}`);
        }
      }
    }
  }
}
console.log(
  `${sent} spans in ${elapsed.toFixed(1)} s: ${(sent / elapsed).toFixed(0)} a second, ${retried} requests sent again`,
);
console.log(
  `written: ${written} spans, ${seen.size} different, ${sent - seen.size} lost, ${(bytes / 1e6).toFixed(0)} MB`,
);
console.log(`processor time of the receiver: ${((cpuOfThread / sent) * 1e6).toFixed(0)} µs a span`);
console.log(`from the request to the news of a finished turn: ${distribution(latencies)}`);
console.log(
  `event loop beside it: p95 ${(eventLoop.percentile(95) / 1e6).toFixed(0)} ms, longest ${(eventLoop.max / 1e6).toFixed(0)} ms`,
);

function distribution(milliseconds: readonly number[]): string {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]?.toFixed(0);
  return `median ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms`;
}

/** As exporters do: sends again when the receiver asks for it. */
async function post(body: Uint8Array<ArrayBuffer>, files: ReadonlySet<string>): Promise<void> {
  for (const file of files) arrivals.set(file, performance.now());
  for (;;) {
    const response = await send(body).catch(() => null);
    if (response?.status === 200 && response.text === '{}') return;
    if (response && response.status !== 503) throw new Error(`${response.status} ${response.text}`);
    retried += 1;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

async function send(body: Uint8Array<ArrayBuffer>) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/traces`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
    body,
  });
  return { status: response.status, text: await response.text() };
}
