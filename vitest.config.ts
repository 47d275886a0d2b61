import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/vscode/**', 'test/e2e/**'],
    setupFiles: ['test/support/properties.ts'],
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});
