import { readFile } from 'node:fs/promises';

/** The app of the page, which `npm run build` makes of `webview`. */
export interface PageFiles {
  readonly script: string;
  readonly styles: string;
}

/** Where the app is: beside the bundle, above a chunk of it, and for the sources in the folder of the bundle. */
const FOLDERS = ['./report-page', '../report-page', '../../../dist/report-page'] as const;

/** @throws Error where this installation has no app. */
export async function readPageFiles(): Promise<PageFiles> {
  for (const folder of FOLDERS) {
    const read = (name: string) => readFile(new URL(`${folder}/${name}`, import.meta.url), 'utf8').catch(() => null);
    const [script, styles] = await Promise.all([read('page.js'), read('page.css')]);
    if (script !== null && styles !== null) return { script, styles };
  }
  throw new Error('This installation lacks the files of the HTML report. Install Turnwise again.');
}
