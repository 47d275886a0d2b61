/** Finds the lines of offsets in a text: zero-based lines and characters, in UTF-16 code units. Logarithmic in the lines. */
export function positionFinder(
  text: string,
): (offset: number) => { readonly line: number; readonly character: number } {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low, character: offset - (starts[low] ?? 0) };
  };
}
