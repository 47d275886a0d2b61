import { getString, isObject } from '../core/json.ts';
import { redactNamedText } from '../core/secrets.ts';

/** What wraps the value of an attribute in OTLP: the name of the value is the key of the attribute. */
const WRAPPERS = new Set(['value', 'stringValue', 'bytesValue', 'arrayValue', 'kvlistValue', 'values']);

/** Times and other digits: the most frequent texts of an export, and no secrets. */
const DIGITS = /^\d{0,20}$/;

/** An export of OTLP without the secrets in its texts. What has none is not copied: most of an export. */
export function redactExport(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return DIGITS.test(value) ? value : redactNamedText(name, value);
  if (Array.isArray(value)) {
    const redacted = value.map((item) => redactExport(item, name));
    return redacted.some((item, index) => item !== value[index]) ? redacted : value;
  }
  if (!isObject(value)) return value;
  const own = 'value' in value ? getString(value, 'key') : undefined;
  let changes: Map<string, unknown> | null = null;
  for (const key of Object.keys(value)) {
    if (own !== undefined && key !== 'value') continue;
    const redacted = redactExport(value[key], own ?? (WRAPPERS.has(key) ? name : key));
    if (redacted === value[key]) continue;
    changes ??= new Map(Object.entries(value));
    changes.set(key, redacted);
  }
  return changes ? Object.fromEntries(changes) : value;
}
