import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { getObject, isObject } from '../../src/core/json.ts';

const lock: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package-lock.json'), 'utf8'));

/** npm leaves out of the lock what it could not find while it wrote it, and then refuses to install from that lock. */
it('the lock file lists the binaries of every platform', () => {
  const packages = Object.entries(getObject(lock, 'packages') ?? {});
  const listed = new Set(packages.map(([path]) => path.split('node_modules/').at(-1)));
  const missing = packages.flatMap(([path, item]) =>
    Object.keys((isObject(item) && getObject(item, 'optionalDependencies')) || {})
      .filter((name) => !listed.has(name))
      .map((name) => `${name} of ${path}`),
  );
  expect(packages.length).toBeGreaterThan(50);
  expect(missing).toEqual([]);
});
