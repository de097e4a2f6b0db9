import type { SearchViewer } from '../../src/core/ports/message-search.ts';
import type { Agent, Mailbox } from './mailbox.ts';
import { maySee } from './mailbox-oracle.ts';

/** Readers of a mailbox: an agent, keys that are bound to one, to projects, and to both. */
export const READERS = {
  agent: ({ id, project_id }: Agent) => ({ project_id, agent_id: id }),
  'key of an agent': ({ name }: Agent) => ({ grant: { agent: name, projects: null } }),
  'key of projects': ({ project_id }: Agent, { projects }: Mailbox) => ({ grant: { agent: null, projects: [slugOf(projects, project_id)] } }),
  'key of an agent in projects': ({ name, project_id }: Agent, { projects }: Mailbox) => ({
    grant: { agent: name, projects: [slugOf(projects, project_id), 'none'] },
  }),
} satisfies Record<string, (agent: Agent, box: Mailbox) => SearchViewer>;

function slugOf(projects: Mailbox['projects'], id: number): string {
  return projects.find((project) => project.id === id)?.slug ?? '';
}

/** The mailbox without what a reader may not see, and what that is. */
export function seenBy(box: Mailbox, viewer: NonNullable<SearchViewer>): { readonly seen: Mailbox; readonly hidden: readonly number[] } {
  const isSeen = (mail: Mailbox['mails'][0]): boolean => {
    if ('agent_id' in viewer) return maySee(box, mail, [viewer.agent_id]);
    const { agent, projects } = viewer.grant;
    const own = box.projects.filter(({ slug }) => projects === null || projects.includes(slug)).map(({ id }) => id);
    const looking = box.agents.filter(({ name, project_id }) => name.toLowerCase() === agent?.toLowerCase() && own.includes(project_id)).map(({ id }) => id);
    return own.includes(mail.project_id) && (agent === null || maySee(box, mail, looking));
  };
  return { seen: { ...box, mails: box.mails.filter(isSeen) }, hidden: box.mails.filter((mail) => !isSeen(mail)).map(({ id }) => id) };
}
