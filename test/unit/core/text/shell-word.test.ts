import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWord } from '../../../../src/core/text/shell-word.ts';

const WORDS = ['a/b-1.json', 'my runs', 'runs/*.json', "it's", 'a"b', '$HOME', '`id`', 'a!b', 'a\\', '~', ''];

it('is what a shell takes for the word', () => {
  const { stdout } = spawnSync('bash', ['-c', `printf '%s\\n' ${WORDS.map(shellWord).join(' ')}`], {
    encoding: 'utf8',
  });
  expect(stdout.split('\n').slice(0, -1)).toEqual(WORDS);
  expect(['a/b-1.json', 'my runs'].map(shellWord)).toEqual(['a/b-1.json', '"my runs"']);
});
