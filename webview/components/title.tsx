import { focusFile, reevaluate, stopEvaluation } from '../../src/protocol/panel.ts';
import type { ReportHeader } from '../../src/protocol/report.ts';
import { revealHiddenCharacters } from '../hidden-characters.ts';
import { useActions } from '../hooks/use-actions.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import { RevealButton } from './reveal.tsx';
import { PlainText } from './rich-text.tsx';
import { SessionSwitcher } from './session-switcher.tsx';

type TitleProps = Readonly<{
  header: ReportHeader;
  onSwitch: (session: string) => void;
  onHelp: () => void;
  isChosen: boolean;
}>;

const STALE_LABELS = {
  file: 'the file has changed since',
  configuration: 'its configuration has changed since',
  sidecar: 'its sidecar has changed since',
  unknown: 'the file or its configuration has changed since',
} as const satisfies Record<NonNullable<ReportHeader['changed']> | 'unknown', string>;

function stateLabel({ state, changed }: ReportHeader): string | null {
  if (state === 'stale') return `stale: ${STALE_LABELS[changed ?? 'unknown']}`;
  return state === 'gone' ? 'the file is gone' : null;
}

/** What this is the report of, how it came to be, and what can be done with it. */
export function Title({ header, onSwitch, onHelp, isChosen }: TitleProps) {
  const { host, session, copy } = useActions();
  const { file, id, target, judges, turnsDone, strip, siblings } = header;
  const stale = turnsDone === null ? stateLabel(header) : null;
  return (
    <header className="title">
      <p className="names">
        <RevealButton target={target} className="quiet" whole={revealHiddenCharacters(file.name)}>
          <PlainText text={file.name} />
        </RevealButton>
        <span className="quiet" aria-hidden="true">
          ·
        </span>
        {siblings > 1 ? (
          <SessionSwitcher id={id} siblings={siblings} onSwitch={onSwitch} isChosen={isChosen} />
        ) : (
          <h1 dir="auto" title={revealHiddenCharacters(id)}>
            <PlainText text={id} />
          </h1>
        )}
      </p>
      <p className="doing">
        {stale === null ? null : <span className="stale">{stale}</span>}
        {turnsDone === null ? (
          <span className="quiet" title={judges.join('\n') || 'The rules alone'}>
            {judges.length === 0 ? 'rules' : judges.join(', ')}
          </span>
        ) : (
          <Progress done={turnsDone} of={strip.turns} />
        )}
        {turnsDone === null ? (
          <button
            type="button"
            className="action"
            aria-label="Evaluate again"
            title="Evaluate again"
            onClick={() => void host.request(reevaluate, { session }).catch(() => {})}
          >
            <Icon of="again" />
          </button>
        ) : (
          <button
            type="button"
            className="action"
            aria-label="Stop the evaluation"
            title="Stop the evaluation"
            onClick={() => void host.request(stopEvaluation, {}).catch(() => {})}
          >
            <Icon of="stop" />
          </button>
        )}
        <Menu
          label="More"
          actions={[
            { name: 'Copy the session as Markdown', act: () => copy(null) },
            { name: 'Go to the file', act: () => void host.request(focusFile, { session }).catch(() => {}) },
            { name: 'Show the keys', act: onHelp },
          ]}
        />
      </p>
    </header>
  );
}

/** As wide as the number that it grows to. */
function padded(done: number, of: number): string {
  return done.toLocaleString('en').padStart(of.toLocaleString('en').length, FIGURE_SPACE);
}

const FIGURE_SPACE = '\u2007';

function Progress({ done, of }: Readonly<{ done: number; of: number }>) {
  return (
    <span className="progress">
      <progress aria-label="Evaluated turns" value={done} max={Math.max(of, done, 1)} /> {padded(done, of)} of{' '}
      {of.toLocaleString('en')} turns
    </span>
  );
}
