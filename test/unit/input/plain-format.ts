import { getArray, getString } from '../../../src/core/json.ts';
import type { Session } from '../../../src/core/session.ts';
import type { SyncFormat } from '../../../src/formats/format.ts';

/**
 * A format as small as can be: `{sessions: [{id, turns: ["user text", …]}]}`, JSON Lines of such sessions, and
 * `{cases: [{id, turns}]}` for expectations whose expected answer is the text in capitals.
 */
export const plainFormat: SyncFormat = {
  name: 'plain',
  title: 'Plain',
  description: 'For tests',
  expectationKeys: ['cases'],
  detect: ({ value, lines }) => {
    if (lines && Array.isArray(value)) return value.some((line) => getArray(line, 'turns')) ? 'lines of turns' : null;
    return getArray(value, 'sessions') ? 'it has sessions' : getArray(value, 'cases') ? 'it has cases' : null;
  },
  read: ({ file, value, lines }) => {
    const list = lines && Array.isArray(value) ? value : (getArray(value, 'sessions') ?? []);
    const sessions = list.flatMap((entry, index): Session[] => {
      const turns = getArray(entry, 'turns');
      if (!turns) return [];
      const pointer = lines ? `/${index}` : `/sessions/${index}`;
      return [
        {
          id: getString(entry, 'id') ?? 'unnamed',
          source: { file, format: 'plain', pointer },
          goal: getString(entry, 'goal'),
          turns: turns.map((input, turn) => ({
            id: `t${turn + 1}`,
            pointer: `${pointer}/turns/${turn}`,
            input: typeof input === 'string' ? input : null,
            output: 'answer',
            startedAt: getString(entry, 'at'),
            steps: [],
          })),
        },
      ];
    });
    const expectations = getArray(value, 'cases')?.map((entry, index) => ({
      id: getString(entry, 'id') ?? 'unnamed',
      pointer: `/cases/${index}`,
      turns: (getArray(entry, 'turns') ?? []).map((input, turn) => ({
        pointer: `/cases/${index}/turns/${turn}`,
        input: typeof input === 'string' ? input : null,
        reference: { response: String(input).toUpperCase() },
      })),
    }));
    return { sessions, expectations, problems: [] };
  },
};
