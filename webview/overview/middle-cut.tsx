import { revealHiddenCharacters } from '../hidden-characters.ts';
import { TraceText } from './trace-text.tsx';

/** The characters at the end that are always shown. */
const END = 6;

type MiddleCutProps = Readonly<{ text: string; className?: string; title?: string }>;

/** An id on one line. What does not fit is cut out of its middle, since ids differ at their ends. */
export function MiddleCut({ text, className = '', title = text }: MiddleCutProps) {
  const characters = Array.from(revealHiddenCharacters(text));
  if (characters.length <= 2 * END) return <TraceText text={text} className={`${className} short`} title={title} />;
  return (
    <span className={`middle-cut ${className}`} dir="auto" title={revealHiddenCharacters(title)}>
      <span className="cut">{characters.slice(0, -END).join('')}</span>
      <span className="end">{characters.slice(-END).join('')}</span>
    </span>
  );
}
