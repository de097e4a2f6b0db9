import { createHash } from 'node:crypto';
import type { DocKind } from '../../../contracts/index.ts';
import type { Tantivy, TantivyIndex, TantivySchema } from './binding.ts';

/** `am_normalize`: runs of letters and digits in lower case, none longer than 256 bytes; no stems, accents stay. */
const WORDS = 'am_normalize';
const AS_WRITTEN = 'am_as_written';
const LONGEST_BYTES = 256;

/** Beginnings of a word are indexed up to this length, in code points; the longest stand for all that go on like them. */
export const MAX_PREFIX = 21;

/** The parts of a document that are searched, and how much more one of them counts. */
export const PARTS = { title: 10, body: 1 } as const;
export type Part = keyof typeof PARTS;
export const PART_NAMES: readonly Part[] = ['title', 'body'];

/** Where a part lies. Each kind has fields of its own: what is rare among messages need not be rare among agents. */
export function fieldOf(kind: DocKind, part: Part): string {
  return `${kind}_${part}`;
}

/** Beginnings of the words of a part. */
export function prefixFieldOf(kind: DocKind, part: Part): string {
  return `${kind}_${part}_prefix`;
}

/** Kind and id as a term, by which a document is replaced. */
export const KEY = 'key';
/** Kind and id as a number, in two halves: the binding cuts numbers to 32 bits. */
export const NUMBER = { low: 'number_low', high: 'number_high' } as const;

const KINDS: readonly DocKind[] = ['message', 'agent', 'project'];
const HALF = 2 ** 32;
const KIND_BITS = 4;

export function keyOf(kind: DocKind, id: number): string {
  return `${kind}:${id}`;
}

/** Exact for ids up to 2^51. */
export function numberOf(kind: DocKind, id: number): { readonly low: number; readonly high: number; readonly whole: number } {
  const whole = id * KIND_BITS + KINDS.indexOf(kind);
  return { low: whole % HALF, high: Math.floor(whole / HALF), whole };
}

export function idIn(whole: number): number {
  return Math.floor(whole / KIND_BITS);
}

interface Field {
  readonly name: string;
  readonly is: 'number' | 'term' | 'words' | 'beginnings';
}

const FIELDS: readonly Field[] = [
  { name: KEY, is: 'term' },
  { name: NUMBER.low, is: 'number' },
  { name: NUMBER.high, is: 'number' },
  ...KINDS.flatMap((kind) => PART_NAMES.map((part): Field => ({ name: fieldOf(kind, part), is: 'words' }))),
  ...KINDS.flatMap((kind) => PART_NAMES.map((part): Field => ({ name: prefixFieldOf(kind, part), is: 'beginnings' }))),
];

/** Twelve digits that change when an index of another version would be read wrongly. */
export const SCHEMA_HASH = createHash('sha256')
  .update(JSON.stringify({ version: 1, tokenizer: [WORDS, LONGEST_BYTES], prefix: MAX_PREFIX, fields: FIELDS }))
  .digest('hex')
  .slice(0, 12);

export function schemaOf({ SchemaBuilder }: Tantivy): TantivySchema {
  const builder = new SchemaBuilder();
  const add = {
    number: (name: string) => builder.addUnsignedField(name, { stored: false, indexed: false, fast: true }),
    term: (name: string) => builder.addTextField(name, { stored: false, tokenizerName: 'raw', indexOption: 'basic' }),
    words: (name: string) => builder.addTextField(name, { stored: false, tokenizerName: WORDS, indexOption: 'position' }),
    beginnings: (name: string) => builder.addTextField(name, { stored: false, tokenizerName: AS_WRITTEN, indexOption: 'freq' }),
  } satisfies Record<Field['is'], (name: string) => unknown>;
  for (const { name, is } of FIELDS) add[is](name);
  return builder.build();
}

/** Words of a text as they are indexed. */
export function analyzerOf({ TextAnalyzerBuilder, TokenizerStatic, FilterStatic }: Tantivy) {
  return new TextAnalyzerBuilder(TokenizerStatic.simple()).filter(FilterStatic.lowercase()).filter(FilterStatic.removeLong(LONGEST_BYTES)).build();
}

/** To be done after every open: an index does not keep them. */
export function registerTokenizers(tantivy: Tantivy, index: TantivyIndex): void {
  index.registerTokenizer(WORDS, analyzerOf(tantivy));
  index.registerTokenizer(AS_WRITTEN, new tantivy.TextAnalyzerBuilder(tantivy.TokenizerStatic.whitespace()).build());
}
