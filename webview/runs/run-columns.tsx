import type { RunComparison } from '../../src/core/run-comparison.ts';
import { TraceText } from '../overview/trace-text.tsx';

/** The head of a table with a column for each run. @param rows what the rows are */
export function RunColumns({ rows, runs }: Readonly<{ rows: string; runs: RunComparison['runs'] }>) {
  return (
    <thead>
      <tr>
        <th scope="col">{rows}</th>
        {runs.map(({ id, label }) => (
          <th key={id} scope="col">
            <TraceText text={label} />
          </th>
        ))}
      </tr>
    </thead>
  );
}
