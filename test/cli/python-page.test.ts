import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { childEnvironment } from '../support/child-environment.ts';
import { CLI_MAIN } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const hasPython = process.platform !== 'win32' && spawnSync('python3', ['--version']).status === 0;

/** Calls the tests of a file as pytest does, and prints what each raised. */
const RUN_TESTS = `
import json, test_agent
raised = {}
for name in [name for name in vars(test_agent) if name.startswith("test_")]:
    try:
        getattr(test_agent, name)()
        raised[name] = None
    except AssertionError as error:
        raised[name] = str(error)
print(json.dumps(raised))
`;

describe.skipIf(!hasPython)('the page for Python users', () => {
  it('has a trace and tests that run as they are written', async () => {
    await using folder = await temporaryFolder({ '.git': '' });
    const { path } = folder;
    const text = await readFile(join(ROOT, 'docs', 'python.md'), 'utf8');
    const blocks = text.matchAll(/```python\n# (\S+)\n([\s\S]*?)```/g);
    for (const [, name = '', code = ''] of blocks) await writeFile(join(path, name), code);
    // The package is not installed here: `npx turnwise` runs this repository.
    const bin = join(path, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${CLI_MAIN}' "$@"\n`);
    await chmod(join(bin, 'npx'), 0o755);
    const env = { ...childEnvironment(path), PATH: `${bin}${delimiter}${process.env.PATH}` };
    const python = (...args: string[]) => spawnSync('python3', args, { cwd: path, env, encoding: 'utf8' });

    expect(python('record.py')).toMatchObject({ status: 0, stderr: '' });
    const tests = python('-c', RUN_TESTS);
    expect(tests.stderr).toBe('');
    expect(JSON.parse(tests.stdout)).toEqual({
      test_agent_did_its_job: 'traces/refund.trace.json: Failed: success claimed after an error (turn 1)',
      test_agent_claims_nothing_that_its_calls_contradict: expect.stringMatching(
        /^traces\/refund\.trace\.json:\d+ `refund_order` failed with "Error: amount/,
      ),
    });
  });
});
