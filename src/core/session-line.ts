/** Where a session begins in its file, one-based; null where the file has no lines, and where its first turn is in another one. */
export function sessionLine({
  turns: [first],
}: {
  readonly turns: readonly { readonly line: number | null; readonly file?: string | undefined }[];
}): number | null {
  return first === undefined || first.file !== undefined ? null : first.line;
}
