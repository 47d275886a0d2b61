import { describe, expect, it } from 'vitest';
import { findTextsWithMarkers } from '../../../../src/rules/dialogue-en/agent-texts.ts';
import { ok, session } from '../session-builder.ts';

describe('findTextsWithMarkers', () => {
  it('keeps thoughts and texts with any marker, in order and without duplicates', () => {
    const spoken = session([
      { user: 'Probably?', agent: 'Yes.' },
      {
        user: 'Fix the build.',
        steps: [
          { type: 'model', reasoning: 'I misread the log.', text: "I'm not sure yet." },
          ok('bash', {}, 'Probably broken.'),
          { type: 'model', text: 'It is the cache.' },
          { type: 'model', text: "I can't help with that." },
        ],
        agent: "I can't help with that.",
      },
      { user: 'Why?', agent: "Let's try another approach." },
    ]);
    expect(findTextsWithMarkers(spoken)).toEqual([
      { turn: 1, text: 'I misread the log.', pointer: '/turns/1/steps/0', isAnswer: false },
      { turn: 1, text: "I'm not sure yet.", pointer: '/turns/1/steps/0', isAnswer: false },
      { turn: 1, text: "I can't help with that.", pointer: '/turns/1/output', isAnswer: true },
      { turn: 2, text: "Let's try another approach.", pointer: '/turns/2/output', isAnswer: true },
    ]);
  });
});
