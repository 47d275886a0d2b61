import { answer, refusal } from '../../support/stub-models.ts';
import { GOOD, type JudgeFault, SCORE } from './fault.ts';

const NO_OBJECT = /gave an answer that does not fit: The answer was no JSON object\.$/;
const MISSING = /gave an answer that does not fit: "helpfulness" was missing\.$/;
const DOES_NOT_FIT = (field: string) => new RegExp(`gave an answer that does not fit: helpfulness${field}: `);
const SCORE_DOES_NOT_FIT = DOES_NOT_FIT('\\.score');

/** The answer as text, since JSON has numbers that a value has not. */
const scoreText = (score: string) => answer(GOOD.replace('"score":4', `"score":${score}`));
const scored = (name: string, score: string): JudgeFault => ({
  name: `the score ${name}`,
  reply: scoreText(score),
  reason: SCORE_DOES_NOT_FIT,
});
const without = (key: keyof typeof SCORE) => ({ helpfulness: { ...SCORE, [key]: undefined } });

/** Answers that arrive, and are none to the question. */
export const ANSWER_CONTENT_FAULTS: readonly JudgeFault[] = [
  { name: 'words', reply: answer('The answer is helpful: 5 of 5.'), reason: NO_OBJECT },
  { name: 'a number', reply: answer('5'), reason: NO_OBJECT },
  { name: 'null', reply: answer('null'), reason: NO_OBJECT },
  { name: 'a list of scores', reply: answer('[5]'), reason: NO_OBJECT },
  { name: 'a fence without content', reply: answer('```json\n```'), reason: NO_OBJECT },
  { name: 'an object that does not end', reply: answer(GOOD.slice(0, -4)), reason: NO_OBJECT },
  { name: 'many open braces', reply: answer('{'.repeat(20_000)), reason: NO_OBJECT },
  { name: 'JavaScript', reply: answer('({ helpfulness: { score: 5 } })'), reason: NO_OBJECT },
  {
    name: 'an answer that reaches the limit',
    reply: answer(GOOD.slice(0, 20), { finish: 'length' }),
    reason: /reached the model's limit before "helpfulness" was complete/,
  },
  {
    name: 'the limit without an answer',
    reply: answer('', { finish: 'length' }),
    reason: /reached the model's limit before "helpfulness" was complete/,
  },
  {
    name: 'a refusal',
    reply: refusal('I cannot.'),
    reason: { openai: /refused to answer: "I cannot\."$/, ollama: NO_OBJECT },
  },
  {
    name: 'a filtered answer',
    reply: answer('', { finish: 'content_filter' }),
    reason: { openai: /refused to answer/, ollama: /answered with no text\.$/ },
  },
  { name: 'an empty object', reply: answer('{}'), reason: MISSING },
  { name: 'the answer to another question', reply: answer({ relevance: SCORE }), reason: MISSING },
  { name: 'the key in another case', reply: answer({ Helpfulness: SCORE }), reason: MISSING },
  {
    name: 'the schema',
    reply: answer({ type: 'object', properties: { helpfulness: { type: 'object' } } }),
    reason: MISSING,
  },
  { name: 'a verdict', reply: answer({ verdict: 'passed', exitCode: 0 }), reason: MISSING },
  {
    name: 'a prototype',
    reply: answer('{"__proto__":{"helpfulness":{"evidence":[],"reason":"r","score":5}}}'),
    reason: MISSING,
  },
  { name: 'null to the question', reply: answer({ helpfulness: null }), reason: DOES_NOT_FIT('') },
  { name: 'a bare score', reply: answer({ helpfulness: 5 }), reason: DOES_NOT_FIT('') },
  { name: 'a list around the answer', reply: answer({ helpfulness: [SCORE] }), reason: DOES_NOT_FIT('') },
  {
    name: 'the answer as JSON in a text',
    reply: answer({ helpfulness: JSON.stringify(SCORE) }),
    reason: DOES_NOT_FIT(''),
  },
  { name: 'no score', reply: answer(without('score')), reason: SCORE_DOES_NOT_FIT },
  { name: 'no reason', reply: answer(without('reason')), reason: DOES_NOT_FIT('\\.reason') },
  { name: 'no evidence', reply: answer(without('evidence')), reason: DOES_NOT_FIT('\\.evidence') },
  {
    name: 'a reason that is no text',
    reply: answer({ helpfulness: { ...SCORE, reason: 5 } }),
    reason: DOES_NOT_FIT('\\.reason'),
  },
  {
    name: 'evidence that is no list',
    reply: answer({ helpfulness: { ...SCORE, evidence: 'O1' } }),
    reason: DOES_NOT_FIT('\\.evidence'),
  },
  {
    name: 'evidence that does not exist',
    reply: answer({ helpfulness: { ...SCORE, evidence: ['Z99'] } }),
    reason: /helpfulness\.evidence\.0/,
  },
  scored('above the scale', '6'),
  scored('below the scale', '0'),
  scored('that is negative', '-1'),
  scored('between two grades', '4.5'),
  scored('as a text', '"4"'),
  scored('in words', '"four"'),
  scored('as a share', '"80%"'),
  scored('null', 'null'),
  scored('true', 'true'),
  scored('in a list', '[4]'),
  scored('in an object', '{"value":4}'),
  scored('that overflows', '1e400'),
  scored('that is huge', '9007199254740993'),
  scored('that is tiny', '1e-300'),
];
