import * as l10n from '@vscode/l10n';
import { memo, type ReactNode } from 'react';
import type { TextField } from '../../src/core/text-field.ts';
import type { AgentPath, EarlierCallRow, TextExcerpt } from '../../src/protocol/report-values.ts';
import type { ModelStepRow, RetrievalStepRow, StepRow, ToolStepRow } from '../../src/protocol/turn-rows.ts';
import { formatCount, formatDuration } from '../format.ts';
import { useActions } from '../hooks/use-actions.ts';
import { stepKey } from '../step-key.ts';
import { ArgumentChanges } from './argument-changes.tsx';
import { ToggleSection } from './disclosure.tsx';
import { OUTCOME_LABELS } from './outcome-labels.ts';
import { RevealButton } from './reveal.tsx';
import { PlainText } from './rich-text.tsx';
import { ShapeIcon } from './shape-icon.tsx';
import { SubAgent } from './sub-agent.tsx';
import { LongText, MESSAGE_LINES } from './text.tsx';

type StepProps<Step> = Readonly<{ step: Step; turn: number; path: AgentPath }>;

/** The number of lines of a tool text shown initially. */
const RESULT_LINES = 6;

/** One step of a turn. */
export const StepItem = memo(function StepItem({ step, turn, path }: StepProps<StepRow>) {
  switch (step.type) {
    case 'model':
      return <Model step={step} turn={turn} path={path} />;
    case 'tool':
      return <Tool step={step} turn={turn} path={path} />;
    case 'retrieval':
      return <Retrieval step={step} turn={turn} path={path} />;
    case 'agent':
      return <SubAgent step={step} turn={turn} path={path} />;
  }
});

/** The reasoning and text of a model before its final answer. */
function Model({ step, turn, path }: StepProps<ModelStepRow>) {
  const { index, text, reasoning, error, speaker, model, target } = step;
  const at = { step, turn, path };
  const key = stepKey(path, turn, index);
  return (
    <>
      {reasoning ? (
        <ToggleSection
          id={`${key} think`}
          name={<span className="quiet">{l10n.t('reasoning')}</span>}
          brief={
            <span className="quiet one-line">
              <PlainText text={firstLine(reasoning.text)} />
            </span>
          }
          about={
            isLong(reasoning) ? (
              <span className="quiet">{formatCount(reasoning.text.length + reasoning.omitted, 'character')}</span>
            ) : null
          }
          isOpenInitially={false}
          cites={[index, 'reasoning']}
        >
          <Text field="reasoning" excerpt={reasoning} isRich {...at} />
        </ToggleSection>
      ) : null}
      {text ? (
        <div className={speaker === null ? 'said agent' : 'said agent named'}>
          <RevealButton target={target} className="who">
            {speaker === null ? l10n.t('agent') : <PlainText text={speaker} />}
          </RevealButton>
          <Text field="text" excerpt={text} isRich {...at} />
        </div>
      ) : null}
      {error ? (
        <div className="said">
          <RevealButton target={target} className="who">
            {l10n.t('model')}
          </RevealButton>
          <div>
            <p className="item bad">
              <ShapeIcon shape="bang" tone="bad" />
              <span>
                {model === null ? l10n.t('The model call failed.') : l10n.t('The call of model {0} failed.', model)}
              </span>
            </p>
            <Text field="error" excerpt={error} {...at} />
          </div>
        </div>
      ) : null}
    </>
  );
}

/** A tool call and its result. A call without a successful result is open initially. */
function Tool({ step, turn, path }: StepProps<ToolStepRow>) {
  const { index, name, arguments: args, outcome, result, error, requestedBy, earlier, durationMs, target } = step;
  const { shape, tone, word } = OUTCOME_LABELS[outcome];
  const at = { step, turn, path };
  const key = stepKey(path, turn, index);
  return (
    <ToggleSection
      id={`${key} call`}
      name={
        <code className="name">
          <PlainText text={name} />
        </code>
      }
      brief={
        <code className="one-line quiet">
          <PlainText text={firstLine(args.text)} />
        </code>
      }
      about={
        <>
          {earlier && earlier.changes.length === 0 ? (
            <span className="quiet">
              {earlier.turn === turn ? l10n.t('same again') : l10n.t('same as in turn {0}', earlier.turn + 1)}
            </span>
          ) : null}
          <span className={`outcome ${tone}`}>
            <ShapeIcon shape={shape} tone={tone} />
            <span className={outcome === 'ok' ? 'hidden' : ''}>{word}</span>
          </span>
          {requestedBy === 'user' ? <span className="quiet">{l10n.t('by the user')}</span> : null}
          {durationMs === null ? null : <span className="quiet time">{formatDuration(durationMs)}</span>}
        </>
      }
      isOpenInitially={outcome !== 'ok'}
      cites={[index, null]}
    >
      <Labelled name={l10n.t('arguments')} target={target}>
        {args.text === '' ? (
          <p className="quiet">{l10n.t('none')}</p>
        ) : (
          <Text field="arguments" excerpt={args} {...at} />
        )}
      </Labelled>
      {earlier ? <Earlier earlier={earlier} turn={turn} /> : null}
      {error ? (
        <Labelled name={l10n.t('error')} target={error.target}>
          <Text field="error" excerpt={error} {...at} />
        </Labelled>
      ) : null}
      {result ? (
        <Labelled name={l10n.t('result')} target={result.target}>
          <Text field="result" excerpt={result} {...at} />
        </Labelled>
      ) : null}
      {error || result ? null : <p className="quiet">{l10n.t('No result recorded.')}</p>}
    </ToggleSection>
  );
}

/** How the arguments differ from those of an earlier call. */
function Earlier({ earlier, turn }: Readonly<{ earlier: EarlierCallRow; turn: number }>) {
  const { goTo } = useActions();
  const { changes, changesOmitted, equal } = earlier;
  const isSame = changes.length === 0;
  return (
    <Labelled name={isSame ? l10n.t('repeats') : l10n.t('changed')}>
      <p className="quiet">
        {earlier.turn === turn ? (
          isSame ? (
            l10n.t('The same arguments as an earlier call of this turn')
          ) : (
            l10n.t('Compared with an earlier call of this turn')
          )
        ) : (
          <>
            {isSame ? l10n.t('The same arguments as in') : l10n.t('Compared with the call in')}{' '}
            <button type="button" className="link" onClick={() => goTo(earlier.turn)}>
              {l10n.t('turn {0}', earlier.turn + 1)}
            </button>
          </>
        )}
        {isSame || equal === 0 ? null : ` · ${l10n.t('{0} unchanged', formatCount(equal, 'argument'))}`}
      </p>
      {isSame ? null : (
        <ArgumentChanges changes={changes} omitted={changesOmitted} names={[l10n.t('before'), l10n.t('now')]} />
      )}
    </Labelled>
  );
}

/** A retrieval: its query and documents. */
function Retrieval({ step, turn, path }: StepProps<RetrievalStepRow>) {
  const { index, query, documents, documentsOmitted, target } = step;
  const at = { step, turn, path };
  const key = stepKey(path, turn, index);
  return (
    <ToggleSection
      id={`${key} retrieval`}
      name={<code className="name">{l10n.t('retrieval')}</code>}
      brief={
        <span className="one-line quiet">
          <PlainText text={firstLine(query?.text ?? '')} />
        </span>
      }
      about={<span className="quiet">{formatCount(documents.length + documentsOmitted, 'document')}</span>}
      isOpenInitially={false}
      cites={[index, null]}
    >
      {query ? (
        <Labelled name={l10n.t('query')} target={target}>
          <Text field="query" excerpt={query} {...at} />
        </Labelled>
      ) : null}
      {documents.map(({ id, score, ...excerpt }, item) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a document is identified by its position.
        <Labelled key={item} name={l10n.t('document {0}', item + 1)} target={target}>
          {id === null && score === null ? null : (
            <p className="quiet">
              <PlainText text={[id, score?.toFixed(2)].filter((part) => part != null).join(' · ')} />
            </p>
          )}
          <Text field="document" item={item} excerpt={excerpt} {...at} />
        </Labelled>
      ))}
      {documentsOmitted > 0 ? (
        <p className="quiet">{l10n.t('and {0} in the file', formatCount(documentsOmitted, 'more document'))}</p>
      ) : null}
    </ToggleSection>
  );
}

type LabelledProps = Readonly<{
  name: string;
  target?: Parameters<typeof RevealButton>[0]['target'];
  children: ReactNode;
}>;

function Labelled({ name, target, children }: LabelledProps) {
  return (
    <div className="labelled">
      {target ? (
        <RevealButton target={target} className="who">
          {name}
        </RevealButton>
      ) : (
        <span className="who">{name}</span>
      )}
      <div>{children}</div>
    </div>
  );
}

type TextProps = StepProps<StepRow> &
  Readonly<{ field: Exclude<TextField, 'whole'>; item?: number; excerpt: TextExcerpt; isRich?: boolean }>;

function Text({ step, turn, path, field, item = 0, excerpt, isRich = false }: TextProps) {
  const address = { turn, step: step.index, field, item };
  return (
    <LongText
      excerpt={excerpt}
      path={path}
      address={address}
      lines={isRich ? MESSAGE_LINES : RESULT_LINES}
      isRich={isRich}
    />
  );
}

/** The number of characters from which a folded text names its length. */
const LONG_TEXT = 1000;

function isLong({ text, omitted }: TextExcerpt): boolean {
  return text.length + omitted >= LONG_TEXT;
}

/** The length of a one-line preview, in characters; CSS truncates it to the width. */
const PREVIEW_LENGTH = 300;

function firstLine(text: string): string {
  return text.slice(0, PREVIEW_LENGTH).replace(/\s+/g, ' ').trim();
}
