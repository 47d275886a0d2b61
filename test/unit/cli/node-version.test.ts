import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { unsupportedNode } from '../../../src/cli/node-version.ts';

it.each([
  ['20.19.2', 'turnwise requires Node 22.13 or newer; this is Node 20.19.2.'],
  ['22.12.0', 'turnwise requires Node 22.13 or newer; this is Node 22.12.0.'],
])('names the Node that is needed under %s', (version, sentence) => {
  expect(unsupportedNode(version)).toContain(sentence);
});

it.each(['22.13.0', '22.20.1', '24.0.0'])('accepts Node %s', (version) => {
  expect(unsupportedNode(version)).toBeNull();
});

it('needs the version that the package declares', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  const oldest = String(engines.node).replace('>=', '');
  expect(unsupportedNode(`${oldest}.0`)).toBeNull();
  const [major = 0, minor = 0] = oldest.split('.').map(Number);
  expect(unsupportedNode(`${major}.${minor - 1}.0`)).toContain(oldest);
});
