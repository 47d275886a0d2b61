import * as l10n from '@vscode/l10n';
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import type { FeedbackTarget } from '../../src/protocol/panel.ts';
import type { ReportFeedback } from '../../src/protocol/report-values.ts';
import { type FeedbackValue, useActions } from '../hooks/use-actions.ts';
import { Icon } from './icon.tsx';
import { PlainText } from './rich-text.tsx';

type FeedbackButtonsProps = Readonly<{
  turn: number | null;
  of: FeedbackTarget;
  /** The label of the target, such as "turn 3". */
  name: string;
  /** The labels of the buttons; by default that the user agrees or disagrees. */
  labels?: Readonly<Record<ReportFeedback['value'], string>>;
  feedback: ReportFeedback | null;
}>;

/** Thumbs up or down. A press saves at once and opens a note in place; it can be undone there. */
export function FeedbackButtons({ turn, of, name, labels, feedback }: FeedbackButtonsProps) {
  const { host, saveFeedback } = useActions();
  const [isWriting, setWriting] = useState(false);
  /** The feedback before the last press; undefined: there was none. */
  const [before, setBefore] = useState<FeedbackValue | null | undefined>(undefined);
  const note = feedback?.note ?? null;
  if (host.surface === 'page') return null;
  const save = (value: FeedbackValue | null): void => {
    setWriting(false);
    saveFeedback(turn, of, value);
  };
  const press = (value: ReportFeedback['value']): void => {
    const isRemoved = feedback?.value === value;
    save(isRemoved ? null : { value, note });
    setBefore(isRemoved || !feedback ? null : { value: feedback.value, note });
    setWriting(!isRemoved);
  };
  const undo = (): void => {
    save(before ?? null);
    setBefore(undefined);
  };
  const thumb = { name, labels, feedback, onPress: press };
  return (
    <fieldset className={feedback ? 'opinion given' : 'opinion'} aria-label={l10n.t('Your feedback on {0}', name)}>
      <span className="thumbs">
        <Thumb value="up" {...thumb} />
        <Thumb value="down" {...thumb} />
      </span>
      {feedback ? (
        <div className="note">
          {isWriting ? (
            <Note
              name={name}
              note={note ?? ''}
              // A press keeps the focus, so that keys go on working.
              isFocused={before === undefined}
              onClose={() => setWriting(false)}
              onSave={(text) => save({ value: feedback.value, note: text === '' ? null : text })}
            />
          ) : (
            <>
              {note === null ? null : (
                <p dir="auto">
                  <PlainText text={note} />
                </p>
              )}
              <button
                type="button"
                className="more"
                onClick={() => {
                  setBefore(undefined);
                  setWriting(true);
                }}
              >
                {note === null ? l10n.t('Add Note') : l10n.t('Edit Note')}
              </button>
            </>
          )}
          {before === undefined ? null : (
            <button type="button" className="more" onClick={undo}>
              {l10n.t('Undo')}
            </button>
          )}
        </div>
      ) : null}
    </fieldset>
  );
}

type ThumbProps = Pick<FeedbackButtonsProps, 'name' | 'labels' | 'feedback'> &
  Readonly<{ value: ReportFeedback['value']; onPress: (value: ReportFeedback['value']) => void }>;

function Thumb({ value, name, labels, feedback, onPress }: ThumbProps) {
  const label = value === 'up' ? l10n.t('Agree with {0}', name) : l10n.t('Disagree with {0}', name);
  const title = value === 'up' ? l10n.t('This is right') : l10n.t('This is wrong');
  return (
    <button
      type="button"
      className="thumb"
      aria-label={labels?.[value] ?? label}
      title={labels?.[value] ?? title}
      aria-pressed={feedback?.value === value}
      onClick={() => onPress(value)}
    >
      <Icon name={value === 'up' ? 'good' : 'bad'} />
    </button>
  );
}

const MAX_NOTE_LENGTH = 4000;

type NoteProps = Readonly<{
  name: string;
  note: string;
  isFocused: boolean;
  onSave: (note: string) => void;
  onClose: () => void;
}>;

/** A line for a note; `Shift+Enter` begins another one. */
function Note({ name, note, isFocused, onSave, onClose }: NoteProps) {
  const [text, setText] = useState(note);
  const id = useId();
  const save = (event: FormEvent): void => {
    event.preventDefault();
    onSave(text.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      onClose();
    } else if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      save(event);
    }
  };
  return (
    <form className="writing" onSubmit={save}>
      <label className="hidden" htmlFor={id}>
        {l10n.t('Note on {0}', name)}
      </label>
      <textarea
        id={id}
        rows={1}
        maxLength={MAX_NOTE_LENGTH}
        placeholder={l10n.t('Why? (optional)')}
        value={text}
        // biome-ignore lint/a11y/noAutofocus: the user has just opened the field
        autoFocus={isFocused}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <button type="submit" className="primary">
        {l10n.t('Save')}
      </button>
      <button type="button" className="more" onClick={onClose}>
        {l10n.t('Cancel')}
      </button>
    </form>
  );
}
