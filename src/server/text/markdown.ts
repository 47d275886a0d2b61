import * as l10n from '@vscode/l10n';
import type { FileLocation } from '../../protocol/messages.ts';
import { visibleText } from './visible-text.ts';

/** Limit of a reason; the report shows all of it. */
const MAX_LENGTH = 600;

/** Characters that begin or end markup, HTML, an entity, a table, a formula or a mail address. */
const INLINE_MARKUP = /[\\`*_{}[\]<>&~!#|$@]/g;
/** What begins a list at the start of a line. */
const LEADING_MARKUP = /^(?:[+-]|\d{1,9}(?=[.)](?:\s|$)))/;
/** What editors turn into a link without any markup. */
const AUTOLINK = /:(?=\/\/)|(?<=www)\./gi;

/** Text of a trace or a model as inert Markdown: no links, images, markup or HTML. */
export function escapeMarkdown(text: string, longest = MAX_LENGTH): string {
  return visibleText(text, longest)
    .replace(INLINE_MARKUP, '\\$&')
    .replace(AUTOLINK, '\\$&')
    .replace(LEADING_MARKUP, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`));
}

/** A link to a location in a file, with a one-based line and column. */
export function locationLink({ uri, range: { start } }: FileLocation, words: string): string {
  return `[${escapeMarkdown(words, 120) || l10n.t('here')}](${encodeLinkTarget(uri)}#L${start.line + 1},${start.character + 1})`;
}

/** Encodes what could end the target or be read as an entity. */
function encodeLinkTarget(uri: string): string {
  return uri.replace(/[()[\]<>&\\\s]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
