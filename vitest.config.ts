import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Many tests wait for processes and browsers. By default one processor is left without tests.
    maxWorkers: '100%',
    // Processes that tests start compile the sources once.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/turnwise-test', import.meta.url)) },
    include: ['test/**/*.test.ts'],
    exclude: ['test/vscode/**', 'test/e2e/**'],
    setupFiles: ['test/support/properties.ts'],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    // A page or a process on a busy machine takes longer than the default of a second.
    expect: { poll: { timeout: 30_000 } },
  },
});
