import * as l10n from '@vscode/l10n';
import { escapeMarkup } from '../../core/text/escape-markdown.ts';
import type { FileLocation } from '../../protocol/messages.ts';
import { visibleText } from './visible-text.ts';

/** Limit of a reason; the report shows all of it. */
const MAX_LENGTH = 600;

/** Text of a trace or a model as inert Markdown: no links, images, markup or HTML. */
export function escapeMarkdown(text: string, longest = MAX_LENGTH): string {
  return escapeMarkup(visibleText(text, longest));
}

/** A link to a location in a file, with a one-based line and column. */
export function locationLink({ uri, range: { start } }: FileLocation, words: string): string {
  return `[${escapeMarkdown(words, 120) || l10n.t('here')}](${encodeLinkTarget(uri)}#L${start.line + 1},${start.character + 1})`;
}

/** Encodes what could end the target or be read as an entity. */
function encodeLinkTarget(uri: string): string {
  return uri.replace(/[()[\]<>&\\\s]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
