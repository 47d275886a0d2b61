import * as l10n from '@vscode/l10n';
import { type FormEvent, useId, useState } from 'react';
import type { FeedbackTarget } from '../../src/protocol/panel.ts';
import type { ReportFeedback } from '../../src/protocol/report-values.ts';
import { useActions } from '../hooks/use-actions.ts';
import { Icon } from './icon.tsx';
import { PlainText } from './rich-text.tsx';

type FeedbackButtonsProps = Readonly<{
  turn: number | null;
  of: FeedbackTarget;
  /** The label of the target, such as "turn 3". */
  name: string;
  feedback: ReportFeedback | null;
}>;

/** Thumbs up or down with a note. */
export function FeedbackButtons({ turn, of, name, feedback }: FeedbackButtonsProps) {
  const { saveFeedback } = useActions();
  const [isWriting, setWriting] = useState(false);
  const note = feedback?.note ?? null;
  const press = (value: ReportFeedback['value']): void => {
    const isRemoved = feedback?.value === value;
    setWriting(false);
    saveFeedback(turn, of, isRemoved ? null : { value, note });
  };
  return (
    <fieldset className={feedback ? 'opinion given' : 'opinion'} aria-label={l10n.t('Your feedback on {0}', name)}>
      <span className="thumbs">
        <Thumb value="up" name={name} feedback={feedback} onPress={press} />
        <Thumb value="down" name={name} feedback={feedback} onPress={press} />
      </span>
      {feedback && !isWriting ? (
        <div className="note">
          {note === null ? null : (
            <p dir="auto">
              <PlainText text={note} />
            </p>
          )}
          <button type="button" className="more" onClick={() => setWriting(true)}>
            {note === null ? l10n.t('Add Note') : l10n.t('Edit Note')}
          </button>
        </div>
      ) : null}
      {feedback && isWriting ? (
        <Note
          name={name}
          note={note ?? ''}
          onClose={() => setWriting(false)}
          onSave={(text) => {
            setWriting(false);
            saveFeedback(turn, of, { value: feedback.value, note: text === '' ? null : text });
          }}
        />
      ) : null}
    </fieldset>
  );
}

type ThumbProps = Readonly<{
  value: ReportFeedback['value'];
  name: string;
  feedback: ReportFeedback | null;
  onPress: (value: ReportFeedback['value']) => void;
}>;

function Thumb({ value, name, feedback, onPress }: ThumbProps) {
  const label = value === 'up' ? l10n.t('Agree with {0}', name) : l10n.t('Disagree with {0}', name);
  return (
    <button
      type="button"
      className="thumb"
      aria-label={label}
      title={value === 'up' ? l10n.t('This is right') : l10n.t('This is wrong')}
      aria-pressed={feedback?.value === value}
      onClick={() => onPress(value)}
    >
      <Icon name={value === 'up' ? 'good' : 'bad'} />
    </button>
  );
}

const MAX_NOTE_LENGTH = 4000;

type NoteProps = Readonly<{ name: string; note: string; onSave: (note: string) => void; onClose: () => void }>;

function Note({ name, note, onSave, onClose }: NoteProps) {
  const [text, setText] = useState(note);
  const id = useId();
  const save = (event: FormEvent): void => {
    event.preventDefault();
    onSave(text.trim());
  };
  return (
    <form className="writing" onSubmit={save}>
      <label className="hidden" htmlFor={id}>
        {l10n.t('Note on {0}', name)}
      </label>
      <textarea
        id={id}
        rows={2}
        maxLength={MAX_NOTE_LENGTH}
        value={text}
        // biome-ignore lint/a11y/noAutofocus: the user has just opened the field
        autoFocus
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          onClose();
        }}
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
