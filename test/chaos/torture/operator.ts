import type { NoticeLine, NoticesOptions } from '../../../src/surfaces/client/index.ts';
import { lastJson } from '../../support/command-line.ts';
import { codeOf, insist } from './insist.ts';
import type { Endpoint } from './model.ts';
import type { Stage } from './stage.ts';

/** Every notice that the surfaces tell of. */
export async function noticesOf({ site, over }: Stage, about: NoticesOptions = {}): Promise<readonly NoticeLine[]> {
  const all: NoticeLine[] = [];
  let cursor: string | undefined;
  do {
    const page = await insist(() => site.client.webhooks.notices({ limit: 500, ...about, ...(cursor === undefined ? {} : { cursor }) }), over);
    all.push(...page.notices);
    cursor = page.next;
  } while (cursor !== undefined);
  return all;
}

/** How an operator has the dead notices of an endpoint sent again; how many are due then. */
const WAYS = {
  'one by one': async (stage, endpoint) => {
    let due = 0;
    for (const { id } of await noticesOf(stage, { endpoint, state: 'dead' })) due += await resend(stage, id);
    return due;
  },
  'all over HTTP': async ({ site, over }, endpoint) => (await insist(() => site.client.webhooks.resendDead(endpoint), over)).resent,
  'all from the command line': async ({ site }, endpoint) =>
    Number(lastJson(await site.cli(['webhooks', 'resend', '--dead', endpoint, '--json']))['resent'] ?? 0),
} satisfies Record<string, (stage: Stage, endpoint: Endpoint) => Promise<number>>;

/** The dead notices of an endpoint are sent again, in one of the ways that there are. Whoever died of an answer meanwhile is left for the next time. */
export async function sendDeadAgain(stage: Stage, endpoint: Endpoint): Promise<void> {
  stage.model.resent += await WAYS[stage.random.pick(NAMES)](stage, endpoint);
}

const NAMES = Object.keys(WAYS) as readonly (keyof typeof WAYS)[];

/** An asking whose answer was lost may have been done: it is due then, and not dead any more. */
async function resend({ site, over }: Stage, id: string): Promise<number> {
  try {
    return (await insist(() => site.client.webhooks.resend(id), over)).resent;
  } catch (error) {
    if (codeOf(error) !== 'WRONG_STATE') throw error;
    return 0;
  }
}
