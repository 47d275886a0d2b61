/** Text of at most `limit` UTF-16 code units, the last of them an ellipsis where something was cut. */
export function truncate(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).toWellFormed()}…`;
}

/** Text on one line: each run of white space becomes one space. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
