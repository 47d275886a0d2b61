import { isObject } from '../../src/core/json.ts';

/** The paths of the keys of a JSON schema that have no description; conditions aside. */
export function undescribedKeys(schema: unknown, path = ''): string[] {
  if (Array.isArray(schema)) return schema.flatMap((item) => undescribedKeys(item, path));
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === 'if') return [];
    if (key !== 'properties' || !isObject(value)) return undescribedKeys(value, path);
    return Object.entries(value).flatMap(([name, property]) => {
      const here = `${path}.${name}`;
      const isDescribed = isObject(property) && typeof property.description === 'string';
      return [...(isDescribed ? [] : [here]), ...undescribedKeys(property, here)];
    });
  });
}
