import * as l10n from '@vscode/l10n';
import { createContext, memo, type ReactNode, useContext, useMemo } from 'react';
import { type CharacterRun, splitHiddenCharacters } from '../hidden-characters.ts';
import { type Highlight, type HighlightPart, splitByHighlights } from '../highlights.ts';
import { type Block, type Inline, type ListItem, parseMarkdown } from '../markdown.ts';

/** Opens a URL outside the editor, after confirmation. */
export const LinkContext = createContext<(url: string) => void>(() => {});

const NO_RANGES: readonly Highlight[] = [];

type PlainTextProps = Readonly<{ text: string; at?: number; ranges?: readonly Highlight[] }>;

/** Trace text without markup. Hidden characters are shown by name. */
export function PlainText({ text, at = 0, ranges = NO_RANGES }: PlainTextProps): ReactNode {
  return splitByHighlights(text, at, ranges).map((part) =>
    part.kind === null ? (
      <HighlightRuns key={part.at} part={part} />
    ) : (
      <mark key={part.at} className={part.kind}>
        <HighlightRuns part={part} />
      </mark>
    ),
  );
}

function HighlightRuns({ part }: Readonly<{ part: HighlightPart }>): ReactNode {
  return splitHiddenCharacters(part.text).map((run) => <TextRun key={run.at} run={run} />);
}

function TextRun({ run: { text, isHidden } }: Readonly<{ run: CharacterRun }>): ReactNode {
  return isHidden ? <span className="invisible">{text}</span> : text;
}

type RichTextProps = Readonly<{ text: string; ranges?: readonly Highlight[] }>;

/** The text of a user or an agent, with a subset of Markdown. */
export const RichText = memo(function RichText({ text, ranges = NO_RANGES }: RichTextProps) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return blocks.map((block) => <MarkdownBlock key={block.at} block={block} ranges={ranges} />);
});

type HighlightProps = Readonly<{ ranges: readonly Highlight[] }>;

function MarkdownBlock({ block, ranges }: HighlightProps & Readonly<{ block: Block }>) {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return (
        <p className={block.type} dir="auto">
          <MarkdownInlines of={block.children} ranges={ranges} />
        </p>
      );
    case 'code':
      return (
        <pre>
          <code>
            <PlainText text={block.text} at={block.at} ranges={ranges} />
          </code>
        </pre>
      );
    case 'list':
      return (
        <ul className="items">
          {block.items.map((item) => (
            <MarkdownItem key={item.at} item={item} ranges={ranges} />
          ))}
        </ul>
      );
  }
}

function MarkdownItem({ item: { marker, level, children }, ranges }: HighlightProps & Readonly<{ item: ListItem }>) {
  return (
    <li className={`indent-${level}`} dir="auto">
      <span className="marker">{marker} </span>
      <span>
        <MarkdownInlines of={children} ranges={ranges} />
      </span>
    </li>
  );
}

function MarkdownInlines({ of, ranges }: HighlightProps & Readonly<{ of: readonly Inline[] }>): ReactNode {
  return of.map((inline) => <MarkdownInline key={inline.at} inline={inline} ranges={ranges} />);
}

function MarkdownInline({ inline, ranges }: HighlightProps & Readonly<{ inline: Inline }>) {
  switch (inline.type) {
    case 'text':
      return <PlainText text={inline.text} at={inline.at} ranges={ranges} />;
    case 'code':
      return (
        <code>
          <PlainText text={inline.text} at={inline.at} ranges={ranges} />
        </code>
      );
    case 'strong':
      return (
        <strong>
          <MarkdownInlines of={inline.children} ranges={ranges} />
        </strong>
      );
    case 'emphasis':
      return (
        <em>
          <MarkdownInlines of={inline.children} ranges={ranges} />
        </em>
      );
    case 'link':
      return <Link inline={inline} ranges={ranges} />;
  }
}

type LinkProps = HighlightProps & Readonly<{ inline: Extract<Inline, { type: 'link' }> }>;

/** A link that always shows its full URL. */
function Link({ inline: { children, url }, ranges }: LinkProps) {
  const open = useContext(LinkContext);
  const [first] = children;
  const isOwnText = first?.type === 'text' && first.text === url;
  return (
    <>
      {isOwnText ? null : <MarkdownInlines of={children} ranges={ranges} />}
      {isOwnText ? null : ' '}
      {/* biome-ignore lint/a11y/useSemanticElements: a button can't wrap within a line of text */}
      <span
        role="link"
        tabIndex={0}
        className="link"
        title={l10n.t('Open outside the editor')}
        onClick={() => open(url)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          open(url);
        }}
      >
        {isOwnText ? <MarkdownInlines of={children} ranges={ranges} /> : <PlainText text={url} />}
      </span>
    </>
  );
}
