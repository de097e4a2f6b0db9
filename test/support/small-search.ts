import { createMessagesReader } from '../../src/messages/store/reader.ts';
import { mailboxFile } from './mailbox.ts';
import { BOX } from './mailbox-small.ts';
import { searchOver } from './search-service.ts';

/** Search in the small mailbox, on a file of its own. */
export type SmallSearch = ReturnType<typeof searchOver> & { readonly file: string; remove(): void };

export function searchInSmallMailbox(): SmallSearch {
  const box = mailboxFile(BOX);
  const search = searchOver(box.file);
  return {
    ...search,
    file: box.file,
    remove() {
      search.close();
      box.remove();
    },
  };
}

/** The small mailbox on a file of its own, open for reading. */
export function smallMailbox(): ReturnType<typeof mailboxFile> & { readonly reader: ReturnType<typeof createMessagesReader> } {
  const box = mailboxFile(BOX);
  const reader = createMessagesReader(box.file);
  return {
    ...box,
    reader,
    remove() {
      reader.close();
      box.remove();
    },
  };
}
