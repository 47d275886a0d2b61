import { useMemo } from 'react';
import type { Path, TextAddress } from '../../src/protocol/report-values.ts';
import { text } from '../../src/protocol/turn-rows.ts';
import { useActions } from '../hooks/use-actions.ts';
import { useAnswer } from '../hooks/use-answer.ts';
import type { Range } from '../marks.ts';
import { counted } from '../words.ts';
import { PlainText } from './rich-text.tsx';

/** So many characters are shown before a passage, and of it. */
const BEFORE = 300;
const LENGTH = 1500;

type FarPassageProps = Readonly<{
  ranges: readonly Range[];
  /** How many characters of the text are shown. */
  shown: number;
  path: Path;
  address: TextAddress;
}>;

/** The first passage that is cited, or was looked for, behind what is shown of a text. */
export function FarPassage({ ranges, shown, path, address }: FarPassageProps) {
  const { host, session } = useActions();
  const far = ranges.find(({ from, kind }) => from >= shown && kind !== 'cited');
  const from = far ? Math.max(shown, far.from - BEFORE) : 0;
  const { turn, step, field, item } = address;
  const isHere = far !== undefined && field !== 'whole';
  const params = useMemo(
    () => (isHere ? { session, path, turn, step, field, item, from, count: LENGTH } : null),
    [isHere, session, path, turn, step, field, item, from],
  );
  const answer = useAnswer(host, text, params, 0);
  if (!far || answer.type !== 'here' || !answer.value.excerpt) return null;
  return (
    <div className="far">
      <p className="quiet">… {counted(from - shown, 'character')} further down:</p>
      <div className="text plain" dir="auto">
        <PlainText text={answer.value.excerpt.text} at={from} ranges={ranges} />
      </div>
    </div>
  );
}
