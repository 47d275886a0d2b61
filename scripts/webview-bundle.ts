import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildOptions } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** Bundles the report panel for the browser of VS Code 1.104, and a page that runs it in a plain browser. */
export const webviewBundle = {
  absWorkingDir: root,
  entryPoints: [
    { in: 'webview/main.tsx', out: 'report' },
    { in: 'webview/report.css', out: 'report' },
    { in: 'webview/standalone.ts', out: 'standalone' },
    { in: 'webview/themes.css', out: 'themes' },
  ],
  outdir: 'dist/webview',
  bundle: true,
  platform: 'browser',
  format: 'iife',
  target: 'chrome138',
  jsx: 'automatic',
  minify: true,
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions;

/** The page that runs the panel without an editor. */
export async function copyStandalonePage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await copyFile(join(root, 'webview', 'standalone.html'), join(folder, 'standalone.html'));
}
