import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import type { Figures } from './figures.ts';
import { MANY_FILES, SCENARIO_FILES, SCENARIOS, SCENARIOS_IN_FILE, SCENARIOS_OF_MANY_FILES } from './names.ts';
import { type BenchFolders, measureWindow } from './windows.ts';

const TIMEOUT_MS = 600_000;
const ATTEMPTS = 3;

/** Scenarios in the Test Explorer: one window with many files, and one in which all scenarios run. */
export async function measureScenarios(browser: Browser, place: BenchFolders): Promise<Figures> {
  const many = await scenarioFolder(join(place.scratch, SCENARIOS_OF_MANY_FILES), MANY_FILES, 1);
  const few = await scenarioFolder(join(place.scratch, SCENARIOS), SCENARIO_FILES, SCENARIOS_IN_FILE);
  return {
    ...(await measureWindow(browser, place, many)),
    ...(await measureWindow(browser, place, few, TIMEOUT_MS)),
  };
}

/** Scenarios of one turn, whose agent answers as it is recorded. */
async function scenarioFolder(folder: string, files: number, scenarios: number): Promise<string> {
  await mkdir(join(folder, 'scenarios'), { recursive: true });
  const agents = { recorded: { type: 'replay', file: 'recorded.json' } };
  await writeFile(join(folder, 'turnwise.config.json'), JSON.stringify({ simulation: { agents } }));
  const messages = [
    { role: 'user', content: 'Where is order A-1001?' },
    { role: 'assistant', content: 'Order A-1001 is on its way.' },
  ];
  await writeFile(join(folder, 'recorded.json'), JSON.stringify({ messages }));
  for (let file = 0; file < files; file += 1) {
    const all = Array.from({ length: scenarios }, (_, nth) => ({
      name: `order ${file} ${nth}`,
      conversationsPerScenario: ATTEMPTS,
      turns: [{ userMessage: 'Where is order A-1001?' }],
    }));
    // JSON is YAML.
    await writeFile(join(folder, 'scenarios', `${file}.scenario.yaml`), JSON.stringify({ scenarios: all }, null, 1));
  }
  return folder;
}
