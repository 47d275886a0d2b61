import { randomText } from '../../support/random-text.ts';
import { SECRET_KINDS } from './kinds.ts';
import { SECRET_PLACES } from './places.ts';

/** Fixed when the kinds and places were written, before any pattern was changed. */
const SPLIT_SEED = 20_261_123;

/** Patterns for these were already planned, so they can show nothing about unknown ones. */
const PLANNED_KINDS: readonly string[] = [
  'AWS session token',
  'Azure SAS signature',
  'Google OAuth client secret',
  'Google access token',
  'S3 signature',
  'Stripe webhook secret',
  'bare sk- key',
  'id token',
  'opaque token',
  'session cookie',
  'session secret',
  'set cookie',
  'web token secret',
  'xAI key',
];
const PLANNED_PLACES: readonly string[] = [
  'Authorization: token',
  'authorization: bearer',
  'escaped twice',
  'lines of grep',
  'numbered lines of cat',
  'numbered lines with arrows',
  'quoted lines',
];

/** A quarter of the names, drawn among those that nothing was planned for. */
function drawQuarter(names: readonly string[], planned: readonly string[]): ReadonlySet<string> {
  const rank = (name: string) => {
    let hash = SPLIT_SEED;
    for (let i = 0; i < name.length; i += 1) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) >>> 0;
    return randomText(hash, 12, '0123456789abcdef');
  };
  const drawn = names.filter((name) => !planned.includes(name)).toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
  return new Set(drawn.slice(0, Math.round(names.length / 4)));
}

/** Kinds and places that no pattern was written for or changed after: recall is published for them apart. */
export const SET_ASIDE_KINDS = drawQuarter(Object.keys(SECRET_KINDS), PLANNED_KINDS);
export const SET_ASIDE_PLACES = drawQuarter(Object.keys(SECRET_PLACES), PLANNED_PLACES);
