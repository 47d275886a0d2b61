import * as l10n from '@vscode/l10n';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { LabelState, NextResult } from '../../src/protocol/labels.ts';
import { reveal } from '../../src/protocol/panel.ts';
import type { JsonTarget } from '../../src/protocol/report-values.ts';
import { LoadError } from '../components/load-error.tsx';
import { PlainText } from '../components/rich-text.tsx';
import { formatCount } from '../format.ts';
import { useKeys } from '../hooks/use-keys.ts';
import { TraceText } from '../overview/trace-text.tsx';
import { JudgeAgreement } from './judge-agreement.tsx';
import { LabelItem } from './label-item.tsx';
import { LabelledAnswer } from './labelled-answer.tsx';
import type { RunsPageProps } from './page-props.ts';
import { formatRunTime } from './run-values.ts';
import { type Labelling, type LabelNotice, type LabelScope, useLabelling } from './use-labelling.ts';

const HEADING = 'label-heading';

/** The results of a judge, one at a time, to be labelled without seeing what the judge said. */
export function LabelsPage({ host, revision, onRetry, scope }: RunsPageProps & Readonly<{ scope: LabelScope }>) {
  const { metric } = scope;
  const labelling = useLabelling(host, scope, revision);
  const { state, next, given, failure, error, notice } = labelling;
  const [note, setNote] = useState('');
  const noteField = useRef<HTMLInputElement>(null);
  const shown = given?.result ?? next?.result ?? null;
  const shownId = shown?.id ?? null;
  const isFirst = useRef(true);
  // A new result begins at its heading, for keys and screen readers.
  useEffect(() => {
    setNote('');
    if (shownId === null) return;
    if (!isFirst.current) {
      document.getElementById(HEADING)?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    isFirst.current = false;
  }, [shownId]);
  const canLabel = state !== null && state.refusal === null && given === null && shown !== null;
  // Each press is one label.
  useKeys(
    keysOf(labelling, note, canLabel, () => noteField.current?.focus()),
    { repeats: false },
  );
  if (failure !== null && state === null) return <LoadError message={failure} onRetry={onRetry} />;
  if (state === null || next === null) {
    return (
      <main>
        <p role="status">{l10n.t('Loading results to label…')}</p>
      </main>
    );
  }
  const show = (target: JsonTarget): void => void host.request(reveal, { target, focus: true }).catch(() => {});
  return (
    <main className="labels">
      <LabelsHead metric={metric} state={state} unreadable={next.unreadable} />
      {shown === null ? (
        <NothingToLabel state={state} next={next} onReturn={labelling.returnToSkipped} />
      ) : (
        <>
          <LabelItem key={shown.id} result={shown} headingId={HEADING} isLabelled={given !== null} onReveal={show} />
          <section className="label-bar" aria-label={l10n.t('Your label')}>
            {given === null ? null : <LabelledAnswer given={given} />}
            <LabelButtons labelling={labelling} note={note} canLabel={canLabel} />
            <label className="label-note">
              {l10n.t('Note')}
              <input
                ref={noteField}
                type="text"
                maxLength={2000}
                value={note}
                placeholder={l10n.t('Optional: why (n)')}
                disabled={state.refusal !== null}
                onChange={({ target }) => setNote(target.value)}
                onKeyDown={(event) => leaveNote(event, () => given && labelling.goOn(note))}
              />
            </label>
            <Messages error={error ?? failure} notice={notice} />
          </section>
        </>
      )}
      <JudgeAgreement host={host} scope={scope} state={state} labelling={labelling} />
      <p className="quiet label-help">
        {l10n.t('In a spreadsheet instead:')}{' '}
        <code>{`turnwise calibrate judge --metric ${metric} --export labels.csv`}</code>{' '}
        {l10n.t('and, when it is filled in,')} <code>turnwise calibrate judge --import labels.csv</code>
      </p>
    </main>
  );
}

/** Enter leaves the field; where a label was given, it goes on. */
function leaveNote(event: KeyboardEvent<HTMLInputElement>, onEnter: () => void): void {
  if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
  event.preventDefault();
  event.currentTarget.blur();
  if (event.key === 'Enter') onEnter();
}

function keysOf(
  labelling: Labelling,
  note: string,
  canLabel: boolean,
  onNote: () => void,
): ReadonlyMap<string, () => void> {
  const { given } = labelling;
  const keys: [string, () => void][] = [['n', onNote]];
  if (canLabel) {
    keys.push(['p', () => labelling.label('pass', note)], ['f', () => labelling.label('fail', note)]);
    keys.push(['s', labelling.skip], ['ArrowRight', labelling.skip]);
  }
  if (given) keys.push(['Enter', () => labelling.goOn(note)], ['ArrowRight', () => labelling.goOn(note)]);
  if (labelling.canUndo) keys.push(['z', labelling.undo], ['Backspace', labelling.undo]);
  return new Map(
    keys.flatMap(([key, act]) =>
      key.length > 1
        ? [[key, act]]
        : [
            [key, act],
            [key.toUpperCase(), act],
          ],
    ),
  );
}

/** What is asked, of which judge, and how many labels there are. */
function LabelsHead({
  metric,
  state,
  unreadable,
}: Readonly<{ metric: string; state: LabelState; unreadable: number }>) {
  const { judge, asks, runName, startedAt, heldOut, needed, missing, more, tuning, notCounted, refusal } = state;
  return (
    <header className="runs-head">
      <div className="runs-title">
        <h1>{l10n.t('Label Results')}</h1>
      </div>
      <p>
        {l10n.t(
          "Say for each result whether it passes, without seeing the judge's answer. Your labels then measure the judge.",
        )}
      </p>
      <p className="facts">
        <TraceText text={metric} className="metric" />
        <TraceText text={l10n.t('judge {0}', judge)} />
        <TraceText text={l10n.t('run {0}', runName ?? formatRunTime(startedAt))} className="quiet" />
      </p>
      <p className="facts">
        <progress max={needed} value={Math.min(needed, heldOut)} aria-label={l10n.t('Held-out labels')} />
        <span role="status">
          {missing === 0
            ? l10n.t('{0} held-out labels, enough to measure the judge', heldOut)
            : l10n.t(
                '{0} of {1} held-out labels, which measure the judge; about {2} more labels in all',
                heldOut,
                needed,
                more,
              )}
        </span>
        <span className="quiet">{l10n.t('{0} for tuning thresholds', formatCount(tuning, 'label'))}</span>
      </p>
      {[
        ...notCounted,
        ...(unreadable === 0
          ? []
          : [
              l10n.t(
                '{0} passed over: their traces changed after the run or are gone.',
                formatCount(unreadable, 'result'),
              ),
            ]),
      ].map((sentence) => (
        <p key={sentence} className="quiet">
          <PlainText text={sentence} />
        </p>
      ))}
      {refusal === null ? null : <p role="alert">{refusal}</p>}
      <p className="label-question">
        <b>{l10n.t('Does it pass?')}</b>{' '}
        {asks === null ? (
          <span className="quiet">
            {l10n.t('What the metric asks is not known: its configuration cannot be read.')}
          </span>
        ) : (
          <PlainText text={asks} />
        )}
      </p>
    </header>
  );
}

function LabelButtons({
  labelling,
  note,
  canLabel,
}: Readonly<{ labelling: Labelling; note: string; canLabel: boolean }>) {
  const { given, isBusy, canUndo } = labelling;
  const goOn = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (given !== null) goOn.current?.focus({ preventScroll: true });
  }, [given]);
  // Not disabled while an answer is awaited: a disabled button would lose the focus.
  const busy = { 'aria-disabled': isBusy };
  return (
    <div className="label-buttons">
      {given === null ? (
        <>
          <KeyButton
            name={l10n.t('Pass')}
            keyName="P"
            className="primary"
            disabled={!canLabel}
            {...busy}
            onClick={() => labelling.label('pass', note)}
          />
          <KeyButton
            name={l10n.t('Fail')}
            keyName="F"
            className="primary"
            disabled={!canLabel}
            {...busy}
            onClick={() => labelling.label('fail', note)}
          />
          <KeyButton
            name={l10n.t('Skip')}
            keyName="S"
            title={l10n.t('I do not know: leave it open')}
            disabled={!canLabel}
            {...busy}
            onClick={labelling.skip}
          />
        </>
      ) : (
        <button ref={goOn} type="button" className="primary" {...busy} onClick={() => labelling.goOn(note)}>
          {l10n.t('Next')}{' '}
          <span className="key" aria-hidden="true">
            Enter
          </span>
        </button>
      )}
      <KeyButton
        name={l10n.t('Undo')}
        keyName="Z"
        title={l10n.t('Take the last label back')}
        disabled={!canUndo}
        {...busy}
        onClick={labelling.undo}
      />
    </div>
  );
}

type KeyButtonProps = Readonly<{
  name: string;
  keyName: string;
  className?: string;
  title?: string;
  disabled: boolean;
  'aria-disabled': boolean;
  onClick: () => void;
}>;

/** A button with the key that does the same. */
function KeyButton({ name, keyName, className = 'secondary', ...button }: KeyButtonProps) {
  return (
    <button type="button" className={className} aria-keyshortcuts={keyName} {...button}>
      {name}{' '}
      <span className="key" aria-hidden="true">
        {keyName}
      </span>
    </button>
  );
}

function Messages({ error, notice }: Readonly<{ error: string | null; notice: LabelNotice | null }>) {
  return (
    <>
      {error === null ? null : (
        <p role="alert" className="bad">
          <PlainText text={error} />
        </p>
      )}
      <p role="status">{notice === null ? null : NOTICES[notice]}</p>
    </>
  );
}

const NOTICES = {
  'taken-back': l10n.t(
    'The label was taken back. You have seen what the judge says, so this result comes again after all others, and its new label does not measure the judge.',
  ),
  unskipped: l10n.t('Back at the result that you skipped.'),
} as const satisfies Record<LabelNotice, string>;

/** Why no result is shown, and what can be done. */
function NothingToLabel({
  state: { results, labelled, missing },
  next: { skipped, unreadable },
  onReturn,
}: Readonly<{ state: LabelState; next: NextResult; onReturn: () => void }>) {
  const isAll = labelled === results;
  return (
    <section className="empty">
      <h2>
        {isAll
          ? l10n.t('All {0} of this run have a label', formatCount(results, 'result'))
          : l10n.t('No other result of this run can be labelled')}
      </h2>
      {unreadable === 0 ? null : (
        <p>
          {l10n.t(
            'Restore the traces as they were, or evaluate them again and label the new run. Runs that are recorded with --with-transcripts keep their texts.',
          )}
        </p>
      )}
      {skipped === 0 ? null : (
        <>
          <p>{l10n.t('You left {0} open.', formatCount(skipped, 'result'))}</p>
          <button type="button" className="primary" onClick={onReturn}>
            {l10n.t('Show Skipped')}
          </button>
        </>
      )}
      {isAll && missing > 0 ? (
        <p>
          {l10n.t(
            '{0} more held-out labels are needed. Evaluate more traces with this judge, and label the results of that run.',
            missing,
          )}
        </p>
      ) : null}
    </section>
  );
}
