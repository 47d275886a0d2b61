import { revealHiddenCharacters } from '../hidden-characters.ts';

type TraceTextProps = Readonly<{ text: string; className?: string /** By default the text. */; title?: string }>;

/** Text of a trace on one line; what does not fit is in the tooltip. */
export function TraceText({ text, className = '', title = text }: TraceTextProps) {
  return (
    <span className={`cut ${className}`} dir="auto" title={revealHiddenCharacters(title)}>
      {revealHiddenCharacters(text)}
    </span>
  );
}
