import { type ReactNode, useContext } from 'react';
import { findOccurrences } from '../highlights.ts';
import { FindContext } from './find-context.ts';
import { PlainText } from './rich-text.tsx';

/** A sentence of ours; what stands in backticks is code. What it quotes is a trace's, and only text. */
export function Sentence({ text }: Readonly<{ text: string }>): ReactNode {
  return text.split('`').map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have nothing else to be known by.
      <code key={index}>
        <SentencePart text={part} />
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have nothing else to be known by.
      <SentencePart key={index} text={part} />
    ),
  );
}

function SentencePart({ text }: Readonly<{ text: string }>) {
  return <PlainText text={text} ranges={findOccurrences(text, useContext(FindContext))} />;
}
