import { createRequire } from 'node:module';
import { messageOf } from '../../../core/errors.ts';

/**
 * The part of the package that is used. It has no types of its own. What Tantivy takes for a mistake of the caller ends the
 * process (a phrase of one term, a limit of 0), and numbers are cut to 32 bits: whoever calls must know.
 */
export interface Tantivy {
  readonly SchemaBuilder: new () => {
    addUnsignedField(name: string, options: { stored: boolean; indexed: boolean; fast: boolean }): unknown;
    addTextField(name: string, options: { stored: boolean; tokenizerName: string; indexOption: 'basic' | 'freq' | 'position' }): unknown;
    build(): TantivySchema;
  };
  readonly Document: new () => TantivyDocument;
  readonly Index: {
    new (schema: TantivySchema, directory: string): TantivyIndex;
    open(directory: string): TantivyIndex;
  };
  readonly Query: {
    termQuery(schema: TantivySchema, field: string, term: string): TantivyQuery;
    /** At least two terms. */
    phrasePrefixQuery(schema: TantivySchema, field: string, terms: readonly string[], expansions: number): TantivyQuery;
    /** At least two terms. */
    phraseQuery(schema: TantivySchema, field: string, terms: readonly string[]): TantivyQuery;
    booleanQuery(clauses: readonly { readonly occur: number; readonly query: TantivyQuery }[]): TantivyQuery;
    boostQuery(query: TantivyQuery, boost: number): TantivyQuery;
    emptyQuery(): TantivyQuery;
    allQuery(): TantivyQuery;
  };
  readonly Occur: { readonly Must: number; readonly Should: number; readonly MustNot: number };
  readonly TextAnalyzerBuilder: new (tokenizer: unknown) => AnalyzerBuilder;
  readonly TokenizerStatic: { simple(): unknown; whitespace(): unknown };
  readonly FilterStatic: { lowercase(): unknown; removeLong(bytes: number): unknown };
}

interface AnalyzerBuilder {
  filter(filter: unknown): AnalyzerBuilder;
  build(): TantivyAnalyzer;
}
export interface TantivyAnalyzer {
  /** The terms of a text, as they are indexed. */
  analyze(text: string): string[];
}
export interface TantivySchema {
  readonly fieldNames: unknown;
}
export interface TantivyQuery {
  toString(): string;
}
export interface TantivyDocument {
  addUnsigned(field: string, value: number): void;
  addText(field: string, text: string): void;
}
export interface TantivyIndex {
  readonly schema: TantivySchema;
  registerTokenizer(name: string, analyzer: TantivyAnalyzer): void;
  reload(): void;
  searcher(): TantivySearcher;
  writer(heapBytes: number, threads: number): TantivyWriter;
}
export interface TantivyWriter {
  addDocument(document: TantivyDocument): unknown;
  deleteDocumentsByTerm(field: string, term: string): unknown;
  commit(): unknown;
  /** Ends the writer. */
  waitMergingThreads(): void;
}
export interface TantivyHit {
  readonly docAddress: { readonly segmentOrd: number; readonly doc: number };
  readonly score?: number;
  /** The value of the field that hits are ordered by, descending. */
  readonly order?: number;
}
export interface TantivySearcher {
  readonly numDocs: number;
  readonly numSegments: number;
  /** The best `limit` (at least 1) hits; those of the same score in any order. */
  search(query: TantivyQuery, limit: number, count: boolean, orderBy?: string): { readonly hits: readonly TantivyHit[]; readonly count?: number };
}

export type LoadTantivy = () => { readonly ok: true; readonly tantivy: Tantivy } | { readonly ok: false; readonly why: string };

/** The optional package; it asks for Node 22.15 and works with 20. */
export const TANTIVY_PACKAGE = '@oxdev03/node-tantivy-binding-linux-x64-gnu';

/** Loads the binding; without the package, or on another platform, it says why not. */
export const loadTantivy: LoadTantivy = () => {
  try {
    return { ok: true, tantivy: createRequire(import.meta.url)(TANTIVY_PACKAGE) as Tantivy };
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND';
    return { ok: false, why: missing ? `the optional package ${TANTIVY_PACKAGE} is not installed` : `Tantivy cannot be loaded: ${messageOf(error)}` };
  }
};
