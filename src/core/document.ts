/** A parsed file whose format is not known yet. */
export interface Document {
  /** As the user would type it, or `-` for standard input. */
  readonly file: string;
  /**
   * The parsed JSON. Of a JSON Lines file: an array with one entry per line of the file, `undefined` where the line
   * is blank or broken, so that the first token of a pointer is the number of the line.
   */
  readonly value: unknown;
  readonly lines: boolean;
  /** Of a part of a JSON Lines file: the number of the line that is the first of `value`. */
  readonly firstLine?: number;
}
