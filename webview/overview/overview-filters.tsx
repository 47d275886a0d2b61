import * as l10n from '@vscode/l10n';
import type { HEADLINE_KINDS } from '../../src/core/statuses.ts';
import type {
  OverviewChoice,
  OverviewFilter,
  OverviewQuery,
  OverviewSort,
  OverviewSummary,
} from '../../src/protocol/sessions-overview.ts';
import { Icon } from '../components/icon.tsx';
import { ShapeIcon } from '../components/shape-icon.tsx';
import { HEADLINE_STYLES } from '../format.ts';
import { revealHiddenCharacters } from '../hidden-characters.ts';
import { COLUMN_LABELS, COLUMN_ORDER } from './columns.ts';

export const FIND_SESSION_ID = 'find-session';

type HeadlineKind = (typeof HEADLINE_KINDS)[number];

/** The chips, the worst first. */
const KIND_LABELS: readonly (readonly [HeadlineKind, string])[] = [
  ['failed', l10n.t('failed')],
  ['undecided', l10n.t('undecided')],
  ['problems', l10n.t('with problems')],
  ['not-run', l10n.t('without a run')],
  ['clean', l10n.t('without problems')],
  ['succeeded', l10n.t('succeeded')],
];

type OverviewFiltersProps = Readonly<{
  summary: OverviewSummary;
  query: OverviewQuery;
  /** How many sessions match; null before the first answer. */
  matching: number | null;
  onFilter: (filter: OverviewFilter) => void;
  onSort: (sort: OverviewSort) => void;
  onGroup: (isGrouped: boolean) => void;
}>;

/** How many sessions have which outcome; each count is a filter. Beside it, the other filters. */
export function OverviewFilters(props: OverviewFiltersProps) {
  const { summary, query, matching, onFilter, onSort, onGroup } = props;
  const { filter, sort, isGrouped } = query;
  const change = (parts: OverviewFilter): void => onFilter({ ...filter, ...parts });
  const { kinds = [], label, rule, text = '' } = filter;
  const isFiltered = kinds.length > 0 || label !== undefined || rule !== undefined || text !== '';
  return (
    <div className="toolbar sessions-toolbar">
      <fieldset className="kinds" aria-label={l10n.t('Filter by outcome')}>
        {KIND_LABELS.filter(([kind]) => summary.kinds[kind] > 0 || kinds.includes(kind)).map(([kind, name]) => (
          <button
            key={kind}
            type="button"
            className="chip"
            aria-pressed={kinds.includes(kind)}
            onClick={() => {
              const others = kinds.filter((one) => one !== kind);
              const next = others.length === kinds.length ? [...kinds, kind] : others;
              change({ kinds: next.length === 0 ? undefined : next });
            }}
          >
            <ShapeIcon {...HEADLINE_STYLES[kind]} /> <b>{summary.kinds[kind].toLocaleString('en')}</b> {name}
          </button>
        ))}
      </fieldset>
      <search className="find">
        <Icon name="search" />
        <input
          id={FIND_SESSION_ID}
          type="text"
          placeholder={l10n.t('Find')}
          aria-label={l10n.t('Find sessions')}
          spellCheck={false}
          maxLength={1000}
          value={text}
          onChange={(event) => change({ text: event.target.value === '' ? undefined : event.target.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.preventDefault();
            change({ text: undefined });
          }}
        />
      </search>
      <ProblemChoice summary={summary} label={label} rule={rule} onChoose={change} />
      <label className="sort">
        <span className="quiet">{l10n.t('Sort by')}</span>
        <select
          value={sort.column}
          onChange={(event) => {
            const column = summary.columns.find((one) => one === event.target.value);
            if (column) onSort({ column, isReversed: false });
          }}
        >
          {COLUMN_ORDER.filter((column) => summary.columns.includes(column)).map((column) => (
            <option key={column} value={column}>
              {COLUMN_LABELS[column]}
            </option>
          ))}
        </select>
      </label>
      {summary.tasks === 0 ? null : (
        <label className="check">
          <input type="checkbox" checked={isGrouped} onChange={(event) => onGroup(event.target.checked)} />{' '}
          {l10n.t('Group attempts')}
        </label>
      )}
      {isFiltered ? (
        <span className="matching">
          <span className="quiet" role="status">
            {matching === null
              ? '…'
              : l10n.t('{0} of {1}', matching.toLocaleString('en'), summary.sessions.toLocaleString('en'))}
          </span>{' '}
          <button type="button" className="more" onClick={() => onFilter({})}>
            {l10n.t('Clear')}
          </button>
        </span>
      ) : null}
    </div>
  );
}

type ProblemChoiceProps = Readonly<{
  summary: Pick<OverviewSummary, 'labels' | 'rules'>;
  label: string | undefined;
  rule: string | undefined;
  onChoose: (chosen: Pick<OverviewFilter, 'label' | 'rule'>) => void;
}>;

/** Filters by the label or the rule of a problem. */
function ProblemChoice({ summary: { labels, rules }, label, rule, onChoose }: ProblemChoiceProps) {
  if (labels.length === 0 && label === undefined && rule === undefined) return null;
  const value = label === undefined ? (rule === undefined ? '' : `rule ${rule}`) : `label ${label}`;
  return (
    <select
      aria-label={l10n.t('Filter by problem')}
      className={value === '' ? '' : 'set'}
      value={value}
      onChange={({ target: { value: chosen } }) => {
        const name = chosen.slice(chosen.indexOf(' ') + 1);
        onChoose({
          label: chosen.startsWith('label ') ? name : undefined,
          rule: chosen.startsWith('rule ') ? name : undefined,
        });
      }}
    >
      <option value="">{l10n.t('Any problem')}</option>
      <Choices title={l10n.t('Label')} prefix="label" choices={labels} chosen={label} />
      <Choices title={l10n.t('Rule')} prefix="rule" choices={rules} chosen={rule} />
    </select>
  );
}

type ChoicesProps = Readonly<{
  title: string;
  prefix: string;
  choices: readonly OverviewChoice[];
  chosen: string | undefined;
}>;

function Choices({ title, prefix, choices, chosen }: ChoicesProps) {
  const isGone = chosen !== undefined && !choices.some(({ name }) => name === chosen);
  const all = isGone ? [{ name: chosen, sessions: 0 }, ...choices] : choices;
  if (all.length === 0) return null;
  return (
    <optgroup label={title}>
      {all.map(({ name, sessions }) => (
        <option key={name} value={`${prefix} ${name}`}>
          {revealHiddenCharacters(name)} ({sessions.toLocaleString('en')})
        </option>
      ))}
    </optgroup>
  );
}
