import { existsSync } from 'node:fs';
import { type Check, examine, type Finding, passed, warning } from '../../core/findings.ts';
import { counted } from '../../core/units.ts';
import { type LoadTantivy, loadTantivy, TANTIVY_PACKAGE } from '../engines/tantivy/binding.ts';
import { createPins } from '../engines/tantivy/pinned.ts';
import { createChanges } from '../store/changes.ts';
import { openMessagesReader } from '../store/open.ts';

/** What the settings say of messages. */
export interface MessageSettings {
  readonly enabled: boolean;
  readonly tantivy: boolean;
  readonly engine: string;
}

/** Where messages and their index lie. */
export interface MessageFiles {
  readonly messages: string;
  readonly messagesTantivy: string;
}

/** Which engine of message search is there, and whether its index is what the messages are. */
export async function examineMessages(settings: MessageSettings, files: MessageFiles, load: LoadTantivy = loadTantivy): Promise<Check[]> {
  const look = (): Finding => {
    if (!settings.enabled) return passed('messages are off (messages.enabled)');
    if (!settings.tantivy) return wanted(settings.engine, 'messages.tantivy is false', 'set messages.tantivy to true');
    const loaded = load();
    if (!loaded.ok)
      return wanted(settings.engine, loaded.why, `install ${TANTIVY_PACKAGE}: scripts/tantivy in a checkout; Node 22.15 or later installs it by itself`);
    const pin = createPins(loaded.tantivy, files.messagesTantivy)();
    if (!pin.ok)
      return pin.missing ? passed(`${pin.why}: writ up makes it; SQLite's full text is searched`) : warning(pin.why, 'restart the API, which makes it anew');
    const behind = existsSync(files.messages) ? behindOf(files.messages, pin.pinned.published.seq) : 0;
    const found = counted(pin.pinned.published.documents, 'document');
    return behind === 0
      ? passed(`${found}, up to date`)
      : warning(`${found}, ${counted(behind, 'change')} behind`, 'start the API, which brings it up to date; its log says why it does not');
  };
  return examine('Message search', [{ title: 'Tantivy', look, todo: 'look into messages/ of the data directory' }]);
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
