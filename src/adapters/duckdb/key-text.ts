import type { DatasetKey } from '../../core/ports/dataset-source.ts';
import type { KeyReading } from './layout.ts';

/** From DuckDB's text of a key to the key. */
export function keyOf(text: string, kind: KeyReading['kind']): DatasetKey {
  return KEY_OF[kind](text);
}

const KEY_OF = {
  text: (text) => text,
  integer: (text) => BigInt(text),
  number: (text) => (/^-?[0-9]+$/u.test(text) ? BigInt(text) : Number(text)),
  double: (text) => Number(text),
  decimal: (text) => (text.includes('.') ? text.replace(/\.?0+$/u, '').replace(/^-0$/u, '0') : text),
} satisfies Record<KeyReading['kind'], (text: string) => DatasetKey>;
