/**
 * `npm run bench:html`: how long an HTML report of 10,000 turns takes to be written and to be shown, as one session and as 3,334
 * sessions of three turns. It prints figures, and neither passes nor fails.
 */
import { spawnSync } from 'node:child_process';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { chromium } from '../support/vscode/install.ts';
import { launch } from '../support/vscode/workbench.ts';

const CLI = join(import.meta.dirname, '..', '..', 'dist', 'cli.js');
const REPEATS = 5;

function messages(count: number, name: string): readonly object[] {
  return Array.from({ length: count }, (_, at) => {
    const order = JSON.stringify({ order_id: `CL-${at}` });
    const call = { id: `c${at}`, type: 'function', function: { name: 'get_order', arguments: order } };
    const result = JSON.stringify({ id: `CL-${at}`, total: at * 3, status: at % 50 === 0 ? 'lost' : 'shipped' });
    return [
      { role: 'user', content: `Where is order ${at} of ${name}? ${'Please tell me more. '.repeat(at % 7)}` },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: `c${at}`, content: result },
      { role: 'assistant', content: `Order CL-${at} costs ${at * 3}. ${'We will keep you informed. '.repeat(at % 5)}` },
    ];
  }).flat();
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const span = (values: readonly number[]): string =>
  `${Math.round(median(values))} ms (${Math.round(Math.min(...values))} – ${Math.round(Math.max(...values))})`;

await using folder = await temporaryFolder({ '.git': '' });
const many = Array.from({ length: 3334 }, (_, at) => JSON.stringify({ id: `s${at}`, messages: messages(3, `s${at}`) }));
await writeFile(join(folder.path, 'one.json'), JSON.stringify({ messages: messages(10_000, 'one') }));
await writeFile(join(folder.path, 'many.jsonl'), many.join('\n'));
await using browser = await launch(await chromium(() => {}));
for (const trace of ['one.json', 'many.jsonl']) {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [CLI, ...args], {
      cwd: folder.path,
      env: { ...process.env, TURNWISE_HOME: join(folder.path, 'home') },
    });
  run('eval', trace, '--fail-on', 'never', '--with-transcripts', '--quiet');
  const started = performance.now();
  run('report', 'last', '--to', 'html=report.html');
  const written = performance.now() - started;
  const file = join(folder.path, 'report.html');
  console.log(`${trace}: written in ${Math.round(written)} ms, ${((await stat(file)).size / 1e6).toFixed(1)} MB`);
  const times = { painted: [] as number[], listed: [] as number[], opened: [] as number[] };
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    await using context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
    const page = await context.newPage();
    await page.goto(pathToFileURL(file).href, { waitUntil: 'commit' });
    const row = page.locator('#session-1:not([aria-busy=true])');
    await row.waitFor();
    const [painted = Number.NaN, listed = Number.NaN] = await page.evaluate<number[]>(
      '[performance.getEntriesByName("first-contentful-paint")[0]?.startTime, performance.now()]',
    );
    await row.click();
    await page.locator('article .transcript').first().waitFor();
    const opened = await page.evaluate<number>('performance.now()');
    times.painted.push(painted);
    times.listed.push(listed);
    times.opened.push(opened - listed);
  }
  console.log(`  first paint ${span(times.painted)}, sessions ${span(times.listed)}`);
  console.log(`  a session from the click to its first turn ${span(times.opened)}`);
}
