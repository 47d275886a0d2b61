/** A type of plain data in which nothing can be assigned. */
export type DeepReadonly<T> = T extends readonly [unknown, ...unknown[]]
  ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
  : T extends readonly (infer Item)[]
    ? readonly DeepReadonly<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
      : T;
