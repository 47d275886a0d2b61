import type { ReportWriter } from '../report-writer.ts';

/** One file that shows a run in a browser, without a request: the app of the panel with its data inside. */
export const htmlReport: ReportWriter = {
  name: 'html',
  title: 'one file for a browser: the run, and each session with its transcript',
  extension: '.html',
  mediaType: 'text/html',
  async *write(report, { record = null }) {
    // No other report loads the panel.
    const { writePage } = await import('./report-page.ts');
    yield* writePage(report, record);
  },
};
