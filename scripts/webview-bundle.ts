import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildOptions } from 'esbuild';

const root = join(import.meta.dirname, '..');

const app = [
  { in: 'webview/main.tsx', out: 'report' },
  { in: 'webview/report.css', out: 'report' },
  { in: 'webview/runs/runs.css', out: 'runs' },
];

/**
 * Bundles the report panel for the browser of VS Code 1.105. The sessions overview, the pages about runs and the timeline
 * are loaded when they are opened.
 */
export const webviewBundle = {
  absWorkingDir: root,
  entryPoints: app,
  outdir: 'dist/webview',
  bundle: true,
  platform: 'browser',
  format: 'esm',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  target: 'chrome138',
  jsx: 'automatic',
  minify: true,
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions;

/** Bundles the panel with a page that runs it in a plain browser; a page of the file system can't load modules. */
export const standaloneBundle = {
  ...webviewBundle,
  entryPoints: [
    ...app,
    { in: 'webview/standalone.ts', out: 'standalone' },
    { in: 'webview/themes.css', out: 'themes' },
  ],
  outdir: 'dist/standalone',
  format: 'iife',
  splitting: false,
} satisfies BuildOptions;

/** Bundles the app of HTML reports, which \`src/reports/html\` puts into one file with the data. */
export const reportPageBundle = {
  ...webviewBundle,
  entryPoints: [
    { in: 'webview/page/main.tsx', out: 'page' },
    { in: 'webview/page/page.css', out: 'page' },
  ],
  outdir: 'dist/report-page',
  format: 'iife',
  splitting: false,
} satisfies BuildOptions;

/** The page that runs the panel without an editor. */
export async function copyStandalonePage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await copyFile(join(root, 'webview', 'standalone.html'), join(folder, 'standalone.html'));
}
