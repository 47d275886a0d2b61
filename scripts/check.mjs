// Runs every check, one after the other, and prints the output of those that fail.
import { spawn } from 'node:child_process';

const checks = {
  types: ['tsc', '-p', '.'],
  'types of the webview': ['tsc', '-p', 'webview'],
  'format and lint': ['biome', 'check', '--error-on-warnings', '.'],
  'dependency rules': ['depcruise', '--config', '.dependency-cruiser.cjs', 'src', 'webview', 'scripts', 'test'],
  names: ['node', 'scripts/check-names.ts'],
  prose: ['node', 'scripts/check-prose.ts'],
  'dead code': ['knip'],
  'strings for translators': ['node', 'scripts/l10n.ts', '--check'],
  'bundle sizes': ['node', 'scripts/check-bundles.mjs'],
};

const run = (command) =>
  new Promise((resolve) => {
    const [file, ...args] = command;
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
    });
    child.stderr.on('data', (data) => {
      output += data;
    });
    child.on('error', (error) => resolve({ code: 1, output: String(error) }));
    child.on('close', (code) => resolve({ code, output }));
  });

let failed = 0;
for (const [name, command] of Object.entries(checks)) {
  const started = performance.now();
  const { code, output } = await run(command);
  console.log(`${code === 0 ? '✓' : '✗'} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  if (code !== 0) {
    failed += 1;
    console.log(output);
  }
}
process.exit(failed === 0 ? 0 : 1);
