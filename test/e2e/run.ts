/**
 * Uses the packaged extension as a user does, in a real VS Code: each test in a window of its own, on a copy of the
 * workspace of its own. What the window showed in the end is a picture in `test-results`. `--only TEXT` runs the tests
 * whose names have it. Set-up, caches and their variables: test/support/vscode/install.ts.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from '../support/vscode/install.ts';
import { startServer } from '../support/vscode/server.ts';
import { testRun } from '../support/vscode/session.ts';
import { runTests } from '../support/vscode/suite.ts';
import { packageExtension } from '../support/vscode/vsix.ts';
import { evaluateTests } from './tests/evaluate.ts';
import { hostileTests } from './tests/hostile.ts';
import { judgedTests } from './tests/judged.ts';
import { modelTests } from './tests/models.ts';
import { reportTests } from './tests/report.ts';
import { themeTests } from './tests/themes.ts';
import { type UserTests, windowTests } from './window-tests.ts';

const root = join(import.meta.dirname, '..', '..');
const TESTS: UserTests = {
  ...evaluateTests,
  ...reportTests,
  ...judgedTests,
  ...modelTests,
  ...hostileTests,
  ...themeTests,
};

await testRun(async ({ scratch, vscode, browser, only, log }, add) => {
  if (!existsSync(join(root, 'dist', 'extension.cjs'))) {
    throw new SetupError('Nothing is built. Run `npm run build` first.');
  }
  process.env.TURNWISE_TEST_ONLY = only;
  const installed = join(scratch, 'turnwise.vsix');
  await packageExtension(root, installed, log);
  const profile = join(scratch, 'profile');
  await using server = await startServer(vscode, profile, { installed });
  const place = { port: server.port, browser, extensions: join(profile, 'extensions'), scratch, log };
  add(await runTests(windowTests(TESTS, place), log));
});
