import { revealHiddenCharacters } from '../hidden-characters.ts';

/** Text of a trace on one line; what does not fit is in the tooltip. */
export function TraceText({ text, className = '' }: Readonly<{ text: string; className?: string }>) {
  const shown = revealHiddenCharacters(text);
  return (
    <span className={`cut ${className}`} dir="auto" title={shown}>
      {shown}
    </span>
  );
}
