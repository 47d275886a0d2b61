import { execute, vsce } from './install.ts';

/** Writes the extension's package: what `.vscodeignore` lists, and nothing that was not built. */
export async function packageExtension(root: string, file: string, log: (line: string) => void): Promise<void> {
  const program = await vsce(log);
  // Links of the README lead into the package: nothing has to be fetched to read it.
  const args = ['package', '--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'];
  await execute(process.execPath, [program, ...args, '--out', file], root);
}
