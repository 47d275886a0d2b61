import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

const FIXTURE = join(import.meta.dirname, '..', 'fixtures', 'v0.1.0');

/** The folder in which 0.1.0 wrote what is in the fixture. */
export const ORIGINAL_FOLDER = '/workspace';

/** A copy of the workspace that 0.1.0 evaluated, and of its data folder. */
export async function workspaceOfV010() {
  const copy = await temporaryFolder();
  const [folder, home] = [join(copy.path, 'workspace'), join(copy.path, 'home')];
  for (const name of ['plan-change-four-attempts.json', 'refund-claimed-after-error.json']) {
    await cp(join(FIXTURE, 'traces', name), join(folder, 'traces', name));
  }
  await cp(join(FIXTURE, 'workspace'), folder, { recursive: true });
  await cp(join(FIXTURE, 'home'), home, { recursive: true });
  return { folder, home, [Symbol.asyncDispose]: () => copy[Symbol.asyncDispose]() };
}
