import { WritError } from '../../core/errors.ts';
import type { IngestGateway } from '../../core/ports/index.ts';
import { copyIn, isUnfit } from '../engines/postgresql/copy.ts';
import { openServers } from './postgresql.ts';
import type { PostgresqlServers } from './postgresql-target.ts';

/** What stands for the writer on a host without a store: every change throws WritError WRONG_STATE, with the name of the host that writes. */
export function readOnlyGateway(target: PostgresqlServers | undefined): IngestGateway {
  const refuse = async (): Promise<never> => {
    throw await readOnlyRefusal(target);
  };
  return { submit: refuse, settled: refuse };
}

/** Says where messages are to be sent. */
export async function readOnlyRefusal(target: PostgresqlServers | undefined): Promise<WritError> {
  const writer = target === undefined ? '' : await writerOf(target);
  const whom = writer === '' ? 'the host that writes them; PostgreSQL does not say now which that is' : `the host ${writer}, which writes them`;
  return new WritError('WRONG_STATE', `this host takes no messages in (messages.read_only): send them to ${whom}`);
}

/** Empty where nobody can tell. */
async function writerOf(target: PostgresqlServers): Promise<string> {
  const { primary, close } = openServers({ ...target, replicas: [] });
  try {
    const copy = await primary.transaction('read', copyIn);
    return isUnfit(copy) ? '' : copy.writer;
  } catch {
    return '';
  } finally {
    await close();
  }
}
