import { useId } from 'react';
import { SEVERITIES } from '../../src/core/severity.ts';
import { STATUSES } from '../../src/core/statuses.ts';
import type { Facets } from '../../src/protocol/report.ts';
import type { TurnQuery } from '../../src/protocol/turn-search.ts';
import { revealHiddenCharacters } from '../hidden-characters.ts';
import { isNothing } from '../hooks/use-view.ts';

export const FILTER_ID = 'filter';

type FiltersProps = Readonly<{
  facets: Facets;
  filter: TurnQuery;
  /** How many turns are left; null where all are. */
  shown: number | null;
  turns: number;
  onFilter: (filter: TurnQuery) => void;
}>;

const STATUS_LABELS: ReadonlyMap<string, string> = new Map([
  ['scored', 'scored'],
  ['vacuous', 'nothing to judge'],
  ['not_applicable', 'does not apply'],
  ['needs_judge', 'needs a judge'],
  ['needs_embedder', 'needs an embedder'],
  ['needs_reference', 'needs a reference'],
  ['error', 'failed to ask'],
  ['cancelled', 'stopped'],
]);

/** Which turns are shown. */
export function Filters({ facets, filter, shown, turns, onFilter }: FiltersProps) {
  const change = (parts: TurnQuery): void => onFilter({ ...filter, ...parts });
  return (
    <fieldset className="filters" aria-label="Filter">
      <Choice
        id={FILTER_ID}
        label="failure"
        choices={facets.labels}
        chosen={filter.labels?.[0]}
        onChoose={(name) => change({ labels: name === null ? undefined : [name] })}
      />
      <Choice
        label="severity"
        choices={facets.severities}
        chosen={filter.severities?.[0]}
        onChoose={(name) => {
          const severity = SEVERITIES.find((one) => one === name);
          change({ severities: severity && [severity] });
        }}
      />
      <Choice
        label="metric"
        choices={facets.metrics}
        chosen={filter.metrics?.[0]}
        onChoose={(name) => change({ metrics: name === null ? undefined : [name] })}
      />
      <Choice
        label="status"
        choices={facets.statuses}
        words={STATUS_LABELS}
        chosen={filter.statuses?.[0]}
        onChoose={(name) => {
          const status = STATUSES.find((one) => one === name);
          change({ statuses: status && [status] });
        }}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={filter.belowThreshold ?? false}
          onChange={(event) => change({ belowThreshold: event.target.checked || undefined })}
        />{' '}
        below threshold
      </label>
      {isNothing(filter) ? null : (
        <>
          <span className="quiet">
            {shown === null ? '…' : `${shown.toLocaleString('en')} of ${turns.toLocaleString('en')} turns`}
          </span>
          <button type="button" className="more" onClick={() => onFilter({})}>
            Clear
          </button>
        </>
      )}
    </fieldset>
  );
}

type ChoiceProps = Readonly<{
  id?: string;
  label: string;
  choices: readonly { readonly name: string; readonly turns: number }[];
  words?: ReadonlyMap<string, string>;
  chosen: string | undefined;
  onChoose: (name: string | null) => void;
}>;

function Choice({ id, label, choices, words, chosen, onChoose }: ChoiceProps) {
  const own = useId();
  const isGone = chosen !== undefined && !choices.some(({ name }) => name === chosen);
  return (
    <select
      id={id ?? own}
      aria-label={`Filter by ${label}`}
      className={chosen === undefined ? '' : 'set'}
      value={chosen ?? ''}
      onChange={(event) => onChoose(event.target.value === '' ? null : event.target.value)}
    >
      <option value="">{label}</option>
      {isGone ? <option value={chosen}>{words?.get(chosen) ?? revealHiddenCharacters(chosen)} (0)</option> : null}
      {choices.map(({ name, turns }) => (
        <option key={name} value={name}>
          {words?.get(name) ?? revealHiddenCharacters(name)} ({turns.toLocaleString('en')})
        </option>
      ))}
    </select>
  );
}
