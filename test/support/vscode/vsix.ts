import { createVSIX } from '@vscode/vsce';

/** Packages the built extension: the files that `.vscodeignore` lists. */
export async function packageExtension(root: string, file: string): Promise<void> {
  await createVSIX({
    cwd: root,
    packagePath: file,
    readmePath: 'MARKETPLACE.md',
    dependencies: false,
    allowMissingRepository: true,
    // Links of the README lead into the package, so that it can be read offline.
    rewriteRelativeLinks: false,
  });
}
