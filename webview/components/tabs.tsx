import * as l10n from '@vscode/l10n';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly title: string;
  /** The number of items; null: not shown. */
  readonly count: number | null;
}

type TabsProps<Id extends string> = Readonly<{
  label?: string;
  tabs: readonly Tab<Id>[];
  selected: Id;
  onSelect: (id: Id) => void;
}>;

const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowLeft', -1],
  ['ArrowRight', 1],
  ['Home', Number.NEGATIVE_INFINITY],
  ['End', Number.POSITIVE_INFINITY],
]);

/** A tab list. Arrow keys move between tabs. */
export function Tabs<Id extends string>({ label = l10n.t('Report'), tabs, selected, onSelect }: TabsProps<Id>) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = STEPS.get(event.key);
    if (step === undefined) return;
    event.preventDefault();
    const current = tabs.findIndex(({ id }) => id === selected);
    const at = Number.isFinite(step) ? (current + step + tabs.length) % tabs.length : step < 0 ? 0 : tabs.length - 1;
    const next = tabs[at];
    if (!next) return;
    onSelect(next.id);
    list.current?.querySelector<HTMLElement>(`#${tabId(next.id)}`)?.focus();
  };
  return (
    <div ref={list} role="tablist" aria-label={label} className="tabs" onKeyDown={move}>
      {tabs.map(({ id, title, count }) => (
        <button
          key={id}
          id={tabId(id)}
          type="button"
          role="tab"
          aria-selected={id === selected}
          aria-controls={panelId(id)}
          tabIndex={id === selected ? 0 : -1}
          onClick={() => onSelect(id)}
        >
          {title}
          {count === null ? null : <span className="count"> {count.toLocaleString('en')}</span>}
        </button>
      ))}
    </div>
  );
}

type TabPanelProps = Readonly<{ id: string; isShown: boolean; children: ReactNode }>;

/** The content of a tab. Hidden tabs stay mounted and keep their state. */
export function TabPanel({ id, isShown, children }: TabPanelProps) {
  return (
    <div role="tabpanel" id={panelId(id)} aria-labelledby={tabId(id)} hidden={!isShown}>
      {children}
    </div>
  );
}

function tabId(id: string): string {
  return `tab-${id}`;
}

function panelId(id: string): string {
  return `panel-${id}`;
}
