#!/usr/bin/env node
import { unsupportedNode } from './node-version.ts';

// Everything else is loaded after this check: it uses functions that older versions lack.
const problem = unsupportedNode(process.versions.node);
if (problem === null) {
  const [{ useCompileCache }, { VERSION }] = await Promise.all([
    import('../store/compile-cache.ts'),
    import('../version.ts'),
  ]);
  useCompileCache(VERSION, process.env);
  const [{ nodeHost }, { run }] = await Promise.all([import('./host.ts'), import('./program.ts')]);
  process.exitCode = await run(process.argv.slice(2), nodeHost());
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 2;
}
