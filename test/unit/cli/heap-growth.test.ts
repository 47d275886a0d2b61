import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const MODULE = join(import.meta.dirname, '../../../src/cli/heap-growth.ts');

/** Megabytes of the young generation of a process after it has made many objects of which some live for a while. */
function youngGeneration(prepare: string): number {
  const program = `
    import { getHeapSpaceStatistics } from 'node:v8';
    ${prepare}
    const alive = [];
    for (let index = 0; index < 1e6; index += 1) {
      const made = { index, text: 'x' + index };
      if (index % 3 === 0) alive.push(made);
      if (alive.length > 50_000) alive.length = 0;
    }
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    console.log(space.space_size / 2 ** 20);`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }));
}

it('keeps the young generation of a process small, unless only the old one is limited', () => {
  const limited = (name: string) => youngGeneration(`(await import(${JSON.stringify(MODULE)})).${name}();`);
  expect(youngGeneration('')).toBeGreaterThan(8);
  expect(limited('limitHeapGrowth')).toBeLessThanOrEqual(4);
  expect(limited('limitOldGeneration')).toBeGreaterThan(8);
});
