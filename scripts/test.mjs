// Runs all tests, the cheapest first. The end names what failed and counts all. A test that needs a retry counts as failed.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const scratch = mkdtempSync(join(tmpdir(), 'turnwise-test-'));
// The command line that is shipped, and not its sources.
process.env.TURNWISE_TEST_CLI = join(import.meta.dirname, '..', 'dist', 'cli.js');
const counts = { passed: 0, failed: 0, skipped: 0, retried: 0 };
/** What the end says of each failure: where, and the first lines of why. */
const failures = [];

const run = (title, file, ...args) =>
  new Promise((resolve) => {
    console.log(`\n── ${title}`);
    const child = spawn(file, args, { stdio: 'inherit', shell: process.platform === 'win32' });
    child.on('error', () => resolve(1));
    child.on('close', (code) => resolve(code ?? 1));
  });

async function step(title, ...command) {
  const code = await run(title, ...command);
  if (code !== 0) console.log(`✗ ${title}: exit code ${code}`);
  return code === 0;
}

/** A step that is one test: it passed or it failed. */
async function single(title, ...command) {
  const passed = await step(title, ...command);
  counts[passed ? 'passed' : 'failed'] += 1;
  if (!passed) failures.push(`${title} (see above)`);
  return passed;
}

/** A suite that writes its counts to a JSON file. Without counts, or with an exit code and no failed test, it fails. */
async function suite(title, path, read, ...command) {
  const passed = await step(title, ...command);
  let result = { passed: 0, failed: 0, skipped: 0 };
  try {
    result = read(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    console.log(`✗ ${title}: no result was written to ${path}`);
    result.failed = 1;
  }
  if (!passed && result.failed === 0) result.failed = 1;
  if (result.failed > 0) failures.push(...(result.failures ?? [`${title}: ${result.failed} failed (see above)`]));
  for (const key of Object.keys(counts)) counts[key] += result[key] ?? 0;
}

/** The failed tests of a file, or the file that could not be loaded. */
function vitestFailures({ name, status, message, assertionResults }) {
  const file = relative(process.cwd(), name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [`${file}: ${firstLines(message)}`] : [];
  return failed.map((test) => `${file}: ${test.fullName}\n  ${firstLines(test.failureMessages.join('\n'))}`);
}

const firstLines = (text) => text.split('\n').slice(0, 4).join('\n  ');

try {
  if (await single('build', 'npm', 'run', '--silent', 'build')) {
    await single('check', 'node', 'scripts/check.mjs');
    await single('Chromium', 'node', 'scripts/chromium.ts');
    const unit = join(scratch, 'unit.json');
    const counted = (result) => ({
      passed: result.numPassedTests,
      failed: result.numFailedTests,
      skipped: result.numPendingTests + result.numTodoTests,
      failures: result.testResults.flatMap(vitestFailures),
    });
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${unit}`];
    await suite(
      'unit, webview, server, conformance, faults, command line',
      unit,
      counted,
      'vitest',
      'run',
      ...reporters,
    );
    const asIs = (result) => result;
    const host = join(scratch, 'vscode.json');
    await suite("in a real VS Code's extension host", host, asIs, 'node', 'test/vscode/run.ts', '--results', host);
    const oldest = join(scratch, 'oldest.json');
    // What uses the newest API. Searches need ripgrep, which the oldest server from npm comes without.
    const suites = 'commands,agent-tools,custom-editor,editor-models,labels,live,report';
    const inOldest = ['--engine', 'oldest', '--only', suites, '--results', oldest];
    await suite(
      'every command, and what uses new API, in the oldest VS Code that is supported',
      oldest,
      asIs,
      'node',
      'test/vscode/run.ts',
      ...inOldest,
    );
    const user = join(scratch, 'e2e.json');
    await suite('as a user, in a real VS Code', user, asIs, 'node', 'test/e2e/run.ts', '--results', user);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

if (failures.length > 0) console.log(`\nFailed:\n${failures.map((failure) => `✗ ${failure}`).join('\n')}`);
const retried = counts.retried === 0 ? '' : ` (${counts.retried} passed when retried)`;
console.log(`\n${counts.passed} passed, ${counts.failed} failed${retried}, ${counts.skipped} skipped`);
process.exit(counts.failed > 0 ? 1 : 0);
