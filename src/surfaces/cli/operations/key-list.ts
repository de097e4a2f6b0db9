import type { ApiKey } from '../../../core/ports/index.ts';
import type { Call } from '../command.ts';
import { table } from '../text/table.ts';
import { duration } from '../text/values.ts';
import { keyJson } from './key-words.ts';

const COLUMNS = [{ title: 'id' }, { title: 'name' }, { title: 'roles' }, { title: 'made', align: 'right' }, { title: 'expires', align: 'right' }] as const;

/** `writ key list`. */
export async function runKeyList(call: Call): Promise<number> {
  const keys = await (await (await call.services()).access.keys()).list();
  const now = call.clock.now();
  await call.output.answer({ keys: keys.map(keyJson) }, () =>
    keys.length === 0
      ? 'there are no keys; `writ key create` makes one'
      : table(
          COLUMNS,
          keys.map((key) => [key.id, key.name, key.roles.join(','), `${duration(now - Date.parse(key.createdAt))} ago`, expiry(key, now)]),
        ),
  );
  return 0;
}

function expiry({ expiresAt }: ApiKey, now: number): string {
  if (expiresAt === undefined) return 'never';
  const left = Date.parse(expiresAt) - now;
  return left > 0 ? `in ${duration(left)}` : 'EXPIRED';
}
