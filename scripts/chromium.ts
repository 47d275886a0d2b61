/** Installs Chromium before tests run in parallel, and prints its path. */
import { chromium } from '../test/support/vscode/install.ts';

console.log(await chromium(console.log));
