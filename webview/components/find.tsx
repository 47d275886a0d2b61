import * as l10n from '@vscode/l10n';
import type { KeyboardEvent } from 'react';
import { formatCount } from '../format.ts';
import type { SearchState } from '../hooks/use-search.ts';
import { Icon } from './icon.tsx';

export const FIND_ID = 'find';

type FindProps = Readonly<{
  text: string;
  isOnly: boolean;
  state: SearchState;
  /** Zero-based position of the selected turn among the matches; -1 if it does not match. */
  position: number;
  onText: (text: string) => void;
  onOnly: (isOnly: boolean) => void;
  /** Goes to the next or previous match. */
  onGo: (step: 1 | -1) => void;
  /** Called when the user leaves the field with Escape. */
  onLeave: () => void;
}>;

/** The search field of the transcript. */
export function Find({ text, isOnly, state, position, onText, onOnly, onGo, onLeave }: FindProps) {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault();
      onGo(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      onText('');
      onLeave();
    }
  };
  const matchCount = state.matches?.turns.length ?? 0;
  return (
    <search className="find">
      <Icon name="search" />
      <input
        id={FIND_ID}
        type="text"
        placeholder={l10n.t('Find')}
        aria-label={l10n.t('Find in transcript')}
        spellCheck={false}
        maxLength={1000}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span className="quiet result" title={state.failed ?? undefined}>
        {text === '' ? '' : resultLabel(state, position)}
      </span>
      <button
        type="button"
        className="action"
        aria-label={l10n.t('Previous')}
        disabled={matchCount === 0}
        onClick={() => onGo(-1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        className="action"
        aria-label={l10n.t('Next')}
        disabled={matchCount === 0}
        onClick={() => onGo(1)}
      >
        <Icon name="down" />
      </button>
      <label className="check" title={l10n.t('Show only matching turns')} hidden={text === ''}>
        <input type="checkbox" checked={isOnly} onChange={(event) => onOnly(event.target.checked)} /> {l10n.t('only')}
      </label>
    </search>
  );
}

/** `12 in 5 turns`, or the position of the selected turn among the matches. */
function resultLabel({ matches, failed }: SearchState, position: number): string {
  if (failed !== null) return l10n.t('failed');
  if (!matches) return '…';
  const { turns, occurrences, unread } = matches;
  if (turns.length === 0) return unread ? l10n.t('not searched: the file changed') : l10n.t('no results');
  return position < 0
    ? l10n.t('{0} in {1}', occurrences.toLocaleString('en'), formatCount(turns.length, 'turn'))
    : l10n.t('turn {0} of {1}', position + 1, turns.length.toLocaleString('en'));
}
