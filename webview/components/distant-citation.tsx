import * as l10n from '@vscode/l10n';
import { useMemo } from 'react';
import type { AgentPath, TextLocation } from '../../src/protocol/report-values.ts';
import { fullText } from '../../src/protocol/turn-rows.ts';
import { formatCount } from '../format.ts';
import type { Highlight } from '../highlights.ts';
import { useActions } from '../hooks/use-actions.ts';
import { useRequest } from '../hooks/use-request.ts';
import { PlainText } from './rich-text.tsx';

/** Characters shown before and from the highlight. */
const BEFORE = 300;
const LENGTH = 1500;

type DistantCitationProps = Readonly<{
  ranges: readonly Highlight[];
  /** The number of loaded characters of the text. */
  shown: number;
  path: AgentPath;
  address: TextLocation;
}>;

/** The first chosen citation or search match beyond the loaded part of a text. */
export function DistantCitation({ ranges, shown, path, address }: DistantCitationProps) {
  const { host, session } = useActions();
  const distant = ranges.find(({ from, kind }) => from >= shown && kind !== 'cited');
  const from = distant ? Math.max(shown, distant.from - BEFORE) : 0;
  const { turn, step, field, item } = address;
  const isFetchable = distant !== undefined && field !== 'whole';
  const params = useMemo(
    () => (isFetchable ? { session, path, turn, step, field, item, from, count: LENGTH } : null),
    [isFetchable, session, path, turn, step, field, item, from],
  );
  const answer = useRequest(host, fullText, params, 0);
  if (!distant || answer.type !== 'here' || !answer.value.excerpt) return null;
  return (
    <div className="far">
      <p className="quiet">{l10n.t('… {0} further down:', formatCount(from - shown, 'character'))}</p>
      <div className="text plain" dir="auto">
        <PlainText text={answer.value.excerpt.text} at={from} ranges={ranges} />
      </div>
    </div>
  );
}
