import type { Pointer } from './session.ts';

/** `child('/a', 'b/c', 0)` is `/a/b~1c/0`. */
export function childPointer(parent: Pointer, ...tokens: readonly (string | number)[]): Pointer {
  let pointer = parent;
  for (const token of tokens) {
    pointer += `/${typeof token === 'number' ? token : token.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return pointer;
}

export function pointerTokens(pointer: Pointer): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}
