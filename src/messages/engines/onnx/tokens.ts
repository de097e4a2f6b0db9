import * as huggingFace from '@huggingface/tokenizers';

/** Tokens of one text or pair, as a model wants them; the attention of each is 1. */
export interface Tokens {
  readonly ids: readonly number[];
  readonly types: readonly number[];
}

/** What we need of the package: its own types name their files in a way that modules of Node do not find. */
interface PackageTokenizer {
  encode(
    text: string,
    options: { add_special_tokens?: boolean; text_pair?: string | null; return_token_type_ids?: boolean },
  ): {
    readonly ids: readonly number[];
    readonly token_type_ids?: readonly number[];
  };
}
const { Tokenizer } = huggingFace as unknown as { readonly Tokenizer: new (description: object, config: object) => PackageTokenizer };

/** Tokens that a model reads; what is longer is cut. */
const MAX_TOKENS = 512;
/** Characters of a text that are looked at: few tokens are longer than 16. */
const MAX_CHARS = MAX_TOKENS * 16;

export interface Tokenizing {
  one(text: string): Tokens;
  pair(first: string, second: string): Tokens;
}

/** The tokenizer of a `tokenizer.json`. Throws Error when it describes none. */
export function createTokenizing(description: object): Tokenizing {
  const tokenizer = new Tokenizer(description, {});

  const plain = (text: string): readonly number[] => tokenizer.encode(text, { add_special_tokens: false }).ids;

  function whole(first: string, second: string | null): Tokens {
    const { ids, token_type_ids = [] } = tokenizer.encode(first, { text_pair: second, return_token_type_ids: true });
    return { ids, types: token_type_ids };
  }

  return {
    one(text) {
      const cut = text.slice(0, MAX_CHARS).toWellFormed();
      const all = whole(cut, null);
      if (all.ids.length <= MAX_TOKENS) return all;
      const words = plain(cut);
      const at = placeOf(words, all.ids);
      return without(all, at + words.length - (all.ids.length - MAX_TOKENS), at + words.length);
    },
    pair(first, second) {
      const [a, b] = [first.slice(0, MAX_CHARS).toWellFormed(), second.slice(0, MAX_CHARS).toWellFormed()];
      const all = whole(a, b);
      const over = all.ids.length - MAX_TOKENS;
      if (over <= 0) return all;
      const [words, others] = [plain(a), plain(b)];
      // The longer one is cut until both are of the same length.
      const fromFirst = Math.min(over, Math.max(0, Math.ceil((over + words.length - others.length) / 2)));
      const fromSecond = over - fromFirst;
      const start = placeOf(words, all.ids);
      const end = all.ids.length - placeOf(others.toReversed(), all.ids.toReversed());
      return without(without(all, end - fromSecond, end), start + words.length - fromFirst, start + words.length);
    },
  };
}

/** Where these tokens stand among all, which begin with what the model wants to see first. */
function placeOf(words: readonly number[], all: readonly number[]): number {
  const found = all.findIndex((_, at) => words.every((word, index) => all[at + index] === word));
  if (found < 0) throw new Error('the tokenizer of the model joins texts in a way that cannot be cut');
  return found;
}

function without({ ids, types }: Tokens, from: number, to: number): Tokens {
  return { ids: [...ids.slice(0, from), ...ids.slice(to)], types: [...types.slice(0, from), ...types.slice(to)] };
}
