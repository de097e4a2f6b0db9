import { isWritError } from '../../../src/core/errors.ts';

/** What comes in at a boundary, and how what became of it is judged. */
export interface Boundary {
  /** What is mutated: the tree of a JSON document (and its bytes), text with words of its language, or bytes. */
  readonly shape: 'json' | 'text' | 'bytes';
  /** One sentence for the table. */
  readonly what: string;
  /** Processor time that no case may take, milliseconds. */
  readonly boundMs?: number;
  /** Share of the cases of a run: below 1 where a case takes long. */
  readonly weight?: number;
  open(): Promise<OpenBoundary>;
}

export interface OpenBoundary {
  /** Valid inputs: at least one is answered with a valid result. */
  readonly seeds: readonly (string | Uint8Array)[];
  /** Words that are put in. */
  readonly words?: readonly string[];
  /** Resolves with what became of it, as a word: `ok`, or the code. Throws what nobody should see. */
  run(input: Buffer): Promise<string> | string;
  close?(): Promise<void> | void;
}

/** A case that was answered as none may be. */
export class FuzzFault extends Error {
  override readonly name = 'FuzzFault';
}

/** A line of a stack: `at name (file:1:2)`. */
const STACK = /\n\s+at .+[:(]\d+/;

/** The code of an error on purpose. @throws FuzzFault for any other error, and for one whose text shows a stack */
export function codeOf(error: unknown): string {
  if (!isWritError(error) || error.code === 'INTERNAL')
    throw new FuzzFault(`not a coded error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`, { cause: error });
  shown(error.message);
  return error.code;
}

/** Text that a user sees. @throws FuzzFault when a stack stands in it */
export function shown(text: string): string {
  if (STACK.test(text)) throw new FuzzFault(`a stack is shown: ${text.slice(0, 500)}`);
  return text;
}

/** `ok`, or the code of the error. */
export async function outcomeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return 'ok';
  } catch (error) {
    return codeOf(error);
  }
}

/** The document, or undefined where it is none: who parses it refuses it before anybody else sees it. */
export function parsed(input: Buffer): unknown {
  try {
    return JSON.parse(input.toString('utf8'));
  } catch {
    return undefined;
  }
}
