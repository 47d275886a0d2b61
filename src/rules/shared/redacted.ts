const REDACTION = /^\W{0,3}(redacted|masked|hidden|filtered|removed|omitted|truncated|scrubbed)\W{0,3}$/i;

/** Whether an exporter replaced a value: `[REDACTED]`, `***`. */
export function looksRedacted(value: unknown): boolean {
  return (
    typeof value === 'string' && value.length < 40 && (REDACTION.test(value) || /^(\*{3,}|x{4,}|X{4,})$/.test(value))
  );
}

/** Whether an exporter truncated a text and marked its end: `…`, `...`, `[truncated]`. */
export function looksTruncated(text: string): boolean {
  return /(…|\.{3}|[[(<]?\b(truncated|omitted)\b.{0,20}[\])>]?)\s*$/i.test(text.slice(-60));
}
