import { expect, it } from 'vitest';
import { run } from '../../../src/cli/program.ts';
import { PRESETS } from '../../../src/config/presets.ts';
import { fakeHost } from '../../support/fake-host.ts';

async function metrics(...args: string[]) {
  const host = fakeHost({ cwd: '/' });
  const code = await run(['metrics', ...args], host);
  return { code, ...host.written };
}

it('lists the names that stand for several metrics', async () => {
  const { code, stdout } = await metrics();
  expect(code).toBe(0);
  for (const [name, list] of Object.entries(PRESETS)) {
    expect(stdout).toMatch(new RegExp(`^  ${name} +${list.join(', ')}$`, 'm'));
  }
});

it('lists the metrics of a preset', async () => {
  const { code, stdout } = await metrics('retrieval');
  expect(code).toBe(0);
  const listed = stdout.split('\n').flatMap((line) => /^(\w+) {2,}(?:turn|session|run) /.exec(line)?.[1] ?? []);
  expect(listed.sort()).toEqual(['search_f1', 'search_precision', 'search_recall', 'source_attribution']);
});

it('suggests such a name for one that is close', async () => {
  expect(await metrics('automaton')).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('Unknown metric "automaton". Did you mean "automation"?'),
  });
});
