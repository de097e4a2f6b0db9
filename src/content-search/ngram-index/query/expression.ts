/**
 * A regular expression, as far as ugrep and ripgrep surely mean the same by it. What it matches is among what this
 * describes: `any` stands for all that is not understood further, so an analysis of it may find too much, never too little.
 */
export type Expression =
  | { readonly kind: 'text'; readonly text: string }
  /** One of these characters of ASCII. */
  | { readonly kind: 'one'; readonly of: readonly string[] }
  /** Anything, of any length, line ends among it. */
  | { readonly kind: 'any' }
  | { readonly kind: 'sequence' | 'either'; readonly parts: readonly Expression[] }
  /** The part once or more. */
  | { readonly kind: 'many'; readonly part: Expression };

/**
 * Characters that stand for themselves in the regular expressions of both backends, wherever they stand and however often:
 * letters, ASCII digits, blank and these signs. Both backends were asked about every printable ASCII character and about
 * letters of other scripts, in 13 places (first, last, doubled, around digits, ...), with and without -i and -w: all of these
 * gave the same lines as with -F. What is not in the list may be a literal too; then the index is only not used.
 */
const PLAIN = /^[\p{L}0-9 _\-/,;:=<>!@%&'"~]+$/u;

/** Whether a text has only characters that stand for themselves. */
export const isPlain = (text: string): boolean => PLAIN.test(text);

/** Escapes of a character that stands for itself then. */
const ESCAPED = new Set('.*+?()[]{}|^$\\/-');
/** Escapes of classes of characters and of places between them. */
const OPAQUE = new Set('dDsSwWbBt');
/** Signs that both backends take as themselves within brackets; `-` counts on its own. */
const IN_BRACKETS = /^[\p{L}0-9 _,;:=<>!@%'"/+*?.(){}|$#]$/u;
const ESCAPED_IN_BRACKETS = new Set('dDsSwWt.-/\\+*?(){}|$^');
const POSIX_CLASS = /^\[:(?:alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit):\]/;
/** Ends of ranges: both of one kind, so that no order of characters but that of ASCII is asked for. */
const RANGES = [/^[a-z]$/, /^[A-Z]$/, /^[0-9]$/] as const;

/** More characters than this tell nothing that is worth a look. */
const MAX_MEMBERS = 12;
const MAX_DEPTH = 24;
/** Repeats that are written out; the others are `many` or `any`. */
const MAX_COPIES = 4;
const MAX_COUNT = 1_000;

const ANY: Expression = { kind: 'any' };
const EMPTY: Expression = { kind: 'text', text: '' };

/**
 * Reads a regular expression of the subset in which both dialects agree: plain and escaped characters, `.`, `^`, `$`, simple
 * bracket expressions, `\d` `\w` `\s` `\b` and their opposites, groups without a name, alternation, repeats greedy or lazy.
 *
 * @returns undefined for everything else: flags, look-around, back-references, names, nested sets, Unicode classes, ...
 */
export function readExpression(pattern: string): Expression | undefined {
  const reader = new PatternReader(pattern);
  const found = reader.either(0);
  return reader.ended ? found : undefined;
}

/** Reads from the start to the first thing that it does not know; what follows is left, so the caller finds it not ended. */
class PatternReader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    this.#characters = Array.from(pattern);
  }

  get ended(): boolean {
    return this.#at === this.#characters.length;
  }

  either(depth: number): Expression | undefined {
    const parts: Expression[] = [];
    do {
      const part = this.#sequence(depth);
      if (part === undefined) return undefined;
      parts.push(part);
    } while (this.#took('|'));
    return parts.length === 1 ? parts[0] : { kind: 'either', parts };
  }

  #sequence(depth: number): Expression | undefined {
    const parts: Expression[] = [];
    while (!this.ended && this.#next !== '|' && this.#next !== ')') {
      const atom = this.#atom(depth);
      const part = atom === undefined ? undefined : this.#repeated(atom);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return { kind: 'sequence', parts: joined(parts) };
  }

  #atom(depth: number): Expression | undefined {
    const character = this.#take();
    if (isPlain(character)) return { kind: 'text', text: character };
    if (character === '.' || character === '^' || character === '$') return ANY;
    if (character === '\\') return this.#escape();
    if (character === '[') return this.#brackets();
    return character === '(' && depth < MAX_DEPTH ? this.#group(depth) : undefined;
  }

  #escape(): Expression | undefined {
    const character = this.#take();
    if (OPAQUE.has(character)) return ANY;
    return ESCAPED.has(character) ? { kind: 'text', text: character } : undefined;
  }

  #group(depth: number): Expression | undefined {
    if (this.#took('?') && !this.#took(':')) return undefined;
    const inner = this.either(depth + 1);
    return this.#took(')') ? inner : undefined;
  }

  #repeated(atom: Expression): Expression | undefined {
    const counts = this.#counts();
    if (counts === undefined) return undefined;
    if (counts === 'once') return atom;
    this.#took('?');
    // A repeat of a repeat is one in ripgrep only.
    if (this.#next !== '' && '*+?{'.includes(this.#next)) return undefined;
    return repeatOf(atom, counts.least, counts.most);
  }

  #counts(): 'once' | { readonly least: number; readonly most: number } | undefined {
    if (this.#took('*')) return { least: 0, most: Number.POSITIVE_INFINITY };
    if (this.#took('+')) return { least: 1, most: Number.POSITIVE_INFINITY };
    if (this.#took('?')) return { least: 0, most: 1 };
    if (!this.#took('{')) return 'once';
    const least = this.#number();
    const most = this.#took(',') ? (this.#next === '}' ? Number.POSITIVE_INFINITY : this.#number()) : least;
    if (!this.#took('}') || least === undefined || most === undefined || most < least) return undefined;
    return { least, most };
  }

  #number(): number | undefined {
    let digits = '';
    while (digits.length < 5 && this.#next >= '0' && this.#next <= '9') digits += this.#take();
    const number = Number(digits);
    return digits !== '' && number <= MAX_COUNT ? number : undefined;
  }

  /** A bracket expression, `[` already taken. */
  #brackets(): Expression | undefined {
    const negated = this.#took('^');
    const members = new Set<string>();
    let [first, opaque] = [true, negated];
    // A `]` that comes first stands for itself, and `[:` begins something that the backends read differently.
    if (':=]'.includes(this.#next) || this.ended) return undefined;
    for (; !this.#took(']'); first = false) {
      const found = this.#member(first);
      if (found === undefined) return undefined;
      if (found === 'opaque') opaque = true;
      else for (const one of found) members.add(one);
    }
    return opaque || members.size > MAX_MEMBERS ? ANY : { kind: 'one', of: [...members] };
  }

  #member(first: boolean): readonly string[] | 'opaque' | undefined {
    const posix = POSIX_CLASS.exec(this.#characters.slice(this.#at, this.#at + 12).join(''))?.[0];
    if (posix !== undefined) {
      this.#at += posix.length;
      return this.#beginsRange ? undefined : 'opaque';
    }
    const character = this.#take();
    // In front or at the end it is a sign; anywhere else it is an operator, or looks like one.
    if (character === '-') return (first && this.#next !== '-') || this.#next === ']' ? ['-'] : undefined;
    if (character === '\\') return ESCAPED_IN_BRACKETS.has(this.#take()) && !this.#beginsRange ? 'opaque' : undefined;
    if (!IN_BRACKETS.test(character)) return undefined;
    if (!this.#beginsRange) return character < '\u0080' ? [character] : 'opaque';
    this.#take();
    return rangeOf(character, this.#take());
  }

  /** Whether the member before is the begin of a range: `-` follows, and not as the last sign. */
  get #beginsRange(): boolean {
    return this.#next === '-' && this.#characters[this.#at + 1] !== ']';
  }

  get #next(): string {
    return this.#characters[this.#at] ?? '';
  }

  #take(): string {
    const character = this.#next;
    this.#at += 1;
    return character;
  }

  #took(character: string): boolean {
    const isNext = !this.ended && this.#next === character;
    if (isNext) this.#at += 1;
    return isNext;
  }
}

function rangeOf(from: string, to: string): readonly string[] | undefined {
  if (!RANGES.some((kind) => kind.test(from) && kind.test(to)) || from > to) return undefined;
  const first = from.charCodeAt(0);
  return Array.from({ length: to.charCodeAt(0) - first + 1 }, (_, at) => String.fromCharCode(first + at));
}

function repeatOf(part: Expression, least: number, most: number): Expression {
  if (least === 0) return most === 1 ? { kind: 'either', parts: [part, EMPTY] } : ANY;
  const copies = Array.from({ length: Math.min(least, MAX_COPIES) }, () => part);
  if (least === most && least <= MAX_COPIES) return { kind: 'sequence', parts: copies };
  return { kind: 'sequence', parts: [...copies.slice(1), { kind: 'many', part }] };
}

/** Neighbouring texts as one. */
function joined(parts: readonly Expression[]): readonly Expression[] {
  const all: Expression[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part.kind === 'text' && last?.kind === 'text') all[all.length - 1] = { kind: 'text', text: last.text + part.text };
    else all.push(part);
  }
  return all;
}
