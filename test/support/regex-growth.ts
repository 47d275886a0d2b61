import { findPumps } from './regex-pumps.ts';

/** Ends, and beginnings, that may keep an expression from matching what is between them. */
const EDGES = ['', '\0', 'x', ' ', '!', '\n', '中', '"'];
/** Added to a unit, in case an assertion needs another character there. */
const SEPARATORS = ['', ' ', '\n', '.'];

/** Expressions that need less time for this many characters are not examined further. */
const SHORT = 8192;
const SUSPICIOUS_MICROSECONDS = 2000;
const LONG = 60_000;
/** Long enough for texts beyond the bounds of repetitions, up to which they may grow quadratically. */
const ENOUGH_MICROSECONDS = 150_000;
/** From here on, a text that takes this many times as long as the one before it, or the first one, is the last. */
const DANGEROUS_MICROSECONDS = 30_000;
const STEEP = 5;
/** Four times the text may take this many times as long; with quadratic growth it takes 16 times. */
const MAX_GROWTH = 9;
const MAX_CONFIRMED = 4;

/** A text on which a regular expression takes more than linear time, as `prefix(unit)*suffix`; null if none is known. */
export function superlinearText(regex: RegExp): string | null {
  const run = runner(regex);
  const suspects: { readonly time: number; readonly text: (length: number) => string; readonly name: string }[] = [];
  for (const { prefix, unit } of findPumps(regex))
    for (const separator of SEPARATORS)
      for (const edge of EDGES)
        for (const start of edge === '' ? [''] : ['', edge]) {
          const pump = unit + separator;
          const text = (length: number) => start + prefix + pump.repeat(Math.ceil(length / pump.length)) + edge;
          const time = climb(run, text, SHORT, SUSPICIOUS_MICROSECONDS).at(-1)?.time ?? 0;
          if (time < SUSPICIOUS_MICROSECONDS) continue;
          const name = JSON.stringify(`${start}${prefix}(${pump})*${edge}`);
          // The first is most often right, and the others are then not tried.
          if (suspects.length === 0 && growsFast(run, text)) return name;
          suspects.push({ time, text, name });
        }
  const slowest = suspects.sort((a, b) => b.time - a.time).slice(0, MAX_CONFIRMED);
  return slowest.find(({ text }) => growsFast(run, text))?.name ?? null;
}

/** Searches as the code does. An expression that continues at given offsets may be asked at every one. */
function runner({ source, flags, global, sticky }: RegExp): (text: string) => unknown {
  const all = new RegExp(source, `${flags.replace(/[gy]/g, '')}g`);
  const first = new RegExp(source, flags.replace(/[gy]/g, ''));
  return (text) => (global || sticky ? text.replace(all, '') : first.test(text));
}

/** Times ever longer texts, by half each, until one takes long: an exponential expression would never end. */
function climb(
  run: (text: string) => unknown,
  text: (length: number) => string,
  longest: number,
  enough: number,
): { readonly length: number; readonly time: number }[] {
  const steps: { length: number; time: number }[] = [];
  for (let length = 24; ; length = Math.min(longest, Math.ceil(length * 1.5))) {
    const time = microseconds(run, text(length));
    steps.push({ length, time });
    if (time >= enough || length === longest) return steps;
    // The next one might never end.
    if (time >= DANGEROUS_MICROSECONDS && time > STEEP * (steps.at(-2)?.time ?? 0)) return steps;
  }
}

function growsFast(run: (text: string) => unknown, text: (length: number) => string): boolean {
  const length = climb(run, text, LONG, ENOUGH_MICROSECONDS).at(-1)?.length ?? LONG;
  const [long, short] = [text(length), text(Math.floor(length / 4))];
  // Noise, which is seldom, neither makes nor hides growth.
  const grows = () => microseconds(run, long) / Math.max(microseconds(run, short), 1) > MAX_GROWTH;
  const [first, second] = [grows(), grows()];
  return first === second ? first : grows();
}

/** The clock of a thread may tick only every four milliseconds: shorter times are measured together. */
const MEASURABLE_MICROSECONDS = 40_000;

/** How long a search takes; other work on the machine does not lengthen what is suspicious. */
function microseconds(run: (text: string) => unknown, text: string): number {
  let elapsed = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 4; tries += 1) {
    const begin = performance.now();
    run(text);
    elapsed = Math.min(elapsed, (performance.now() - begin) * 1000);
    if (elapsed < SUSPICIOUS_MICROSECONDS) return elapsed;
    if (elapsed > MEASURABLE_MICROSECONDS) break;
  }
  const before = process.threadCpuUsage();
  for (let runs = 1; ; runs += 1) {
    run(text);
    const { user, system } = process.threadCpuUsage(before);
    if (user + system >= MEASURABLE_MICROSECONDS) return (user + system) / runs;
  }
}
