/**
 * Uses the packaged extension as a user does, in a real VS Code. Each test has its own window and its own copy of the
 * workspace, and leaves a screenshot of its end in `test-results`. `--only TEXT` runs the tests whose names contain the
 * text, those that only take pictures for review among them; `--repeat N` runs them N times. Set-up and caches: test/support/vscode/install.ts.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, SetupError, vscodeServer } from '../support/vscode/install.ts';
import { startServer } from '../support/vscode/server.ts';
import { testRun } from '../support/vscode/session.ts';
import { runTests } from '../support/vscode/suite.ts';
import { packageExtension } from '../support/vscode/vsix.ts';
import { launch } from '../support/vscode/workbench.ts';
import { evaluateTests } from './tests/evaluate.ts';
import { firstMinutesTests } from './tests/first-minutes.ts';
import { hostileTests } from './tests/hostile.ts';
import { judgedTests } from './tests/judged.ts';
import { liveTests } from './tests/live.ts';
import { modelTests } from './tests/models.ts';
import { reportTests } from './tests/report.ts';
import { recordedRunTests } from './tests/runs.ts';
import { themeTests } from './tests/themes.ts';
import { type UserTests, windowTests } from './window-tests.ts';

const root = join(import.meta.dirname, '..', '..');
const tests = (only: string): UserTests => ({
  ...firstMinutesTests,
  ...evaluateTests,
  ...reportTests,
  ...recordedRunTests,
  ...judgedTests,
  ...modelTests,
  ...liveTests,
  ...hostileTests,
  ...themeTests({ all: only !== '' }),
});

await testRun(async ({ scratch, only, log, add, addRetried }) => {
  if (!existsSync(join(root, 'dist', 'extension.cjs'))) {
    throw new SetupError('Nothing is built. Run `npm run build` first.');
  }
  process.env.TURNWISE_TEST_ONLY = only;
  const vsix = join(scratch, 'turnwise.vsix');
  await packageExtension(root, vsix);
  const profile = join(scratch, 'profile');
  await using server = await startServer(await vscodeServer(log), profile, { installed: vsix });
  await using browser = await launch(await chromium(log));
  const extensions = join(profile, 'extensions');
  const environment = { port: server.port, browser, extensions, scratch, log, addRetried };
  add(await runTests(windowTests(tests(only), environment), log));
});
