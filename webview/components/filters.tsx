import * as l10n from '@vscode/l10n';
import { useId } from 'react';
import { SEVERITIES } from '../../src/core/severity.ts';
import { STATUSES } from '../../src/core/statuses.ts';
import type { Facets } from '../../src/protocol/report.ts';
import type { TurnQuery } from '../../src/protocol/turn-search.ts';
import { revealHiddenCharacters } from '../hidden-characters.ts';

export const FILTER_ID = 'filter';

type FiltersProps = Readonly<{
  facets: Facets;
  filter: TurnQuery;
  onFilter: (filter: TurnQuery) => void;
}>;

const STATUS_LABELS: ReadonlyMap<string, string> = new Map([
  ['scored', l10n.t('scored')],
  ['vacuous', l10n.t('nothing to judge')],
  ['not_applicable', l10n.t('does not apply')],
  ['needs_judge', l10n.t('needs a judge')],
  ['needs_embedder', l10n.t('needs an embedder')],
  ['needs_reference', l10n.t('needs a reference')],
  ['needs_attempts', l10n.t('needs other attempts')],
  ['error', l10n.t('model error')],
  ['cancelled', l10n.t('stopped')],
]);

/** The filters of the transcript, in a menu. */
export function Filters({ facets, filter, onFilter }: FiltersProps) {
  const change = (parts: TurnQuery): void => onFilter({ ...filter, ...parts });
  return (
    <fieldset className="filters" aria-label={l10n.t('Filter')}>
      <Choice
        id={FILTER_ID}
        label={l10n.t('problem')}
        choices={facets.labels}
        chosen={filter.labels?.[0]}
        onChoose={(name) => change({ labels: name === null ? undefined : [name] })}
      />
      <Choice
        label={l10n.t('severity')}
        choices={facets.severities}
        chosen={filter.severities?.[0]}
        onChoose={(name) => {
          const severity = SEVERITIES.find((candidate) => candidate === name);
          change({ severities: severity && [severity] });
        }}
      />
      <Choice
        label={l10n.t('metric')}
        choices={facets.metrics}
        chosen={filter.metrics?.[0]}
        onChoose={(name) => change({ metrics: name === null ? undefined : [name] })}
      />
      <Choice
        label={l10n.t('status')}
        choices={facets.statuses}
        labels={STATUS_LABELS}
        chosen={filter.statuses?.[0]}
        onChoose={(name) => {
          const status = STATUSES.find((candidate) => candidate === name);
          change({ statuses: status && [status] });
        }}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={filter.belowThreshold ?? false}
          onChange={(event) => change({ belowThreshold: event.target.checked || undefined })}
        />{' '}
        {l10n.t('below threshold')}
      </label>
    </fieldset>
  );
}

type ChoiceProps = Readonly<{
  id?: string;
  label: string;
  choices: readonly { readonly name: string; readonly turns: number }[];
  labels?: ReadonlyMap<string, string>;
  chosen: string | undefined;
  onChoose: (name: string | null) => void;
}>;

function Choice({ id, label, choices, labels, chosen, onChoose }: ChoiceProps) {
  const defaultId = useId();
  const isUnavailable = chosen !== undefined && !choices.some(({ name }) => name === chosen);
  return (
    <select
      id={id ?? defaultId}
      aria-label={l10n.t('Filter by {0}', label)}
      className={chosen === undefined ? '' : 'set'}
      value={chosen ?? ''}
      onChange={(event) => onChoose(event.target.value === '' ? null : event.target.value)}
    >
      <option value="">{label}</option>
      {isUnavailable ? (
        <option value={chosen}>{labels?.get(chosen) ?? revealHiddenCharacters(chosen)} (0)</option>
      ) : null}
      {choices.map(({ name, turns }) => (
        <option key={name} value={name}>
          {labels?.get(name) ?? revealHiddenCharacters(name)} ({turns.toLocaleString('en')})
        </option>
      ))}
    </select>
  );
}
