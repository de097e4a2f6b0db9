import type { Random } from '../random.ts';

/** Characters that stand in classes and alternatives beside the one that is looked for. */
const OTHERS = ['a', 'b', 'k', 's', 'A', 'Z', '0', 'é', 'ß', '中', ' ', '_'];
/** What matches without saying what. */
const VAGUE = ['.', '\\w', '\\s', '\\S', '\\d', '[^x]', '[[:alpha:]]', '[\\w.-]', '\\b', '^', '$', '.*', '.+', '\\w+', '.*?'];
const REPEATS = ['?', '*', '+', '??', '*?', '+?', '{1}', '{2}', '{1,2}', '{0,1}', '{1,}', '{2,}?', '{0}'];

/**
 * A regular expression that was made of a text by leaving parts of it open: characters become classes, alternatives and
 * repeats, parts become groups. Mostly it matches the text, and is one that both backends take; nothing depends on it.
 */
export function randomExpression(random: Random, text: string, depth = 0): string {
  const characters = Array.from(text);
  if (depth < 2 && characters.length > 1 && random.chance(0.4)) {
    const at = 1 + random.integer(characters.length - 1);
    const [left, right] = [characters.slice(0, at).join(''), characters.slice(at).join('')];
    return grouped(random, left, depth) + (random.chance(0.5) ? grouped(random, right, depth) : randomExpression(random, right, depth + 1));
  }
  return characters.map((character) => opened(random, character)).join('');
}

function grouped(random: Random, text: string, depth: number): string {
  const inner = randomExpression(random, text, depth + 1);
  const other = random.chance(0.5) ? `|${escaped(Array.from({ length: random.integer(5) }, () => random.pick(OTHERS)).join(''))}` : '';
  const group = `${random.pick(['(', '(?:'])}${random.chance(0.5) ? inner + other : `${other.slice(1)}|${inner}`})`;
  return group + (random.chance(0.4) ? random.pick(REPEATS) : '');
}

function opened(random: Random, character: string): string {
  const own = escaped(character);
  if (random.chance(0.7)) return own;
  return random.pick([
    () => random.pick(VAGUE),
    () => own + random.pick(REPEATS),
    () => own + random.pick(VAGUE) + (random.chance(0.3) ? '?' : ''),
    () => `[${random.pick(OTHERS)}${classed(character)}]${random.chance(0.3) ? random.pick(REPEATS) : ''}`,
    () => `(${own}|${random.pick(OTHERS)})`,
    () => '[a-z]',
  ])();
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
const classed = (character: string): string => (/[\\\]^[&~-]/.test(character) ? 'a' : character);
