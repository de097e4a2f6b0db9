import { existsSync } from 'node:fs';
import type { Config } from '../../../../config/schema.ts';
import type { Check } from '../../../core/ports/diagnosis.ts';
import type { Places } from '../../../data-dir/places.ts';
import { type LoadTantivy, loadTantivy, TANTIVY_PACKAGE } from '../../../messages/engines/tantivy/binding.ts';
import { newestChange } from '../../../messages/engines/tantivy/indexer.ts';
import { createPins } from '../../../messages/engines/tantivy/pinned.ts';
import { openMessagesReader } from '../../../messages/store/open.ts';
import { counted } from '../../../surfaces/cli/text/values.ts';
import { examine, type Finding, warning, well } from './finding.ts';

type MessagePlaces = Pick<Places, 'messages' | 'messagesTantivy'>;

/** Which engine of message search is there, and whether its index is what the messages are. */
export async function examineMessages({ messages }: Config, places: MessagePlaces, load: LoadTantivy = loadTantivy): Promise<Check[]> {
  const look = (): Finding => {
    if (!messages.enabled) return well('messages are off (messages.enabled)');
    if (!messages.tantivy) return wanted(messages.engine, 'messages.tantivy is false', 'set messages.tantivy to true');
    const loaded = load();
    if (!loaded.ok)
      return wanted(messages.engine, loaded.why, `install ${TANTIVY_PACKAGE}: scripts/tantivy in a checkout; Node 22.15 or later installs it by itself`);
    const pin = createPins(loaded.tantivy, places.messagesTantivy)();
    if (!pin.ok)
      return pin.missing ? well(`${pin.why}: writ up makes it; SQLite's full text is searched`) : warning(pin.why, 'restart the API, which makes it anew');
    const behind = existsSync(places.messages) ? behindOf(places.messages, pin.pinned.published.seq) : 0;
    const found = counted(pin.pinned.published.documents, 'document');
    return behind === 0
      ? well(`${found}, up to date`)
      : warning(`${found}, ${counted(behind, 'change')} behind`, 'start the API, which brings it up to date; its log says why it does not');
  };
  return examine('Message search', [{ title: 'Tantivy', look, todo: 'look into messages/ of the data directory' }]);
}

/** Without Tantivy searches work all the same, unless somebody has asked for it. */
function wanted(engine: Config['messages']['engine'], why: string, todo: string): Finding {
  return engine === 'tantivy' || engine === 'shadow'
    ? warning(`messages.engine is ${engine}, but ${why}`, todo)
    : well(`${why}; SQLite's full text is searched`);
}

function behindOf(file: string, seq: number): number {
  const db = openMessagesReader(file);
  try {
    return newestChange(db) - seq;
  } finally {
    db.close();
  }
}
