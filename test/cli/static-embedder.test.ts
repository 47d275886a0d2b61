import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { turnwise } from '../support/cli.ts';
import { STATIC_MODELS } from '../support/static-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, user } from '../support/traces.ts';

const TRACE = chat(
  user('Where is my order?'),
  agent('Your package arrives on Monday.'),
  user('Is the weather sunny today?'),
  agent('No money back: the refund is denied.'),
);

/** A project with a trace and a model. */
async function project(files: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder({ '.git': '', 'runs/a.json': TRACE, ...files });
  await cp(join(STATIC_MODELS, 'wordpiece'), join(folder.path, 'models', 'tiny'), { recursive: true });
  const run = (...args: readonly string[]) =>
    turnwise(['eval', 'runs/a.json', '--record', 'none', ...args], { cwd: folder.path });
  return { path: folder.path, run, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

describe('eval with a static embedder', () => {
  it('scores coherence without a server', async () => {
    await using folder = await project();
    const { code, stdout, stderr } = await folder.run('--embedder', 'static:models/tiny', '--format', 'json');
    expect([code, stderr]).toEqual([0, '']);
    const { run, sessions } = JSON.parse(stdout);
    expect(run.embedder).toEqual({
      provider: 'static',
      model: 'tiny',
      version: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    const [first, second] = sessions[0].turns.map((turn: { metrics: object }) =>
      Reflect.get(turn.metrics, 'coherence'),
    );
    expect([first.status, second.status]).toEqual(['scored', 'scored']);
    expect(first.score).toBeGreaterThan(second.score);
  });

  it('finds the folder beside the configuration', async () => {
    await using folder = await project({
      'settings/turnwise.config.yaml': 'embedder: { provider: static, model: ../models/tiny }\n',
    });
    const { code, stdout } = await folder.run('--config', 'settings/turnwise.config.yaml', '--format', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).run.embedder).toMatchObject({ provider: 'static', model: 'tiny' });
  });

  it('stops before it reads anything where the folder is wrong, and names the file', async () => {
    await using folder = await project();
    const { code, stdout, stderr } = await folder.run('--embedder', 'static:models');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      `turnwise: ${join(folder.path, 'models', 'model.safetensors')} is missing or is no file. The folder of a static embedding model has the files that model2vec saves: model.safetensors, tokenizer.json, config.json.\n`,
    );
  });

  it('leaves the run undecided where a file is damaged, and names it', async () => {
    await using folder = await project();
    const file = join(folder.path, 'models', 'tiny', 'model.safetensors');
    await writeFile(file, 'no model');
    const { code, stdout, stderr } = await folder.run('--embedder', 'static:models/tiny');
    expect(code).toBe(3);
    expect(stdout).toContain('results could not be computed: coherence (2), loop_detection (1)');
    expect(stderr).toContain(`warning: ${file} is no safetensors file`);
  });
});
