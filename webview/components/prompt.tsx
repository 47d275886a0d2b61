import * as l10n from '@vscode/l10n';
import { useMemo, useState } from 'react';
import { type PromptCall, prompt } from '../../src/protocol/panel.ts';
import { formatCount } from '../format.ts';
import { useActions } from '../hooks/use-actions.ts';
import { useRequest } from '../hooks/use-request.ts';
import { useOpen } from '../hooks/use-row-state.ts';
import { Dialog } from './dialog.tsx';
import { PlainText } from './rich-text.tsx';
import { Sentence } from './sentence.tsx';

type PromptProps = Readonly<{ turn: number | null; metric: string; onClose: () => void }>;

/** The full prompt of a score. */
export function Prompt({ turn, metric, onClose }: PromptProps) {
  const { host, session } = useActions();
  const params = useMemo(() => ({ session, turn, metric }), [session, turn, metric]);
  const answer = useRequest(host, prompt, params, 0);
  const title =
    turn === null
      ? l10n.t('Prompt of {0} for the session', metric)
      : l10n.t('Prompt of {0} for turn {1}', metric, turn + 1);
  return (
    <Dialog title={title} onClose={onClose}>
      {answer.type === 'waiting' ? <p className="quiet">{l10n.t('Loading prompt…')}</p> : null}
      {answer.type === 'failed' ? <p role="alert">{answer.message}</p> : null}
      {answer.type === 'here' ? (
        <>
          {answer.value.sentences.map((sentence) => (
            <p key={sentence}>
              <Sentence text={sentence} />
            </p>
          ))}
          {answer.value.calls.map((call, index) => (
            <PromptCallSection
              // biome-ignore lint/suspicious/noArrayIndexKey: calls are identified by their order.
              key={index}
              call={call}
              of={`${metric} ${turn} ${index}`}
              nth={index + 1}
              count={answer.value.calls.length}
            />
          ))}
        </>
      ) : null}
    </Dialog>
  );
}

type CallProps = Readonly<{ call: PromptCall; of: string; nth: number; count: number }>;

function PromptCallSection({
  call: { judge, questions, tokens, times, system, parts, schema },
  of,
  nth,
  count,
}: CallProps) {
  return (
    <section className="prompt">
      <h3>
        {count === 1 ? l10n.t('One call') : l10n.t('Call {0} of {1}', nth, count)}
        <span className="quiet">
          {' '}
          · {l10n.t('about {0}', formatCount(tokens, 'token'))}
          {times > 1 ? ` · ${l10n.t('sent {0} times', times)}` : ''}
          {judge === null ? '' : ` · ${judge}`}
        </span>
      </h3>
      <CopyButton text={[system, ...parts].join('\n\n')} />
      <p className="quiet">{l10n.t('Questions: {0}', questions.join(', '))}</p>
      <PromptSection of={`${of} system`} title={l10n.t('System')} text={system} />
      {parts.map((part, index) => (
        <PromptSection
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are identified by their order.
          key={index}
          of={`${of} ${index}`}
          title={parts.length === 1 ? l10n.t('Message') : l10n.t('Message, part {0}', index + 1)}
          text={part}
        />
      ))}
      <PromptSection of={`${of} schema`} title={l10n.t('Answer (JSON schema)')} text={schema} />
    </section>
  );
}

const COPY_RESULTS = { yes: l10n.t('Copied.'), no: l10n.t('Copying failed. Select the text and copy it.') } as const;

/** Copies the messages to the clipboard exactly as sent. */
function CopyButton({ text }: Readonly<{ text: string }>) {
  const [outcome, setOutcome] = useState<keyof typeof COPY_RESULTS | null>(null);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setOutcome('yes'),
      () => setOutcome('no'),
    );
  };
  return (
    <p>
      <button type="button" className="more" onClick={copy}>
        {l10n.t('Copy Messages')}
      </button>{' '}
      <span role="status" className="quiet">
        {outcome === null ? '' : COPY_RESULTS[outcome]}
      </span>
    </p>
  );
}

function PromptSection({ of, title, text }: Readonly<{ of: string; title: string; text: string }>) {
  const [isOpen, setOpen] = useOpen(`prompt ${of}`, true);
  return (
    <>
      <button type="button" className="opener" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <b>{title}</b>
      </button>
      {isOpen ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        <pre tabIndex={0}>
          <PlainText text={text} />
        </pre>
      ) : null}
    </>
  );
}
