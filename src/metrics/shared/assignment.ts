/**
 * Pairs rows with columns so that the sum of their weights is greatest, as many pairs as the shorter side has.
 * The Hungarian method with potentials (Kuhn, Munkres; Jonker and Volgenant's shortest paths): O(rows² x columns).
 *
 * @param weights one row of finite numbers for each row, all of one length.
 * @returns for each row its column; null if there are more rows than columns and this one has no partner.
 */
export function optimalAssignment(weights: readonly (readonly number[])[]): (number | null)[] {
  const columns = weights[0]?.length ?? 0;
  if (weights.length <= columns) return assignRows(weights, columns);
  const transposed = Array.from({ length: columns }, (_, column) => weights.map((row) => row[column] ?? 0));
  const rows = new Array<number | null>(weights.length).fill(null);
  for (const [column, row] of assignRows(transposed, weights.length).entries()) if (row !== null) rows[row] = column;
  return rows;
}

/** For no more rows than columns. Index 0 of the work arrays stands for "none", so rows and columns count from 1. */
function assignRows(weights: readonly (readonly number[])[], columns: number): (number | null)[] {
  const rowPotential = new Float64Array(weights.length + 1);
  const columnPotential = new Float64Array(columns + 1);
  const rowOf = new Int32Array(columns + 1);
  const cost = (row: number, column: number) =>
    -(weights[row - 1]?.[column - 1] ?? 0) - at(rowPotential, row) - at(columnPotential, column);

  for (let start = 1; start <= weights.length; start += 1) {
    const least = new Float64Array(columns + 1).fill(Number.POSITIVE_INFINITY);
    const cameFrom = new Int32Array(columns + 1);
    const visited = new Uint8Array(columns + 1);
    rowOf[0] = start;
    let column = 0;
    while (at(rowOf, column) !== 0) {
      visited[column] = 1;
      const row = at(rowOf, column);
      let next = 0;
      let step = Number.POSITIVE_INFINITY;
      for (let other = 1; other <= columns; other += 1) {
        if (visited[other]) continue;
        const reduced = cost(row, other);
        if (reduced < at(least, other)) {
          least[other] = reduced;
          cameFrom[other] = column;
        }
        if (at(least, other) < step) {
          step = at(least, other);
          next = other;
        }
      }
      for (let other = 0; other <= columns; other += 1) {
        if (visited[other]) {
          rowPotential[at(rowOf, other)] = at(rowPotential, at(rowOf, other)) + step;
          columnPotential[other] = at(columnPotential, other) - step;
        } else {
          least[other] = at(least, other) - step;
        }
      }
      column = next;
    }
    while (column !== 0) {
      rowOf[column] = at(rowOf, at(cameFrom, column));
      column = at(cameFrom, column);
    }
  }

  const assigned = new Array<number | null>(weights.length).fill(null);
  for (let column = 1; column <= columns; column += 1) {
    if (at(rowOf, column) > 0) assigned[at(rowOf, column) - 1] = column - 1;
  }
  return assigned;
}

function at(values: ArrayLike<number>, index: number): number {
  return values[index] ?? 0;
}
