import type { Random } from '../../support/random.ts';
import type { Item } from './mailboxes.ts';

/** How a person asks for something that they once read: what they type, and what of the item they have in mind. */
export interface Asked {
  readonly text: string;
  /** Pieces of the item, all of which must hold of few others, else nobody could mean this one. */
  readonly means: readonly string[];
}

/** What somebody may ask for an item; `undefined` where it has nothing of the kind. */
export type QueryClass = (item: Item, random: Random) => Asked | undefined;

/** The classes of docs/search-quality.md. */
export const CLASSES: Readonly<Record<string, QueryClass>> = {
  words: (item, random) => asTyped(someWords(item, random, 3)),
  phrase: (item, random) => phrase(item, random),
  camel_case_as_words: (item, random) =>
    named(item, random, /(?<![\w.])[a-z]+(?:[A-Z][a-z]+){1,4}(?!\w)/gu, (name) => name.replace(/[A-Z]/gu, ' $&').toLowerCase()),
  digits_apart: (item, random) => named(item, random, /(?<!\w)[A-Za-z]{3,}\d{1,4}(?!\w)/gu, (name) => name.replace(/\d+/u, ' $&').toLowerCase()),
  snake_case: (item, random) => named(item, random, /(?<!\w)[A-Za-z]{2,}(?:_[A-Za-z0-9]{2,}){1,5}(?!\w)/gu),
  one_typo: (item, random) => misspelt(item, random),
  unfinished_word: (item, random) => unfinished(item, random),
  unsegmented: (item, random) => run(item, random, /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]{2,}/gu, 2 + random.integer(4)),
  thai: (item, random) => run(item, random, /\p{scx=Thai}{4,}/gu, 5 + random.integer(6)),
  path: (item, random) => named(item, random, /(?<![\w./:-])(?:\.?[\w-]+\/){2,6}[\w.-]*\w(?![\w/])/gu),
  file_name: (item, random) => named(item, random, /(?<![\w./-])[\w-]{3,}\.(?:ts|js|mjs|cjs|json|md|c|h|py|sh|so|conf|txt|html|sql|tsv|yml|toml)(?![\w./-])/gu),
  url: (item, random) => named(item, random, /https?:\/\/[\w.-]+\/[\w./?=&#%+-]*[\w/]/gu),
  dotted_name: (item, random) => named(item, random, /(?<![\w./@-])\w+(?:\.\w+){1,4}(?![\w./(])/gu),
  hyphenated_name: (item, random) => named(item, random, /(?<![\w./@-])[a-z]\w*(?:-\w+){1,4}(?![\w./-])/gu),
  accents_left_out: (item, random) =>
    named(item, random, /(?<!\p{L})[a-z]*[à-ſ]+[a-zà-ſ]*[à-ſ][a-zà-ſ]*(?!\p{L})/gu, (name) => name.normalize('NFD').replace(/\p{M}/gu, '')),
  question: (item, random) => question(item, random),
};

const COMMON = new Set(
  'about after also because been before being between both could does doing done each else ever every from have having here however into itself just like many more most much must need only other over same shall should since some such than that their them then there these they this those though through under until upon very want were what when where which while whom whose will with within without would your'.split(
    ' ',
  ),
);

function wordsOf(text: string): string[] {
  const words = text.match(/(?<![\p{L}\w/.:_@-])[A-Za-z][a-z]{3,}(?![\p{L}\w/:_@-]|\.\w)/gu) ?? [];
  return [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => !COMMON.has(word));
}

function someWords({ subject, body }: Item, random: Random, count: number): string[] {
  const words = wordsOf(`${subject}\n${body}`);
  const some = new Set<string>();
  for (let tries = 0; words.length >= count && some.size < count && tries < 50; tries += 1) some.add(random.pick(words));
  return [...some];
}

function asTyped(words: readonly string[]): Asked | undefined {
  return words.length === 0 ? undefined : { text: words.join(' '), means: words };
}

function phrase({ subject, body }: Item, random: Random): Asked | undefined {
  const runs = `${subject}\n${body}`.match(/(?<![\p{L}\w])[A-Za-z]+(?: [A-Za-z]+){3}(?![\p{L}\w])/gu);
  if (runs === null) return undefined;
  const words = random.pick(runs);
  return { text: `"${words}"`, means: [words] };
}

function named({ subject, body }: Item, random: Random, names: RegExp, typed = (name: string): string => name): Asked | undefined {
  const found = `${subject}\n${body}`.match(names);
  if (found === null) return undefined;
  const name = random.pick(found);
  return { text: typed(name).trim(), means: [name] };
}

function run({ subject, body }: Item, random: Random, runs: RegExp, length: number): Asked | undefined {
  const found = `${subject}\n${body}`.match(runs)?.filter((one) => one.length >= length);
  if (found === undefined || found.length === 0) return undefined;
  const one = random.pick(found);
  const start = random.integer(one.length - length + 1);
  const text = one.slice(start, start + length);
  // A mark belongs to the letter before it.
  return /^\p{M}/u.test(text) ? undefined : { text, means: [text] };
}

function misspelt(item: Item, random: Random): Asked | undefined {
  const words = someWords(item, random, 2);
  const [first = '', second = ''] = words;
  if (first.length < 6) return undefined;
  const at = 1 + random.integer(first.length - 2);
  const letter = random.pick([...'abcdefghijklmnopqrstuvwxyz']);
  const typo = random.pick([
    first.slice(0, at) + first.slice(at + 1),
    first.slice(0, at) + letter + first.slice(at),
    first.slice(0, at) + letter + first.slice(at + 1),
    first.slice(0, at) +
      first
        .slice(at, at + 2)
        .split('')
        .toReversed()
        .join('') +
      first.slice(at + 2),
  ]);
  return typo === first ? undefined : { text: `${typo} ${second}`, means: words };
}

function unfinished(item: Item, random: Random): Asked | undefined {
  const words = someWords(item, random, 2);
  const [first = '', second = ''] = words;
  if (second.length < 7) return undefined;
  return { text: `${first} ${second.slice(0, Math.max(4, second.length - 2 - random.integer(3)))}`, means: words };
}

/** Of the subject, or where it says little of the body, in a sentence. */
function question({ subject, body }: Item, random: Random): Asked | undefined {
  const words = wordsOf(subject);
  const some = words.length >= 3 ? words : someWords({ subject, body }, random, 3);
  const [a, b, c] = some;
  if (a === undefined || b === undefined || c === undefined) return undefined;
  const text = random.pick([
    `why does the ${a} ${b} need ${c}?`,
    `how do I ${a} the ${b} with ${c}`,
    `what happened to ${a} and ${b} when ${c} changed?`,
    `where is the ${a} of ${b} for ${c}`,
  ]);
  return { text, means: [a, b, c] };
}
