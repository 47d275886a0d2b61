const MAX_LENGTH = 500;
const MAX_STARS = 2;
const MAX_BRACES = 4;

/**
 * Whether a glob is quick to match with any path. Libraries translate globs to regular expressions, which try every
 * way to share a path out between the stars: with four of them in a name, one path can take seconds.
 */
export function isQuickGlob(glob: string): boolean {
  const names = glob.split('/');
  return (
    glob.length <= MAX_LENGTH &&
    names.every((name) => count(name, /\*+/g) <= MAX_STARS) &&
    names.filter((name) => name.includes('**')).length <= MAX_STARS &&
    count(glob, /\{/g) <= MAX_BRACES &&
    !/[@!?+*]\(|\.\./.test(glob.replace(/^(?:\.\.\/){1,50}/, ''))
  );
}

/** Why a glob is refused, as a message that starts with "must". */
export const SLOW_GLOB =
  'must be quick to match: at most two "*" in a name, two "**" and four "{", and no "+(a)" or "{1..9}"; use several globs';

function count(text: string, part: RegExp): number {
  return text.match(part)?.length ?? 0;
}
