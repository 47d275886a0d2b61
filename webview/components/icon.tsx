/** Icons in the style of VS Code's. They are decorative: the buttons have accessible names. */
const PATHS = {
  again: 'M13 3v3.5H9.5 M12.6 6.2A5 5 0 1 0 13 9',
  more: 'M3.5 8h.01 M8 8h.01 M12.5 8h.01',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z M10.3 10.3 14 14',
  filter: 'M2 3.5h12 M4.5 8h7 M7 12.5h2',
  close: 'M3.5 3.5l9 9 M12.5 3.5l-9 9',
  up: 'M3.5 10.5 8 6l4.5 4.5',
  down: 'M3.5 5.5 8 10l4.5-4.5',
  good: 'M2 7h2.5v6.5H2z M4.5 12.5l1.5 1h5.2c.8 0 1.3-.5 1.5-1.2l1-4c.2-.9-.4-1.8-1.4-1.8H9.2l.6-2.6c.2-1-.5-1.9-1.4-1.9L4.5 7',
  bad: 'M2 9h2.5V2.5H2z M4.5 3.5l1.5-1h5.2c.8 0 1.3.5 1.5 1.2l1 4c.2.9-.4 1.8-1.4 1.8H9.2l.6 2.6c.2 1-.5 1.9-1.4 1.9L4.5 9',
  copy: 'M5.5 5.5h8v8h-8z M10.5 5.5v-3h-8v8h3',
  pin: 'M5.5 2.5h5 M6.5 2.5v5L4 9.5h8L9.5 7.5v-5 M8 9.5v4.5',
  stop: 'M4 4h8v8H4z',
  test: 'M6.5 2.5v4L3 13.5h10L9.5 6.5v-4 M5.5 2.5h5',
} as const;

export function Icon({ name }: Readonly<{ name: keyof typeof PATHS }>) {
  return (
    <svg className={`icon ${name}-icon`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
