import type { BackendQuery, SearchBackend } from '../../../core/ports/index.ts';

/** The letters beyond ASCII of a pattern, each with all characters that the backend takes as equal to it; letters of which nothing is known are not there. */
type LetterFolding = (pattern: string, fixedStrings: boolean) => Promise<ReadonlyMap<string, readonly string[]>>;

/** Letters that one search asks about at the most; each takes a run of the backend over 5 MB, once in the life of a process. */
const MAX_ASKED = 16;
/** No letter has so many others that are equal to it; a backend that says so does something else. */
const MAX_EQUAL = 27;

/**
 * Asks a backend how it folds: it searches all characters of Unicode for one letter, without regard to case, so nothing has
 * to be believed of its tables or of ours (search-rules 23). Never rejects.
 */
export function letterFolding(backend: SearchBackend): LetterFolding {
  const known = new Map<string, Promise<readonly string[] | undefined>>();

  return async (pattern, fixedStrings) => {
    const letters = [...new Set(pattern)].filter((character) => character > '\u007f').slice(0, MAX_ASKED);
    const folding = new Map<string, readonly string[]>();
    for (const letter of letters) {
      const key = `${fixedStrings} ${letter}`;
      const answer = known.get(key) ?? askAbout(backend, letter, fixedStrings);
      known.set(key, answer);
      const equal = await answer;
      if (equal !== undefined) folding.set(letter, equal);
    }
    return folding;
  };
}

async function askAbout(backend: SearchBackend, letter: string, fixedStrings: boolean): Promise<readonly string[] | undefined> {
  const query: BackendQuery = { pattern: letter, fixedStrings, wordRegexp: false, ignoreCase: true, context: 0, fuzzy: 0, maxCount: MAX_EQUAL + 1 };
  const process = backend.start({ query, cwd: '/', files: [], text: everyCharacter() });
  const blocks: Buffer[] = [];
  for await (const block of process.stdout) blocks.push(block);
  const { code, stderr } = await process.ended;
  const lines = Buffer.concat(blocks).toString().split('\n');
  const equal = lines.slice(0, -1).map((line) => RECORD.exec(line)?.[1]);
  const isAnswer = code === 0 && stderr === '' && equal.length <= MAX_EQUAL && equal.every((one) => one !== undefined) && equal.includes(letter);
  return isAnswer ? equal : undefined;
}

const RECORD = /^[^\0]+\0\d+:(.)$/su;

const [LAST, FIRST_SURROGATE, AFTER_SURROGATES] = [0x10ffff, 0xd800, 0xe000];
const PIECE = 4096;
let everything: string | undefined;

/** Every character but NUL and the line end, one a line. */
function everyCharacter(): string {
  if (everything !== undefined) return everything;
  const pieces: string[] = [];
  for (let first = 1; first <= LAST; first += PIECE) {
    const points = Array.from({ length: Math.min(PIECE, LAST + 1 - first) }, (_, at) => first + at);
    const real = points.filter((point) => point !== 0x0a && (point < FIRST_SURROGATE || point >= AFTER_SURROGATES));
    pieces.push(real.map((point) => `${String.fromCodePoint(point)}\n`).join(''));
  }
  everything = pieces.join('');
  return everything;
}
