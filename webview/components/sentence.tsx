import { type ReactNode, useContext } from 'react';
import { findOccurrences } from '../highlights.ts';
import { FindContext } from './find-context.ts';
import { PlainText } from './rich-text.tsx';

/** A generated sentence: text in backticks is code. Quoted trace text gets no other markup. */
export function Sentence({ text }: Readonly<{ text: string }>): ReactNode {
  return text.split('`').map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity.
      <code key={index}>
        <SentencePart text={part} />
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity.
      <SentencePart key={index} text={part} />
    ),
  );
}

function SentencePart({ text }: Readonly<{ text: string }>) {
  return <PlainText text={text} ranges={findOccurrences(text, useContext(FindContext))} />;
}
