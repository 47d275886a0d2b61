import * as l10n from '@vscode/l10n';
import { focusFile, keepOpen, reevaluate, runCommand, stopEvaluation } from '../../src/protocol/panel.ts';
import type { ReportHeader } from '../../src/protocol/report.ts';
import { revealHiddenCharacters } from '../hidden-characters.ts';
import { useActions } from '../hooks/use-actions.ts';
import { usePinned } from '../hooks/use-pinned.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import { RevealButton } from './reveal.tsx';
import { PlainText } from './rich-text.tsx';

type TitleProps = Readonly<{ header: ReportHeader; onHelp: () => void }>;

const STALE_LABELS = {
  file: l10n.t('Outdated: the file changed'),
  configuration: l10n.t('Outdated: the configuration changed'),
  sidecar: l10n.t('Outdated: the sidecar changed'),
  judge: l10n.t('Outdated: judged scores'),
  unknown: l10n.t('Outdated: the file or its configuration changed'),
} as const satisfies Record<NonNullable<ReportHeader['changed']> | 'unknown', string>;

function stateLabel({ state, changed }: ReportHeader): string | null {
  if (state === 'stale') return STALE_LABELS[changed ?? 'unknown'];
  return state === 'gone' ? l10n.t('File deleted') : null;
}

/** File and session, judge or progress, and actions. */
export function Title({ header, onHelp }: TitleProps) {
  const { host, session, copy } = useActions();
  const isEditor = host.surface === 'editor';
  const isPinned = usePinned(host);
  const { file, id, target, judges, turnsDone, strip, sessionsInFile } = header;
  const stale = turnsDone === null ? stateLabel(header) : null;
  return (
    <header className="title">
      <p className="names">
        <RevealButton target={target} className="quiet" whole={revealHiddenCharacters(file.name)}>
          <PlainText text={file.name} />
        </RevealButton>
        <span className="quiet" aria-hidden="true">
          ▸
        </span>
        {sessionsInFile > 1 ? (
          <h1>
            <button
              type="button"
              className="crumb"
              dir="auto"
              title={l10n.t('Show all {0} sessions of the file', sessionsInFile.toLocaleString('en'))}
              onClick={() => void host.request(runCommand, { session, command: 'showSessions' }).catch(() => {})}
            >
              <PlainText text={id} />
            </button>
          </h1>
        ) : (
          <h1 dir="auto" title={revealHiddenCharacters(id)}>
            <PlainText text={id} />
          </h1>
        )}
      </p>
      <p className="doing">
        {stale === null ? null : <span className="stale">{stale}</span>}
        {turnsDone === null ? (
          <span className="quiet" title={judges.join('\n') || l10n.t('No judge model was asked.')}>
            {judges.length === 0 ? l10n.t('Rules only') : judges.join(', ')}
          </span>
        ) : (
          <Progress done={turnsDone} of={strip.turns} />
        )}
        {!isEditor ? null : turnsDone === null ? (
          <button
            type="button"
            className="action"
            aria-label={l10n.t('Evaluate Again')}
            title={l10n.t('Evaluate Again')}
            onClick={() => void host.request(reevaluate, { session }).catch(() => {})}
          >
            <Icon name="again" />
          </button>
        ) : (
          <button
            type="button"
            className="action"
            aria-label={l10n.t('Stop Evaluation')}
            title={l10n.t('Stop Evaluation')}
            onClick={() => void host.request(stopEvaluation, {}).catch(() => {})}
          >
            <Icon name="stop" />
          </button>
        )}
        {isEditor ? (
          <button
            type="button"
            className="action"
            aria-label={l10n.t('Keep Open')}
            aria-pressed={isPinned}
            disabled={isPinned}
            title={isPinned ? l10n.t('This report is kept open') : l10n.t('Keep Open')}
            onClick={() => void host.request(keepOpen, {}).catch(() => {})}
          >
            <Icon name="pin" />
          </button>
        ) : null}
        <Menu
          label={l10n.t('More')}
          actions={[
            ...(isEditor
              ? [
                  { name: l10n.t('Copy Session as Markdown'), act: () => copy(null) },
                  { name: l10n.t('Go to File'), act: () => void host.request(focusFile, { session }).catch(() => {}) },
                ]
              : []),
            { name: l10n.t('Show Keyboard Shortcuts'), act: onHelp },
          ]}
        />
      </p>
    </header>
  );
}

/** Pads a count to the width of its final value, so that the layout does not move. */
function padded(done: number, of: number): string {
  return done.toLocaleString('en').padStart(of.toLocaleString('en').length, FIGURE_SPACE);
}

const FIGURE_SPACE = '\u2007';

function Progress({ done, of }: Readonly<{ done: number; of: number }>) {
  return (
    <span className="progress">
      <progress aria-label={l10n.t('Evaluated turns')} value={done} max={Math.max(of, done, 1)} />{' '}
      {l10n.t('{0} of {1} turns', padded(done, of), of.toLocaleString('en'))}
    </span>
  );
}
