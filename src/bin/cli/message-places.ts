import { listPlaces } from '../../messages/store/list-places.ts';
import { createMessagesReader } from '../../messages/store/reader.ts';
import type { SearchPlace } from '../../surfaces/tui/port.ts';
import type { CliSettings } from './settings.ts';

/** More than anybody steps through with one key. */
const MAX = 1000;

/** Where messages can lie. @throws WritError STORAGE_UNAVAILABLE while there is no database */
export function readMessagePlaces({ places }: CliSettings): readonly SearchPlace[] {
  const reader = createMessagesReader(places.messages);
  try {
    return listPlaces(reader.database(), MAX);
  } finally {
    reader.close();
  }
}
