import { createContext, memo, type ReactNode, useContext, useMemo } from 'react';
import { type Piece, piecesOf } from '../hidden-characters.ts';
import { type Block, blocksOf, type Inline, type Item } from '../markdown.ts';
import { type Part, partsOf, type Range } from '../marks.ts';

/** Opens an address outside, when the person agrees. */
export const LinkContext = createContext<(url: string) => void>(() => {});

const NO_RANGES: readonly Range[] = [];

type PlainTextProps = Readonly<{ text: string; at?: number; ranges?: readonly Range[] }>;

/** Text of a trace: whatever it says, it is only text, and what cannot be seen in it is named. */
export function PlainText({ text, at = 0, ranges = NO_RANGES }: PlainTextProps): ReactNode {
  return partsOf(text, at, ranges).map((part) =>
    part.kind === null ? (
      <Pieces key={part.at} part={part} />
    ) : (
      <mark key={part.at} className={part.kind}>
        <Pieces part={part} />
      </mark>
    ),
  );
}

function Pieces({ part }: Readonly<{ part: Part }>): ReactNode {
  return piecesOf(part.text).map((piece) => <ShownPiece key={piece.at} piece={piece} />);
}

function ShownPiece({ piece: { text, isHidden } }: Readonly<{ piece: Piece }>): ReactNode {
  return isHidden ? <span className="invisible">{text}</span> : text;
}

type RichTextProps = Readonly<{ text: string; ranges?: readonly Range[] }>;

/** The words of a person or an agent, with the little of Markdown that helps to read them. */
export const RichText = memo(function RichText({ text, ranges = NO_RANGES }: RichTextProps) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  return blocks.map((block) => <ShownBlock key={block.at} block={block} ranges={ranges} />);
});

type Marked = Readonly<{ ranges: readonly Range[] }>;

function ShownBlock({ block, ranges }: Marked & Readonly<{ block: Block }>) {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return (
        <p className={block.type} dir="auto">
          <Inlines of={block.children} ranges={ranges} />
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
            <ShownItem key={item.at} item={item} ranges={ranges} />
          ))}
        </ul>
      );
  }
}

function ShownItem({ item: { marker, level, children }, ranges }: Marked & Readonly<{ item: Item }>) {
  return (
    <li className={`level-${level}`} dir="auto">
      <span className="marker">{marker} </span>
      <span>
        <Inlines of={children} ranges={ranges} />
      </span>
    </li>
  );
}

function Inlines({ of, ranges }: Marked & Readonly<{ of: readonly Inline[] }>): ReactNode {
  return of.map((inline) => <ShownInline key={inline.at} inline={inline} ranges={ranges} />);
}

function ShownInline({ inline, ranges }: Marked & Readonly<{ inline: Inline }>) {
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
          <Inlines of={inline.children} ranges={ranges} />
        </strong>
      );
    case 'emphasis':
      return (
        <em>
          <Inlines of={inline.children} ranges={ranges} />
        </em>
      );
    case 'link':
      return <Link inline={inline} ranges={ranges} />;
  }
}

type LinkProps = Marked & Readonly<{ inline: Extract<Inline, { type: 'link' }> }>;

/** An address is always there to be read as a whole, before anybody follows it. */
function Link({ inline: { children, url }, ranges }: LinkProps) {
  const open = useContext(LinkContext);
  const [first] = children;
  const isOwnText = first?.type === 'text' && first.text === url;
  return (
    <>
      {isOwnText ? null : <Inlines of={children} ranges={ranges} />}
      {isOwnText ? null : ' '}
      {/* biome-ignore lint/a11y/useSemanticElements: a button is a block of its own, in which a long address breaks the text */}
      <span
        role="link"
        tabIndex={0}
        className="link"
        title="Open outside the editor"
        onClick={() => open(url)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          open(url);
        }}
      >
        {isOwnText ? <Inlines of={children} ranges={ranges} /> : <PlainText text={url} />}
      </span>
    </>
  );
}
