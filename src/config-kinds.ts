// What kinds of values a setting can have, and what each becomes when it is read. Settings: config-table.ts.

export interface Choice<A extends string> {
  kind: 'choice'
  allowed: readonly A[]
}
export interface Choices<A extends string> {
  kind: 'choices'
  allowed: readonly A[]
}
export interface NumberType {
  kind: 'integer' | 'decimal'
  min: number
  max: number
}
export interface TextType {
  kind: 'text' | 'list'
  pattern: RegExp
  /** What the pattern means, after "use". */
  form: string
}
export interface UrlType {
  kind: 'url'
  schemes: readonly string[]
  /** Other paths are appended to it, so credentials, a query and the last slash have no place in it. */
  isBase: boolean
}
export type ValueType =
  | Choice<string>
  | Choices<string>
  | NumberType
  | TextType
  | UrlType
  | { kind: 'flag' | 'operator-keys' | 'key-ring' }

export interface OperatorKey {
  name: string
  key: string
}
export interface EncryptionKey {
  id: string
  key: Buffer
}

export type ValueOf<T extends ValueType> =
  T extends Choice<infer A>
    ? A
    : T extends Choices<infer A>
      ? A[]
      : T extends { kind: 'integer' | 'decimal' }
        ? number
        : T extends { kind: 'list' }
          ? string[]
          : T extends { kind: 'flag' }
            ? boolean
            : T extends { kind: 'operator-keys' }
              ? OperatorKey[]
              : T extends { kind: 'key-ring' }
                ? EncryptionKey[]
                : string
