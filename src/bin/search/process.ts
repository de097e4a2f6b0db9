/** What a search process is told when it starts, as the one argument of its command line. */
export interface SearchProcessOptions {
  /** Kinds of scopes that there are; what they need is loaded before the first search. */
  readonly kinds: readonly ('files' | 'emails' | 'datasets')[];
  /** Directory for what a search may put on the disk while it runs; each process makes a folder in it, named by its pid. */
  readonly spillDirectory: string;
  /** What a search may take beyond the idle process, bytes; enforced from outside. */
  readonly maxBytes: number;
}

/** The module of a search process, from `dist` or from the sources. */
export function searchProcessEntry(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './search-process.ts' : './search-process.js', import.meta.url);
}
