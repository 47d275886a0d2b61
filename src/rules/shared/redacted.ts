const REDACTION = /^\W{0,3}(redacted|masked|hidden|filtered|removed|omitted|truncated|scrubbed)\W{0,3}$/i;

/** Whether an export has put this in place of a value that it keeps to itself: `[REDACTED]`, `***`. */
export function looksRedacted(found: unknown): boolean {
  return (
    typeof found === 'string' && found.length < 40 && (REDACTION.test(found) || /^(\*{3,}|x{4,}|X{4,})$/.test(found))
  );
}

/** Whether an export has cut a text and says so at its end: `…`, `...`, `[truncated]`. */
export function looksTruncated(text: string): boolean {
  return /(…|\.{3}|[[(<]?\b(truncated|omitted)\b.{0,20}[\])>]?)\s*$/i.test(text.slice(-60));
}
