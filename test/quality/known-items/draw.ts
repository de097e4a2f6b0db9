import { createRandom, type Random } from '../../support/random.ts';
import type { Item } from './mailboxes.ts';
import { type Asked, CLASSES } from './query-classes.ts';

/** A question with the one item that it was drawn from. */
export interface KnownItem {
  readonly kind: string;
  readonly mailbox: string;
  readonly item: number;
  readonly text: string;
}

/** Items that may have all that somebody remembers of one. */
const MOST_ALIKE = 3;
const TRIES = 3000;

/** Questions drawn from a seed: as many of each class, each from a mailbox and an item by chance. */
export function drawQueries(mailboxes: ReadonlyMap<string, readonly Item[]>, seed: number, ofEach: number): readonly KnownItem[] {
  const random = createRandom(seed);
  const texts = new Map([...mailboxes].map(([name, items]) => [name, items.map(({ subject, body }) => `${subject}\n${body}`.toLowerCase())]));
  return Object.keys(CLASSES).flatMap((kind) => drawClass(kind, mailboxes, texts, random, ofEach));
}

function drawClass(
  kind: string,
  mailboxes: ReadonlyMap<string, readonly Item[]>,
  texts: ReadonlyMap<string, readonly string[]>,
  random: Random,
  count: number,
): KnownItem[] {
  const drawn = new Map<string, KnownItem>();
  const names = [...mailboxes.keys()];
  for (let tries = 0; drawn.size < count && tries < TRIES; tries += 1) {
    const mailbox = random.pick(names);
    const items = mailboxes.get(mailbox) ?? [];
    const item = random.integer(items.length);
    const found = items[item];
    const asked = found && CLASSES[kind]?.(found, random);
    if (asked === undefined || asked.text.length < 2 || !isMeant(asked, texts.get(mailbox) ?? [])) continue;
    drawn.set(`${mailbox} ${asked.text}`, { kind, mailbox, item, text: asked.text });
  }
  return [...drawn.values()];
}

function isMeant({ means }: Asked, texts: readonly string[]): boolean {
  const pieces = means.map((piece) => piece.toLowerCase());
  let alike = 0;
  for (const text of texts) {
    if (pieces.every((piece) => text.includes(piece))) alike += 1;
    if (alike > MOST_ALIKE) return false;
  }
  return true;
}
