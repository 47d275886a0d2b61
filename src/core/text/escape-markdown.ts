/** Characters that begin or end markup, HTML, an entity, a table, a formula or a mail address. */
const INLINE_MARKUP = /[\\`*_{}[\]<>&~!#|$@]/g;
/** What begins a list at the start of a line. */
const LEADING_MARKUP = /^(?:[+-]|\d{1,9}(?=[.)](?:\s|$)))/;
/** What editors turn into a link without any markup. */
const AUTOLINK = /:(?=\/\/)|(?<=www)\./gi;

/** A text on one line, without invisible characters, as inert Markdown: no links, images, markup or HTML. */
export function escapeMarkup(line: string): string {
  return line
    .replace(INLINE_MARKUP, '\\$&')
    .replace(AUTOLINK, '\\$&')
    .replace(LEADING_MARKUP, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`));
}
