import * as l10n from '@vscode/l10n';
import type { KeyboardEvent } from 'react';
import { formatCount } from '../format.ts';
import type { SearchState } from '../hooks/use-search.ts';
import { Icon } from './icon.tsx';

export const FIND_ID = 'find';

type FindProps = Readonly<{
  text: string;
  isOnly: boolean;
  finding: SearchState;
  /** The place of the selected turn among those that were found, zero-based; -1 when it is none of them. */
  place: number;
  onText: (text: string) => void;
  onOnly: (isOnly: boolean) => void;
  /** To the next turn that was found, or the one before. */
  onGo: (step: 1 | -1) => void;
  /** The person is done with the field. */
  onLeave: () => void;
}>;

/** Looks for words in what was said and done. */
export function Find({ text, isOnly, finding, place, onText, onOnly, onGo, onLeave }: FindProps) {
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault();
      onGo(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      onText('');
      onLeave();
    }
  };
  const found = finding.found?.turns.length ?? 0;
  return (
    <search className="find">
      <Icon of="search" />
      <input
        id={FIND_ID}
        type="text"
        placeholder={l10n.t('Find')}
        aria-label={l10n.t('Find in transcript')}
        spellCheck={false}
        maxLength={1000}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={keys}
      />
      {text === '' ? null : (
        <>
          <span className="quiet result" title={finding.failed ?? undefined}>
            {resultOf(finding, place)}
          </span>
          <button
            type="button"
            className="action"
            aria-label={l10n.t('Previous')}
            disabled={found === 0}
            onClick={() => onGo(-1)}
          >
            <Icon of="up" />
          </button>
          <button
            type="button"
            className="action"
            aria-label={l10n.t('Next')}
            disabled={found === 0}
            onClick={() => onGo(1)}
          >
            <Icon of="down" />
          </button>
          <label className="check" title={l10n.t('Show only matching turns')}>
            <input type="checkbox" checked={isOnly} onChange={(event) => onOnly(event.target.checked)} />{' '}
            {l10n.t('only')}
          </label>
        </>
      )}
    </search>
  );
}

/** `12 in 5 turns`, or which of those turns the selected one is. */
function resultOf({ found, failed }: SearchState, place: number): string {
  if (failed !== null) return l10n.t('failed');
  if (!found) return '…';
  const { turns, occurrences, unread } = found;
  if (turns.length === 0) return unread ? l10n.t('not searched: the file changed') : l10n.t('no results');
  return place < 0
    ? l10n.t('{0} in {1}', occurrences.toLocaleString('en'), formatCount(turns.length, 'turn'))
    : l10n.t('turn {0} of {1}', place + 1, turns.length.toLocaleString('en'));
}
