import { PlainText } from './rich-text.tsx';

/** A sentence of ours; what stands in backticks is code. What it quotes is a trace's, and only text. */
export function Sentence({ text }: Readonly<{ text: string }>) {
  return text.split('`').map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have nothing else to be known by.
      <code key={index}>
        <PlainText text={part} />
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have nothing else to be known by.
      <PlainText key={index} text={part} />
    ),
  );
}
