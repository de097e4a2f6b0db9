import { statSync } from 'node:fs';
import { isThere } from '../../adapters/files/is-there.ts';
import { broken, type Check, examine, type Finding, passed, warning } from '../../core/findings.ts';
import { bytes, counted } from '../../core/units.ts';
import { type LoadTantivy, loadTantivy, TANTIVY_PACKAGE } from '../engines/tantivy/binding.ts';
import { createPins } from '../engines/tantivy/pinned.ts';
import { createChanges } from '../store/changes.ts';
import { damageIn } from '../store/fault.ts';
import { openMessagesReader } from '../store/open.ts';
import { wasTakenAway } from '../store/store.ts';
import { postgresqlProbes } from './doctor-postgresql.ts';
import type { PostgresqlSettings } from './postgresql-target.ts';

/** What the settings say of messages. */
export interface MessageSettings extends PostgresqlSettings {
  readonly enabled: boolean;
  readonly tantivy: boolean;
  /** This host has no store. */
  readonly read_only: boolean;
}

/** Where messages and their index lie. */
export interface MessageFiles {
  readonly messages: string;
  readonly messagesTantivy: string;
}

/** Whether the database of messages is sound, which engine searches it, and whether its index is what the messages are. */
export async function examineMessages(settings: MessageSettings, files: MessageFiles, load: LoadTantivy = loadTantivy): Promise<Check[]> {
  const look = (): Finding => {
    if (!settings.enabled) return passed('messages are off (messages.enabled)');
    if (settings.read_only) return passed(NO_STORE);
    if (!settings.tantivy && settings.postgresql_url !== '') return passed('messages.tantivy is false; PostgreSQL is in its place');
    if (!settings.tantivy) return wanted(settings.engine, 'messages.tantivy is false', 'set messages.tantivy to true');
    const loaded = load();
    if (!loaded.ok)
      return wanted(settings.engine, loaded.why, `install ${TANTIVY_PACKAGE}: scripts/tantivy in a checkout; Node 22.15 or later installs it by itself`);
    const pin = createPins(loaded.tantivy, files.messagesTantivy)();
    if (!pin.ok)
      return pin.missing ? passed(`${pin.why}: writ up makes it; SQLite's full text is searched`) : warning(pin.why, 'restart the API, which makes it anew');
    const behind = isThere(files.messages) ? behindOf(files.messages, pin.pinned.published.seq) : 0;
    const found = counted(pin.pinned.published.documents, 'document');
    return behind === 0
      ? passed(`${found}, up to date`)
      : warning(`${found}, ${counted(behind, 'change')} behind`, 'start the API, which brings it up to date; its log says why it does not');
  };
  return examine('Message search', [
    { title: 'Database', look: () => databaseOf(settings, files.messages), todo: 'look into messages/ of the data directory' },
    { title: 'Tantivy', look, todo: 'look into messages/ of the data directory' },
    ...postgresqlProbes(settings, files.messages),
  ]);
}

/** A larger database is opened and no more: reading all of it takes minutes. */
const READ_WHOLE_BYTES = 256 * 1024 * 1024;
const REPAIR =
  'if only the full text is damaged, writ messages rebuild makes it anew; else stop the API, put a backup back (or the file aside), and import again';
const PUT_BACK = 'put it back; or stop the API, put a backup in its place without the -wal and -shm beside it, and start it (without a backup: an empty one)';

const NO_STORE = 'this host has none: PostgreSQL answers searches (messages.read_only)';

function databaseOf({ enabled, read_only: readOnly }: MessageSettings, file: string): Finding {
  if (!enabled) return passed('messages are off (messages.enabled)');
  if (readOnly) return passed(NO_STORE);
  if (wasTakenAway(file)) return broken('it was here and is gone; an API that still runs has it open, and takes no messages in', PUT_BACK);
  if (!isThere(file)) return passed('no messages yet');
  const { size } = statSync(file);
  try {
    const db = openMessagesReader(file);
    try {
      if (size > READ_WHOLE_BYTES) return passed(`${bytes(size)}, which is not read whole here: sqlite3 can (PRAGMA quick_check)`);
      const found = db.pragma('quick_check(3)', { simple: false }) as readonly { readonly quick_check: string }[];
      const faults = found.map(({ quick_check: fault }) => fault).filter((fault) => fault !== 'ok');
      return faults.length === 0 ? passed(`${bytes(size)}, sound`) : broken(`damaged: ${faults.join('; ')}`, REPAIR);
    } finally {
      db.close();
    }
  } catch (error) {
    const damage = damageIn(error);
    if (damage === undefined) throw error;
    return broken(`damaged: ${damage}`, REPAIR);
  }
}

/** Without Tantivy searches work all the same, unless somebody has asked for it. */
function wanted(engine: MessageSettings['engine'], why: string, todo: string): Finding {
  return engine === 'tantivy' || engine === 'shadow'
    ? warning(`messages.engine is ${engine}, but ${why}`, todo)
    : passed(`${why}; SQLite's full text is searched`);
}

function behindOf(file: string, seq: number): number {
  const db = openMessagesReader(file);
  try {
    return createChanges(db).newest() - seq;
  } finally {
    db.close();
  }
}
