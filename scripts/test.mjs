// Runs all tests, the cheapest first; the last line counts them. A test that needs a retry counts as failed.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const scratch = mkdtempSync(join(tmpdir(), 'turnwise-test-'));
// The command line that is shipped, and not its sources.
process.env.TURNWISE_TEST_CLI = join(import.meta.dirname, '..', 'dist', 'cli.js');
const counts = { passed: 0, failed: 0, skipped: 0, retried: 0 };

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
  for (const key of Object.keys(counts)) counts[key] += result[key] ?? 0;
}

try {
  if (await single('build', 'npm', 'run', '--silent', 'build')) {
    await single('check', 'node', 'scripts/check.mjs');
    await single('Chromium', 'node', 'scripts/chromium.ts');
    const unit = join(scratch, 'unit.json');
    const counted = (result) => ({
      passed: result.numPassedTests,
      failed: result.numFailedTests,
      skipped: result.numPendingTests + result.numTodoTests,
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
    const user = join(scratch, 'e2e.json');
    await suite('as a user, in a real VS Code', user, asIs, 'node', 'test/e2e/run.ts', '--results', user);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

const retried = counts.retried === 0 ? '' : ` (${counts.retried} passed when retried)`;
console.log(`\n${counts.passed} passed, ${counts.failed} failed${retried}, ${counts.skipped} skipped`);
process.exit(counts.failed > 0 ? 1 : 0);
