import type { RunsHost } from '../host.ts';

/** What every page about runs gets. */
export interface RunsPageProps {
  readonly host: RunsHost;
  /** Another number after runs have changed. */
  readonly revision: number;
  readonly onRetry: () => void;
}
