/** Words that PandaProbe ignores when it compares texts (chirpz-ai/pandaprobe, Apache-2.0). */
const WORDS = `
  a above after all an and any are as at be been before being below both but by can could did do does during each
  either every few for from had has have in into is it its may might more most neither no nor not of on only or other
  own same shall should so some such than the through to too very was were will with would yet
`;

export const STOP_WORDS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/));
