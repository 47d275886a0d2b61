import * as l10n from '@vscode/l10n';
import { useMemo, useState } from 'react';
import { fileSessions as siblingsRequest } from '../../src/protocol/report.ts';
import { formatCount } from '../format.ts';
import { revealHiddenCharacters } from '../hidden-characters.ts';
import { useActions } from '../hooks/use-actions.ts';
import { useRequest } from '../hooks/use-request.ts';

type SessionSwitcherProps = Readonly<{
  id: string;
  sessionsInFile: number;
  onSwitch: (session: string) => void;
  isChosen: boolean;
}>;

const PAGE_SIZE = 200;

/** Switches between the sessions of a file. The list loads on hover or focus. */
export function SessionSwitcher({ id, sessionsInFile, onSwitch, isChosen }: SessionSwitcherProps) {
  const { host, session } = useActions();
  const [isNeeded, setNeeded] = useState(false);
  const [offset, setOffset] = useState(0);
  const params = useMemo(() => (isNeeded ? { session, offset, limit: PAGE_SIZE } : null), [isNeeded, session, offset]);
  const answer = useRequest(host, siblingsRequest, params, 0);
  const rows = answer.type === 'here' ? answer.value.rows : [];
  const load = (): void => setNeeded(true);
  const pick = (value: string): void => {
    if (value.startsWith('offset ')) setOffset(Number(value.slice('offset '.length)));
    else onSwitch(value);
  };
  return (
    <>
      <h1 className="hidden">{revealHiddenCharacters(id)}</h1>
      <select
        aria-label={l10n.t('Session')}
        title={revealHiddenCharacters(id)}
        value={session}
        // biome-ignore lint/a11y/noAutofocus: the previous switcher had the focus
        autoFocus={isChosen}
        onPointerEnter={load}
        onFocus={load}
        onChange={(event) => pick(event.target.value)}
      >
        {offset > 0 ? (
          <option value={`offset ${Math.max(0, offset - PAGE_SIZE)}`}>{l10n.t('Earlier sessions…')}</option>
        ) : null}
        {rows.some(({ key }) => key === session) ? null : <option value={session}>{revealHiddenCharacters(id)}</option>}
        {rows.map(({ key, id: name, verdict, problems }) => (
          <option key={key} value={key}>
            {`${VERDICT_SIGNS[verdict]} ${revealHiddenCharacters(name)}${problems === 0 ? '' : ` · ${formatCount(problems, 'problem')}`}`}
          </option>
        ))}
        {offset + PAGE_SIZE < sessionsInFile ? (
          <option value={`offset ${offset + PAGE_SIZE}`}>{l10n.t('Later sessions…')}</option>
        ) : null}
      </select>
      <span className="quiet">{l10n.t('of {0}', sessionsInFile.toLocaleString('en'))}</span>
    </>
  );
}

const VERDICT_SIGNS = { passed: '✓', failed: '✗', undecided: '?' } as const;
