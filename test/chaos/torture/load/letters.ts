import { insist } from '../insist.ts';
import type { Letter, Look } from '../model.ts';
import type { Stage } from '../stage.ts';

export const PROJECT = 'torture';
/** All messages have it, and nothing else has. */
const COMMON = 'everywhere';
/** Seconds. */
const STORED_S = 5;
const PAGE = 5;

/** A message is sent by one or by three at once, perhaps edited, perhaps deleted; each time it is searched for. */
export async function letter(stage: Stage): Promise<void> {
  const { random } = stage;
  const mine = await sentLetter(stage, random.chance(0.3) ? 3 : 1);
  await look(stage, mine, mine.word, 'sent');
  if (random.chance(0.4)) {
    const before = mine.word;
    mine.word = wordOf(stage);
    await send(stage, mine);
    await look(stage, mine, mine.word, 'edited');
    await look(stage, undefined, before, 'edited');
  }
  if (!random.chance(0.3)) return;
  mine.endAskedAt = Date.now();
  await stored(stage, { op: 'delete', project: PROJECT, key: mine.key });
  mine.endedAt = Date.now();
  await look(stage, undefined, mine.word, 'deleted');
}

/** Every message, page by page, newest first. There is more than a page, whoever comes first. */
export async function walkOfLetters(stage: Stage): Promise<void> {
  const { client } = stage.site;
  if (stage.model.letters.length <= PAGE) await Promise.all(Array.from({ length: PAGE + 1 }, () => sentLetter(stage, 1)));
  const began = Date.now();
  const found: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await whole(stage, () => client.messages.search({ text: COMMON, ranking: 'recency', limit: PAGE, cursor, retry: false }));
    found.push(...page.results.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor !== undefined && !stage.over.aborted);
  const ids = (some: (letter: Letter) => boolean): readonly number[] => stage.model.letters.filter(some).flatMap((one) => [...one.ids]);
  stage.model.walks.push({
    wanted: ids(({ storedAt, endAskedAt }) => storedAt > 0 && storedAt < began && endAskedAt === Number.POSITIVE_INFINITY),
    gone: ids(({ endedAt }) => endedAt < began),
    found,
  });
}

/** The ids that a search for a word finds. */
export async function idsOf(stage: Stage, word: string): Promise<readonly number[]> {
  const { results } = await whole(stage, () => stage.site.client.messages.search({ text: word, limit: 100, retry: false }));
  return results.map(({ id }) => id);
}

async function sentLetter(stage: Stage, senders: number): Promise<Letter> {
  const never = Number.POSITIVE_INFINITY;
  const mine: Letter = { key: `letter-${stage.next()}`, word: wordOf(stage), ids: new Set(), storedAt: 0, endAskedAt: never, endedAt: never };
  stage.model.letters.push(mine);
  await Promise.all(Array.from({ length: senders }, () => send(stage, mine)));
  mine.storedAt = Date.now();
  return mine;
}

const wordOf = (stage: Stage): string => `word${stage.next()}end`;

async function send(stage: Stage, { key, word, ids }: Letter): Promise<void> {
  const given = await stored(stage, { op: 'message', project: PROJECT, key, subject: key, body_md: `${COMMON} ${word}` });
  for (const id of given) ids.add(id);
}

type Op = Parameters<Stage['site']['client']['messages']['ingest']>[0][number];

/** Until it is stored, however often it takes to be sent. */
async function stored({ site, over }: Stage, op: Op): Promise<readonly number[]> {
  for (;;) {
    const sent = await insist(() => site.client.messages.ingest([op], { wait: STORED_S }), over);
    if (sent.stored) return sent.report.ids;
    if (over.aborted) throw over.reason;
  }
}

async function look(stage: Stage, letter: Letter | undefined, text: string, after: string): Promise<void> {
  const [id] = letter?.ids ?? [];
  const found = (await idsOf(stage, text)).map(String);
  const one: Look = { by: 'message', text, after, wanted: id === undefined ? undefined : String(id), found, excluded: 0 };
  stage.model.looks.push(one);
}

type Answer = Awaited<ReturnType<Stage['site']['client']['messages']['search']>>;

/** One that says that it could not look everywhere is asked again. */
async function whole({ over }: Stage, search: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await insist(search, over);
    if (answer.diagnostics?.degraded !== true) return answer;
    if (over.aborted) throw over.reason;
  }
}
