import * as l10n from '@vscode/l10n';
import { useMemo } from 'react';
import type { AgentPath, TextLocation } from '../../src/protocol/report-values.ts';
import { fullText } from '../../src/protocol/turn-rows.ts';
import { formatCount } from '../format.ts';
import type { Highlight } from '../highlights.ts';
import { useActions } from '../hooks/use-actions.ts';
import { useRequest } from '../hooks/use-request.ts';
import { PlainText } from './rich-text.tsx';

/** So many characters are shown before a passage, and of it. */
const BEFORE = 300;
const LENGTH = 1500;

type DistantCitationProps = Readonly<{
  ranges: readonly Highlight[];
  /** How many characters of the text are shown. */
  shown: number;
  path: AgentPath;
  address: TextLocation;
}>;

/** The first passage that is cited, or was looked for, behind what is shown of a text. */
export function DistantCitation({ ranges, shown, path, address }: DistantCitationProps) {
  const { host, session } = useActions();
  const far = ranges.find(({ from, kind }) => from >= shown && kind !== 'cited');
  const from = far ? Math.max(shown, far.from - BEFORE) : 0;
  const { turn, step, field, item } = address;
  const isHere = far !== undefined && field !== 'whole';
  const params = useMemo(
    () => (isHere ? { session, path, turn, step, field, item, from, count: LENGTH } : null),
    [isHere, session, path, turn, step, field, item, from],
  );
  const answer = useRequest(host, fullText, params, 0);
  if (!far || answer.type !== 'here' || !answer.value.excerpt) return null;
  return (
    <div className="far">
      <p className="quiet">{l10n.t('… {0} further down:', formatCount(from - shown, 'character'))}</p>
      <div className="text plain" dir="auto">
        <PlainText text={answer.value.excerpt.text} at={from} ranges={ranges} />
      </div>
    </div>
  );
}
